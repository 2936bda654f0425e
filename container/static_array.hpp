// SPDX-License-Identifier: Apache-2.0
// static_array: an array whose capacity never changes.
#pragma once

#include <rhizome/container/contiguous_array.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/sizes.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::container {

namespace detail {
template <class Space, class T>
class static_memory {
public:
    static_memory(Space space, std::uint64_t capacity) : elements_(space, capacity) {}
    [[nodiscard]] T* data() const { return const_cast<T*>(elements_.data()); }
    [[nodiscard]] std::uint64_t capacity() const { return elements_.size(); }

private:
    exec::buffer<Space, T> elements_;
};
} // namespace detail

/// An array in one allocation of the space (GGArray, section 3.1, "static"). Threads insert until its
/// capacity is used up; further elements are refused.
template <class Space, array_element T>
class static_array : public contiguous_array<Space, T, detail::static_memory<Space, T>> {
public:
    /// An empty array with room for `capacity` elements. Throws exec::out_of_memory.
    static_array(Space space, std::uint64_t capacity)
        : static_array::contiguous_array(space, detail::static_memory<Space, T>(space, capacity)) {}

    /// Throws exec::out_of_memory if `size` is more than the capacity: a static_array cannot grow.
    void reserve(std::uint64_t size) {
        if (size > this->capacity())
            throw exec::out_of_memory("static_array, which cannot grow,", exec::bytes_of<T>(size),
                                      this->capacity() * sizeof(T));
    }
};

} // namespace rhizome::container
