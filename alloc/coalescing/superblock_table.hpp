// SPDX-License-Identifier: Apache-2.0
// Which addresses lie in superblocks without headers, and where those superblocks begin: a table beside the
// heap.
//
// The table has a slot for each window of 1 KiB of memory. It stores two bits for each granule of 16 bytes of
// the window, and where the superblock begins that covers the first byte of the window. The holder of a live
// segment reads only bits of granules of its own superblock, which do not change while the segment is live.
//
// Windows of one heap have slots of their own, at their number modulo the capacity. Addresses of an allocator
// without one heap are hashed, with linear probing over at most `probes` slots. A slot stays with its window
// until trim(). A superblock for whose windows there are no slots goes back; its threads get blocks with
// headers.
//
// Invariants while no kernel runs, over all slots:
//   starts & ~covered = 0
//   for each start bit: 1 <= live <= segments of the superblock that begins there
//   number of covered bits = sum over the superblocks of bytes / 16
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::alloc {

/// The first bytes of each superblock of a static variant.
struct superblock_head {
    std::uint32_t live;     ///< segments that have not been given back
    std::uint32_t segments; ///< by_table only
    std::uint64_t
        bytes; ///< by_table: of the superblock, with this head. by_header: the first segment's header
};
static_assert(sizeof(superblock_head) == 16);

/// One slot of the table.
struct alignas(32) window_slot {
    std::uint64_t key;     ///< number of the window + 1; 0: the slot has no window
    std::uint64_t covered; ///< granules that belong to superblocks
    std::uint64_t starts;  ///< granules at which superblocks begin
    std::uint64_t reaches; ///< address of the superblock that covers the first byte and begins before it
};

/// The table inside kernels. Hashed: for allocators without one heap.
template <bool Hashed>
class superblock_table_ref {
public:
    static constexpr std::uint64_t window_bytes = 1024;
    static constexpr std::uint64_t granule_bytes = 16;
    static constexpr std::uint64_t probes = Hashed ? 64 : 1;

    superblock_table_ref() = default;
    superblock_table_ref(window_slot* slots, std::uint64_t capacity) : slots_(slots), capacity_(capacity) {}

    /// Enters a superblock of which no segment is handed out yet. Called by `size` threads with the ranks 0,
    /// ..., size - 1, which share its windows. Returns false to a thread that found no slot for one of its
    /// windows; remove() then undoes what the threads entered. Relaxed throughout: threads get segments after
    /// a sync with all entering threads.
    template <class Thread>
    [[nodiscard]] RZ_HD bool insert(Thread const& thread, std::byte* base, std::uint64_t bytes,
                                    std::uint32_t rank, std::uint32_t size) const {
        std::uint64_t const begin = reinterpret_cast<std::uintptr_t>(base);
        std::uint64_t const end = begin + bytes;
        bool entered = true;
        for (std::uint64_t window = begin / window_bytes + rank; window * window_bytes < end;
             window += size) {
            window_slot* const slot = reserve(thread, window);
            if (slot == nullptr) {
                entered = false;
                continue;
            }
            bool const begins = window == begin / window_bytes;
            if (!begins) thread.device(slot->reaches).store(begin, exec::order::relaxed);
            thread.device(slot->covered).fetch_or(granules(window, begin, end), exec::order::relaxed);
            if (begins) thread.device(slot->starts).fetch_or(bit_of(begin), exec::order::relaxed);
        }
        return entered;
    }

    /// Removes a superblock, before its memory is given back. Called by `size` threads with the ranks 0, ...,
    /// size - 1, which share its windows; one of them gives the memory back after a sync with the others.
    /// Returns false to a thread that found no slot for one of its windows: insert() had found none.
    template <class Thread>
    RZ_HD bool remove(Thread const& thread, std::byte* base, std::uint64_t bytes, std::uint32_t rank,
                      std::uint32_t size) const {
        std::uint64_t const begin = reinterpret_cast<std::uintptr_t>(base);
        std::uint64_t const end = begin + bytes;
        bool found = true;
        for (std::uint64_t window = begin / window_bytes + rank; window * window_bytes < end;
             window += size) {
            window_slot* const slot = find(thread, window);
            if (slot == nullptr) {
                found = false;
                continue;
            }
            // relaxed: the next holder of this memory gets it from the allocator underneath, which orders
            // accesses by the last holder before those by the next
            if (window == begin / window_bytes)
                thread.device(slot->starts).fetch_and(~bit_of(begin), exec::order::relaxed);
            thread.device(slot->covered).fetch_and(~granules(window, begin, end), exec::order::relaxed);
        }
        return found;
    }

    /// The superblock of a live segment; nullptr if the block at `pointer` has a header. Cost: four loads
    /// from one sector, which do not wait for each other. Relaxed: the caller got the segment from a thread
    /// that saw these words written.
    template <class Thread>
    [[nodiscard]] RZ_HD superblock_head* find_superblock(Thread const& thread, void const* pointer) const {
        std::uint64_t const address = reinterpret_cast<std::uintptr_t>(pointer);
        if (address % granule_bytes != 0) return nullptr; // segments without headers begin at granules
        std::uint64_t const window = address / window_bytes;
        std::uint64_t const bit = bit_of(address);
        for (std::uint64_t i = 0; i < probes; ++i) {
            window_slot& slot = slot_of(window, i);
            std::uint64_t const key = thread.device(slot.key).load(exec::order::relaxed);
            std::uint64_t const covered = thread.device(slot.covered).load(exec::order::relaxed);
            std::uint64_t const starts = thread.device(slot.starts).load(exec::order::relaxed);
            std::uint64_t const reaches = thread.device(slot.reaches).load(exec::order::relaxed);
            if (key == 0) return nullptr;
            if (key != window + 1) continue;
            if ((covered & bit) == 0) return nullptr;
            std::uint64_t const before = starts & (bit | (bit - 1));
            std::uint64_t const base =
                before == 0 ? reaches : window * window_bytes + (exec::bit_width(before) - 1) * granule_bytes;
            return reinterpret_cast<superblock_head*>(base);
        }
        return nullptr;
    }

    /// Finds a slot for a window, or gives it one; nullptr if all slots that it may have are taken.
    template <class Thread>
    [[nodiscard]] RZ_HD window_slot* reserve(Thread const& thread, std::uint64_t window) const {
        for (std::uint64_t i = 0; i < probes; ++i) {
            window_slot& slot = slot_of(window, i);
            auto const key = thread.device(slot.key);
            std::uint64_t held = key.load(exec::order::relaxed);
            if (held == 0 && key.compare_exchange(held, window + 1, exec::order::relaxed)) return &slot;
            if (held == window + 1) return &slot;
        }
        return nullptr;
    }
    template <class Thread>
    [[nodiscard]] RZ_HD window_slot* find(Thread const& thread, std::uint64_t window) const {
        for (std::uint64_t i = 0; i < probes; ++i) {
            window_slot& slot = slot_of(window, i);
            std::uint64_t const held = thread.device(slot.key).load(exec::order::relaxed);
            if (held == window + 1) return &slot;
            if (held == 0) return nullptr;
        }
        return nullptr;
    }

    /// For the owner, while no other kernel runs.
    [[nodiscard]] RZ_HD window_slot* slots() const { return slots_; }
    [[nodiscard]] RZ_HD std::uint64_t capacity() const { return capacity_; }

private:
    [[nodiscard]] static RZ_HD std::uint64_t bit_of(std::uint64_t address) {
        return std::uint64_t{1} << (address % window_bytes / granule_bytes);
    }
    /// The granules of a window that [begin, end) covers.
    [[nodiscard]] static RZ_HD std::uint64_t granules(std::uint64_t window, std::uint64_t begin,
                                                      std::uint64_t end) {
        std::uint64_t const first = window * window_bytes;
        std::uint64_t const from = begin > first ? (begin - first) / granule_bytes : 0;
        std::uint64_t const to = end - first < window_bytes ? (end - first) / granule_bytes : 64;
        return exec::bit_range(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to));
    }
    [[nodiscard]] RZ_HD window_slot& slot_of(std::uint64_t window, std::uint64_t step) const {
        // Fibonacci hashing spreads the windows of an allocator that takes memory here and there.
        std::uint64_t const start = Hashed ? window * 0x9e37'79b9'7f4a'7c15ull >> 20 : window;
        return slots_[(start + step) & (capacity_ - 1)];
    }

    window_slot* slots_ = nullptr;
    std::uint64_t capacity_ = 0; ///< a power of two
};

} // namespace rhizome::alloc
