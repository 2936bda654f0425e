// SPDX-License-Identifier: Apache-2.0
// The memory of an allocator: a heap, and tables beside it that grow and shrink with the heap.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/sizes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace rhizome::alloc {

/// The value of new elements of a table that grows.
enum class fresh_elements { undefined, zero };

/// An array beside a heap, in the memory of a space. A short table is a block of the space: a device commits
/// memory of a region in steps (2 MiB on CUDA), of which the tables of a small heap would use little. A table
/// that needs more than half a step grows and shrinks in place, in a region. Move-only. Its memory is charged
/// to the budget of the space. Invariant: the block or the region is empty.
template <class Space, class T>
class heap_table {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    /// Reserves address space for `most` elements; commits nothing. Throws out_of_memory where there is no
    /// such address space.
    heap_table(Space space, std::uint64_t most, std::string name, fresh_elements fresh)
        : space_(std::move(space)), few_(space_),
          many_(space_, exec::bytes_of<T>(std::max<std::uint64_t>(most, 1)), std::move(name)), fresh_(fresh) {
    }

    /// The address of element 0. A call that makes a short table longer, or any table short, changes it.
    [[nodiscard]] T* data() const {
        return reinterpret_cast<T*>(few_.size() != 0 ? const_cast<std::byte*>(few_.data()) : many_.data());
    }
    [[nodiscard]] std::uint64_t committed_bytes() const {
        return few_.size_bytes() + many_.committed_bytes();
    }
    /// The elements for which there is memory.
    [[nodiscard]] std::uint64_t capacity() const { return committed_bytes() / sizeof(T); }

    /// Makes the table at least `elements` long, in the order of the space; old elements stay. Throws
    /// out_of_memory, changing nothing. Cost: one commit, or one allocation. If new elements are zero, and
    /// fresh memory is not, also a fill of the new part. A short table is copied; on CUDA the host then
    /// waits.
    void grow_to(std::uint64_t elements) {
        std::uint64_t const bytes = exec::bytes_of<T>(elements);
        if (bytes <= committed_bytes()) return;
        std::uint64_t const held = committed_bytes();
        if (bytes <= most_few_bytes()) {
            exec::buffer<Space, std::byte> longer(space_, few_bytes(bytes));
            if (held != 0) space_.copy(longer.data(), few_.data(), held);
            if (fresh_ == fresh_elements::zero)
                space_.fill(longer.data() + held, 0, longer.size_bytes() - held);
            few_ = std::move(longer);
            return;
        }
        many_.grow_to(bytes);
        if constexpr (!exec::region<Space>::starts_as_zeros) {
            std::uint64_t const more = many_.committed_bytes() - held;
            if (fresh_ == fresh_elements::zero && more != 0) space_.fill(many_.data() + held, 0, more);
        }
        if (few_.size() == 0) return;
        space_.copy(many_.data(), few_.data(), held);
        few_.discard_and_resize(0);
    }

    /// Gives memory beyond the first `elements` elements back, as far as the space can. What stays of the
    /// elements beyond keeps its contents: where new elements are to be zero, the caller has set it to zero.
    /// A table in a region that becomes short is copied to a block, if there is memory for one.
    void shrink_to(std::uint64_t elements) {
        std::uint64_t const bytes = exec::bytes_of<T>(elements);
        if (bytes == 0) few_.discard_and_resize(0);
        bool const becomes_short = bytes != 0 && bytes <= most_few_bytes() && many_.committed_bytes() != 0;
        if (!becomes_short) return many_.shrink_to(bytes);
        try {
            few_.discard_and_resize(few_bytes(bytes));
        } catch (exec::out_of_memory const&) {
            return many_.shrink_to(bytes); // serves as well
        }
        space_.copy(few_.data(), many_.data(), few_.size_bytes());
        many_.shrink_to(0);
        if (many_.committed_bytes() == 0) return;
        // The system has not taken the memory, but may have dropped its contents.
        space_.copy(many_.data(), few_.data(), few_.size_bytes());
        few_.discard_and_resize(0);
    }

private:
    /// Longer tables lie in the region.
    [[nodiscard]] std::uint64_t most_few_bytes() const { return many_.step_bytes() / 2; }
    /// The length of a block for so many bytes: short tables get longer a few times only.
    [[nodiscard]] std::uint64_t few_bytes(std::uint64_t bytes) const {
        return std::min(exec::whole_steps(bytes, std::max<std::uint64_t>(many_.step_bytes() / 16, 1)),
                        most_few_bytes());
    }

