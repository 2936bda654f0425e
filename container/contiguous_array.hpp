// SPDX-License-Identifier: Apache-2.0
// The host side that static_array and region_array share.
#pragma once

#include <rhizome/container/concept.hpp>
#include <rhizome/container/contiguous_ref.hpp>
#include <rhizome/container/runs.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::container {

namespace detail {
/// Makes a counter at most `limit`.
struct limit_counter {
    std::uint64_t* counter;
    std::uint64_t limit;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0 && *counter > limit) *counter = limit;
    }
};
} // namespace detail

/// Base of the arrays whose elements lie side by side in one piece of memory, `Memory`. It has data() and
/// capacity(), in elements.
template <class Space, array_element T, class Memory>
class contiguous_array {
public:
    using space_type = Space;
    using value_type = T;
    using ref_type = contiguous_ref<T>;

    /// A ref for kernels. After reserve() older refs see the old capacity.
    [[nodiscard]] ref_type ref() const {
        return {memory_.data(), const_cast<std::uint64_t*>(claimed_.data()), memory_.capacity()};
    }
    /// Forgets claims that were refused. Cost: one launch.
    void settle() { limit_size(memory_.capacity()); }
    [[nodiscard]] std::uint64_t size() { return std::min(claimed_.to_host()[0], memory_.capacity()); }
    /// The elements for which there is memory. Does not wait.
    [[nodiscard]] std::uint64_t capacity() const { return memory_.capacity(); }
    /// Drops the elements from index `size` on. The memory stays.
    void shrink_to(std::uint64_t size) { limit_size(std::min(size, memory_.capacity())); }
    /// Says that the first `size` elements are there: for elements that were written through data(), by a
    /// kernel, CUB or Thrust. Throws std::invalid_argument if `size` is more than the capacity.
    void set_size(std::uint64_t size) {
        if (size > memory_.capacity())
            throw std::invalid_argument("array: size " + std::to_string(size) +
                                        " is more than the capacity, " + std::to_string(memory_.capacity()));
        space_.copy_in(claimed_.data(), &size, sizeof size);
    }
    void flatten(T* out) {
        if (capacity() != 0)
            launch(space_, cover_threads(space_, capacity()), detail::copy_elements<ref_type>{ref(), out});
    }
    [[nodiscard]] std::vector<T> to_host() {
        std::vector<T> elements(size());
        if (!elements.empty()) space_.copy_out(elements.data(), memory_.data(), elements.size() * sizeof(T));
        return elements;
    }

    /// The address of element 0; the same for the array's lifetime.
    [[nodiscard]] T* data() const { return memory_.data(); }
    /// All elements, over memory of the space. Waits.
    [[nodiscard]] std::span<T> span() { return {data(), size()}; }
    /// The addresses of the first element and behind the last one, as CUB and Thrust take them. end() waits.
    [[nodiscard]] T* begin() const { return data(); }
    [[nodiscard]] T* end() { return data() + size(); }

protected:
    contiguous_array(Space space, Memory memory)
        : space_(std::move(space)), memory_(std::move(memory)), claimed_(space_, 1) {
        claimed_.fill_bytes(0);
    }

    Space space_;
    Memory memory_;

private:
    void limit_size(std::uint64_t limit) {
        launch(space_, one_warp(space_), detail::limit_counter{claimed_.data(), limit});
    }

    exec::buffer<Space, std::uint64_t> claimed_;
};

} // namespace rhizome::container
