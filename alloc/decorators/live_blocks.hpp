// SPDX-License-Identifier: Apache-2.0
// Which blocks are live, and their sizes: a table from pointer to bytes, for decorators.
//
// Open addressing, linear probing in a window of 64 slots. A key is 0 (slot never used), a pointer (live
// block), or a pointer + 1 (freed block: the slot may be reused, and shows a double free until then). If the
// allocator has a heap, the table has one slot for each address at which a block can start; the address
// modulo the table size gives the slot. Pointers of one heap never collide there, wherever the heap lies, and
// the table never overflows. If the allocator has no heap of its own, pointers are hashed and may collide.
//
// Invariant, while no kernel runs: the key of a live block is in the table once, in its window.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace rhizome::alloc {

/// One slot of the table.
struct live_block {
    std::uint64_t key;   ///< see the head of this file
    std::uint64_t bytes; ///< usable bytes of the block
};

/// What the table knows of a pointer.
enum class block_state : std::uint32_t { unknown, live, freed };

/// The result of live_blocks_ref::remove().
struct found_block {
    block_state state;
    std::uint64_t bytes; ///< of a live one
};

/// The table inside kernels. Granule: bytes; each granule of memory holds the start of at most one live
/// block. Hashed: true for allocators without one heap; slots are then chosen by a hash of the pointer.
template <std::uint64_t Granule, bool Hashed>
class live_blocks_ref {
public:
    static constexpr std::uint64_t window = 64; ///< consecutive slots that may hold a pointer

    live_blocks_ref() = default;
    live_blocks_ref(live_block* slots, std::uint64_t capacity) : slots_(slots), capacity_(capacity) {}

    /// Records a block that was just handed out. Returns false if all slots in which it may be recorded are
    /// taken. Relaxed: the thread that frees the block got the pointer from the thread that took it, and so
    /// sees the entry.
    template <class Thread>
    [[nodiscard]] RZ_HD bool insert(Thread const& thread, void const* pointer, std::uint64_t bytes) const {
        std::uint64_t const key = key_of(pointer);
        for (std::uint64_t i = 0; i < window; ++i) {
            live_block& slot = slot_of(key, i);
            auto const word = thread.device(slot.key);
            std::uint64_t held = word.load(exec::order::relaxed);
            while (held % 2 == 1 || held == 0) {
                if (!word.compare_exchange(held, key, exec::order::relaxed)) continue;
                thread.device(slot.bytes).store(bytes, exec::order::relaxed);
                return true;
            }
        }
        return false;
    }

    /// Removes a live block: of several threads that try, one succeeds.
    template <class Thread>
    [[nodiscard]] RZ_HD found_block remove(Thread const& thread, void const* pointer) const {
        std::uint64_t const key = key_of(pointer);
        return find(thread, key, [&](live_block& slot) {
            std::uint64_t expected = key;
            return thread.device(slot.key).compare_exchange(expected, key + 1, exec::order::relaxed);
        });
    }

    /// The usable bytes of a live block; 0 for other pointers.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t bytes_of(Thread const& thread, void const* pointer) const {
        found_block const found = find(thread, key_of(pointer), [](live_block&) { return true; });
        return found.state == block_state::live ? found.bytes : 0;
    }

    /// Enters this thread's share of the entries into another table, marks of freed blocks too, while no
    /// other kernel runs.
    template <class Thread>
    RZ_HD void move_to(Thread const& thread, live_blocks_ref const& to) const {
        exec::for_each_item(thread, capacity_, [&](std::uint64_t i) {
            live_block const block = slots_[i];
            if (block.key % 2 == 1)
                to.mark_freed(thread, block.key);
            else if (block.key != 0)
                static_cast<void>(to.insert(thread, reinterpret_cast<void*>(block.key), block.bytes));
        });
    }

    /// Calls function(pointer, bytes) for this thread's share of the live blocks, while no other kernel runs.
    template <class Thread, class Function>
    RZ_HD void for_each_live(Thread const& thread, Function&& function) const {
        exec::for_each_item(thread, capacity_, [&](std::uint64_t i) {
            live_block const block = slots_[i];
            if (block.key != 0 && block.key % 2 == 0)
                function(reinterpret_cast<void*>(block.key), block.bytes);
        });
    }

