// region_array: an array that the host makes longer in place.
#pragma once

#include <rhizome/container/contiguous_array.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/region.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace rhizome::container {

namespace detail {
template <class Space, class T>
class region_memory {
public:
    region_memory(Space space, std::uint64_t most, std::string name)
        : name_(name),
          region_(std::move(space), bytes_of(std::max<std::uint64_t>(most, 1)), std::move(name)) {}
    [[nodiscard]] T* data() const { return reinterpret_cast<T*>(region_.data()); }
    [[nodiscard]] std::uint64_t capacity() const { return region_.committed_bytes() / sizeof(T); }
    void grow_to(std::uint64_t elements) {
        if (elements > region_.reserved_bytes() / sizeof(T)) // before the bytes overflow
            throw exec::out_of_memory(name_, bytes_of(elements), region_.reserved_bytes());
        region_.grow_to(elements * sizeof(T));
    }

private:
    /// Of so many elements; the largest number if they do not fit in it.
    [[nodiscard]] static constexpr std::uint64_t bytes_of(std::uint64_t elements) {
        constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        return elements > most / sizeof(T) ? most : elements * sizeof(T);
    }

    std::string name_;
    exec::region<Space> region_;
};
} // namespace detail

/// How much a region_array holds at the start, and at most.
struct region_array_options {
    std::uint64_t capacity = 0; ///< elements for which there is memory at the start
    /// Elements for which address space is reserved; 0: as many as fill space.memory_bytes().
    std::uint64_t most = 0;
    std::string name = "region_array"; ///< for error messages
};

/// An array in a region: virtual memory that grows in place (GGArray, section 3.1, "semi-static"). Kernels
/// insert until the memory is used up; then the host calls reserve() and launches them again with what was
/// refused. Memory grows in steps of the space (2 MiB on CUDA), and is freed with the array.
template <class Space, array_element T>
class region_array : public contiguous_array<Space, T, detail::region_memory<Space, T>> {
public:
    /// An empty array. Throws exec::out_of_memory.
    explicit region_array(Space space, region_array_options const& options = {})
        : region_array::contiguous_array(
              space, detail::region_memory<Space, T>(space, most_elements(space, options), options.name)) {
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
