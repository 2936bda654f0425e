// SPDX-License-Identifier: Apache-2.0
// The virtualized array-hierarchy queue (VAQ) of Ouroboros, section 5.1: a small array names the segments.
// Slot k modulo the size of the array names segment k.
//
// Invariant, while nothing runs: for retired <= k < installed, word k = k << 32 | chunk of segment k.
#pragma once

#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/virtual_queue.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::alloc {

template <class Table>
class segment_directory {
public:
    RZ_HD segment_directory(queue_state& state, ring_words const& words, Table const& table,
                            std::uint32_t ring)
        : state_(&state), words_(words), table_(table), ring_(ring) {}

    template <class Thread, class Group>
    RZ_HD void append(Thread const& thread, Group const& group, std::uint64_t index, std::uint32_t chunks,
                      std::uint64_t chunk, std::uint64_t) const {
        if (group.rank() >= chunks) return;
        thread.device(table_.link(chunk))
            .store(segment_name::of(ring_, index + group.rank()), exec::order::relaxed);
        // release: pairs with find, so that the thread that finds the segment sees its slots empty
        thread.device(words_.at(index + group.rank()))
            .store(named(index + group.rank(), chunk), exec::order::release);
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD used_up_segments used_up(Thread const& thread, Group const& group,
                                                 std::uint64_t first, std::uint32_t most,
                                                 std::uint32_t slots) const {
        used_up_segments found{0, 0};
        bool is_used_up = false;
        if (group.rank() < most) {
            found.chunk = find(thread, first + group.rank(), false);
            // acquire: every take happens before the segment's next use
            is_used_up = thread.device(table_.listed(found.chunk)).load(exec::order::acquire) == slots;
        }
        found.segments = exec::countr_one(group.ballot(is_used_up)); // the number of consecutive ones
        return found;
    }

    /// The chunk of a segment; the caller has a place in it. The segment was appended before the place was
    /// given out and stays until the place is taken.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t find(Thread const& thread, std::uint64_t index, bool) const {
        auto const word = thread.device(words_.at(index));
        for (;;) {
            std::uint64_t const seen = word.load(exec::order::acquire);
            if ((seen ^ named(index, 0)) >> 32 == 0) return seen & 0xffff'ffff;
            thread.relax();
        }
    }
    template <class Thread>
    RZ_HD void found(Thread const&, std::uint64_t, std::uint64_t, bool) const {}

    [[nodiscard]] RZ_HD std::uint64_t at_most() const {
        constexpr std::uint64_t named = std::uint64_t{1} << (segment_name::index_bits - 1);
        return words_.count() < named ? words_.count() : named;
    }

    // For audits, while no other kernel runs.

    /// Whether the array names the segment.
    [[nodiscard]] RZ_HD bool names(std::uint64_t index, std::uint64_t chunk) const {
        return words_.at(index) == named(index, chunk);
    }
    [[nodiscard]] RZ_HD std::uint64_t reachable(std::uint64_t) const {
        return state_->installed - state_->retired; // names() checks each
    }

private:
    [[nodiscard]] static RZ_HD constexpr std::uint64_t named(std::uint64_t index, std::uint64_t chunk) {
        return index << 32 | chunk;
    }

    queue_state* state_;
    ring_words words_;
    Table table_;
    std::uint32_t ring_;
};

/// The queue policy: entries lie in chunks of the heap, which an array per shard names.
struct virtual_array_queue {
    static constexpr char const* name = "virtual_array";
    static constexpr bool is_virtual = true;
    /// The smallest pages are the most numerous: the entries of a heap of 16-byte pages take half its size.
    static constexpr std::uint32_t small_page_words = 8;

    template <class Memory>
    [[nodiscard]] static RZ_HD virtual_queue_ref<segment_directory<decltype(Memory::table)>, Memory>
    ref(queue_state& state, ring_words const& words, Memory const& memory) {
        return {state, segment_directory(state, words, memory.table, memory.ring), memory};
    }
    /// Mostly one class has most pages: four times an even part of `16 / share` of the heap.
    [[nodiscard]] static std::uint64_t words_for(std::uint64_t heap_bytes, std::uint64_t share,
                                                 std::uint64_t rings, std::uint64_t segment_slots) {
        std::uint64_t const slots = heap_bytes / share / sizeof(std::uint64_t) * 16;
        std::uint64_t const words = slots / segment_slots * 4 / rings;
        return std::bit_floor(words < ring_words::at_least ? ring_words::at_least : words);
    }
};

} // namespace rhizome::alloc
