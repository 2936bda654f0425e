// SPDX-License-Identifier: Apache-2.0
// The memory of arrays that the host makes longer in place.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::container {

/// Elements side by side in virtual memory that grows in place (GGArray, section 3.1, "semi-static"). It does
/// not count which of them are in use: region_array does so for kernels that insert, a graph for its
/// vertices. Move-only.
template <class Space, class T>
class typed_region {
public:
    /// Whether new elements read as 0 bytes until they are written.
    static constexpr bool starts_as_zeros = exec::region<Space>::starts_as_zeros;

    /// Reserves address space for `most` elements; takes no memory. `name` says in error messages whose
    /// memory it is. Throws exec::out_of_memory.
    typed_region(Space space, std::uint64_t most, std::string name)
        : name_(name),
          region_(std::move(space), exec::bytes_of<T>(std::max<std::uint64_t>(most, 1)), std::move(name)) {}

    /// The address of element 0, in the memory of the space; the same for the region's lifetime.
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(region_.data()); }
    /// The elements for which there is memory.
    [[nodiscard]] std::uint64_t capacity() const { return region_.committed_bytes() / sizeof(T); }
    [[nodiscard]] std::uint64_t held_bytes() const { return region_.committed_bytes(); }

    /// Makes the capacity at least `elements`, in steps of the space (2 MiB on CUDA). Throws
    /// exec::out_of_memory; the capacity is then unchanged.
    void grow_to(std::uint64_t elements) {
        if (elements > region_.reserved_bytes() / sizeof(T))
            throw exec::out_of_memory(name_, exec::bytes_of<T>(elements), region_.reserved_bytes());
        region_.grow_to(elements * sizeof(T));
    }

private:
    std::string name_;
    exec::region<Space> region_;
};

} // namespace rhizome::container