private:
    static RZ_HD std::uint64_t key_of(void const* pointer) {
        return reinterpret_cast<std::uintptr_t>(pointer);
    }

    /// Enters the key of a freed block where a slot was never used: it may be lost in a hashed table.
    template <class Thread>
    RZ_HD void mark_freed(Thread const& thread, std::uint64_t key) const {
        for (std::uint64_t i = 0; i < window; ++i) {
            std::uint64_t unused = 0; // relaxed: read by later launches
            if (thread.device(slot_of(key, i).key).compare_exchange(unused, key, exec::order::relaxed))
                return;
        }
    }

    [[nodiscard]] RZ_HD live_block& slot_of(std::uint64_t key, std::uint64_t step) const {
        std::uint64_t const granule = key / Granule;
        // Fibonacci hashing: the product's high bits depend on all of the pointer's.
        std::uint64_t const start = Hashed ? granule * 0x9e37'79b9'7f4a'7c15ull >> 20 : granule;
        return slots_[(start + step) & (capacity_ - 1)];
    }

    /// Searches for a live entry that `take` accepts; otherwise, whether there is an entry of a freed block.
    template <class Thread, class Take>
    [[nodiscard]] RZ_HD found_block find(Thread const& thread, std::uint64_t key, Take&& take) const {
        found_block found{block_state::unknown, 0};
        if (key % 2 != 0)
            return found; // no block starts there, and the key would look like that of a freed block
        for (std::uint64_t i = 0; i < window; ++i) {
            live_block& slot = slot_of(key, i);
            std::uint64_t const held = thread.device(slot.key).load(exec::order::relaxed);
            if (held == 0) break; // slots never become 0 again, and inserts use the first free one
            if (held == key + 1) found.state = block_state::freed;
            if (held != key) continue;
            // Read before the take: afterwards the slot may belong to another block.
            std::uint64_t const bytes = thread.device(slot.bytes).load(exec::order::relaxed);
            if (take(slot)) return {block_state::live, bytes};
            found.state = block_state::freed; // another thread was first
        }
        return found;
    }

    live_block* slots_ = nullptr;
    std::uint64_t capacity_ = 0; ///< a power of two
};

namespace detail {
template <class Table>
struct move_live_blocks {
    Table from;
    Table to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        from.move_to(thread, to);
    }
};
} // namespace detail

/// The table's memory: 16 bytes for each address at which a block can start, rounded up to a power of two.
template <class Space, class Traits>
class live_blocks {
public:
    using ref_type = live_blocks_ref<std::bit_floor(std::uint64_t{Traits::smallest_bytes}), !Traits::bounded>;

    /// Throws out_of_memory.
    live_blocks(Space space, std::uint64_t heap_bytes) : space_(std::move(space)), slots_(space_) {
        grow_to(heap_bytes);
    }

    [[nodiscard]] ref_type ref() const { return {const_cast<live_block*>(slots_.data()), slots_.size()}; }
    [[nodiscard]] std::uint64_t size_bytes() const { return slots_.size_bytes(); }

    /// Makes the table large enough for a heap of that many bytes; entries stay. Throws out_of_memory,
    /// changing nothing. The old and the new table exist together for a moment.
    void grow_to(std::uint64_t heap_bytes) {
        std::uint64_t const wanted = std::bit_ceil(
            std::max(heap_bytes / std::bit_floor(std::uint64_t{Traits::smallest_bytes}), smallest_capacity));
        if (wanted <= slots_.size()) return;
        exec::buffer<Space, live_block> larger(space_, wanted);
        larger.fill_bytes(0);
        ref_type const to(larger.data(), wanted);
        if (slots_.size() != 0)
            launch(space_, cover_threads(space_, slots_.size()),
                   detail::move_live_blocks<ref_type>{ref(), to});
        slots_ = std::move(larger);
    }

private:
    static constexpr std::uint64_t smallest_capacity = 1024; ///< tests of unbounded heaps ask for tiny tables

    Space space_;
    exec::buffer<Space, live_block> slots_;
};

} // namespace rhizome::alloc
