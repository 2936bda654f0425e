// SPDX-License-Identifier: Apache-2.0
// A ring of page or chunk numbers in an array: the standard queue of Ouroboros, section 3.3.
//
// Invariants: queue_state.hpp. When the ring is full, entries are spilled into marks of their chunks.
#pragma once

#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::alloc {

class array_queue_ref : public queue_counters {
public:
    /// Finding the slot of a place needs no lookup.
    struct window {};

    RZ_HD array_queue_ref(queue_state& state, ring_words const& slots)
        : queue_counters(state), slots_(slots) {}

    [[nodiscard]] static RZ_HD constexpr bool wants_room(std::int64_t) { return false; }
    template <class Thread>
    [[nodiscard]] static RZ_HD constexpr bool lacks_chunks(Thread const&) {
        return false;
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD bool make_room(Thread const&, Group const&, std::uint32_t, bool) const {
        return false;
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD window open_to_give(Thread const&, Group const&, std::uint64_t, std::uint32_t) const {
        return {};
    }
    template <class Thread, class Group>
    [[nodiscard]] RZ_HD window open_to_take(Thread const&, Group const&, std::uint64_t, std::uint32_t) const {
        return {};
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take(Thread const& thread, window const&, std::uint64_t place) const {
        return take_from(thread, slots_.at(place));
    }
    template <class Thread>
    RZ_HD void give(Thread const& thread, window const&, std::uint64_t place, std::uint64_t entry) const {
        give_to(thread, slots_.at(place), entry);
    }
    /// Called after the takes: makes room of their slots. A giver waits for a taker that is still at its
    /// slot.
    template <class Thread, class Group>
    RZ_HD void close(Thread const& thread, Group const& group, window const&, std::uint64_t,
                     std::uint32_t places) const {
        if (group.is_leader()) thread.device(state_->room).fetch_add(places, exec::order::relaxed);
    }

    [[nodiscard]] RZ_HD ring_words const& slots() const { return slots_; }

private:
    ring_words slots_;
};

/// The queue policy: one ring per shard, in memory of its own.
struct array_queue {
    static constexpr char const* name = "array";
    static constexpr bool is_virtual = false;
    static constexpr std::uint32_t small_page_words = 1;
    template <class Memory>
    [[nodiscard]] static RZ_HD array_queue_ref ref(queue_state& state, ring_words const& words,
                                                   Memory const&) {
        return {state, words};
    }
    /// Words of each of `rings` rings that together take 1/share of a heap.
    [[nodiscard]] static std::uint64_t words_for(std::uint64_t heap_bytes, std::uint64_t share,
                                                 std::uint64_t rings, std::uint64_t /*segment_words*/) {
        std::uint64_t const words = heap_bytes / share / sizeof(std::uint64_t) / rings;
        return std::bit_floor(words < ring_words::at_least ? ring_words::at_least : words);
    }
};

} // namespace rhizome::alloc