    Space space_;
    exec::buffer<Space, std::byte> few_; ///< a short table; otherwise empty, and the table is in `many_`
    exec::region<Space> many_;
    fresh_elements fresh_;
};

/// The heap of an allocator, in which its blocks lie. Move-only. Its memory starts uninitialised.
/// Invariant: heap_bytes() <= committed memory <= reserved_bytes().
template <class Space>
class heap_memory {
public:
    /// Reserves address space for the largest heap that `options` allow, in whole steps; commits nothing.
    /// step_bytes: the heap's size is a multiple of it; 0: of the step in which the space commits memory.
    /// Throws out_of_memory where there is no such address space.
    heap_memory(Space& space, heap_options const& options, std::uint64_t step_bytes = 0)
        : memory_(space, reserve_for(space, options, step_bytes), name),
          step_bytes_(step_bytes != 0 ? step_bytes : memory_.step_bytes()) {}

    [[nodiscard]] std::byte* data() const { return memory_.data(); }
    /// The bytes that the allocator may use: a multiple of the step.
    [[nodiscard]] std::uint64_t heap_bytes() const { return heap_bytes_; }
    /// The most that the heap can grow to. Tables reserve address space for a heap of this size.
    [[nodiscard]] std::uint64_t reserved_bytes() const { return memory_.reserved_bytes(); }
    /// Bytes committed beyond heap_bytes(), since the space commits in steps of its own.
    [[nodiscard]] std::uint64_t spare_bytes() const { return memory_.committed_bytes() - heap_bytes_; }

    /// Makes the heap at least `bytes` large, in whole steps. Returns whether it grew. Before the heap
    /// itself grows, grow_tables(heap_bytes) makes the allocator's tables long enough for the new size, which
    /// is at most reserved_bytes(). Throws what grow_tables throws, and out_of_memory: heap_bytes() and all
    /// contents are then as before, and tables may be longer than needed. After grow_to() has returned true,
    /// no further step can fail.
    template <class GrowTables>
    bool grow_to(std::uint64_t bytes, GrowTables&& grow_tables) {
        std::uint64_t const wanted = exec::whole_steps(bytes, step_bytes_);
        if (wanted <= heap_bytes_) return false;
        if (wanted > reserved_bytes())
            throw exec::out_of_memory(name, wanted - heap_bytes_, reserved_bytes() - heap_bytes_);
        grow_tables(wanted);
        memory_.grow_to(wanted);
        heap_bytes_ = wanted;
        return true;
    }
    /// The same for an allocator without tables.
    bool grow_to(std::uint64_t bytes) {
        return grow_to(bytes, [](std::uint64_t) {});
    }

    /// The lowest size, at least `bytes`, that shrink_to() can give the heap: memory is given back in pieces
    /// (exec::region).
    [[nodiscard]] std::uint64_t shrunk_bytes(std::uint64_t bytes) const {
        std::uint64_t const left = memory_.shrunk_bytes(exec::whole_steps(bytes, step_bytes_));
        return std::min(heap_bytes_, left / step_bytes_ * step_bytes_);
    }
    /// Makes the heap `bytes` large, a result of shrunk_bytes(), and gives the memory beyond back. Needs no
    /// memory. Waits, as exec::region::shrink_to() states.
    void shrink_to(std::uint64_t bytes) {
        heap_bytes_ = bytes;
        memory_.shrink_to(bytes);
    }

private:
    static constexpr char const* name = "allocator heap"; ///< for error messages

    [[nodiscard]] static std::uint64_t reserve_for(Space& space, heap_options const& options,
                                                   std::uint64_t step_bytes) {
        std::uint64_t const asked = options.reserve_bytes != 0 ? options.reserve_bytes : space.memory_bytes();
        std::uint64_t const most = std::max(asked, options.heap_bytes);
        return step_bytes == 0 ? most : exec::whole_steps(most, step_bytes);
    }

    exec::region<Space> memory_;
    std::uint64_t step_bytes_;
    std::uint64_t heap_bytes_ = 0;
};

} // namespace rhizome::alloc
