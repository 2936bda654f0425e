// SPDX-License-Identifier: Apache-2.0
// region_array: an array that the host makes longer in place.
#pragma once

#include <rhizome/container/contiguous_array.hpp>
#include <rhizome/container/typed_region.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::container {

/// How much a region_array holds at the start, and at most.
struct region_array_options {
    std::uint64_t capacity = 0; ///< elements for which there is memory at the start
    /// Elements for which address space is reserved; 0: as many as fill space.memory_bytes().
    std::uint64_t most = 0;
    std::string name = "region_array"; ///< for error messages
};

/// An array in a typed_region: virtual memory that grows in place (GGArray, section 3.1, "semi-static").
/// Kernels insert until the memory is used up; then the host calls reserve() and launches them again with
/// what was refused. Memory grows in steps of the space (2 MiB on CUDA), and is freed with the array.
template <class Space, array_element T>
class region_array : public contiguous_array<Space, T, typed_region<Space, T>> {
public:
    /// An empty array. Throws exec::out_of_memory.
    explicit region_array(Space space, region_array_options const& options = {})
        : region_array::contiguous_array(
              space, typed_region<Space, T>(space, most_elements(space, options), options.name)) {
        this->memory_.grow_to(options.capacity);
    }

    /// Makes the capacity at least `size` elements; elements and data() stay. Throws exec::out_of_memory; the
    /// capacity is then unchanged. Cost: a launch, and one growth of the region; the host does not wait for
    /// kernels.
    void reserve(std::uint64_t size) {
        this->settle(); // claims that were refused must stay outside of the new capacity
        this->memory_.grow_to(size);
    }

private:
    [[nodiscard]] static std::uint64_t most_elements(Space const& space,
                                                     region_array_options const& options) {
        std::uint64_t const most = options.most != 0 ? options.most : space.memory_bytes() / sizeof(T);
        return std::max(most, options.capacity);
    }
};

} // namespace rhizome::container
