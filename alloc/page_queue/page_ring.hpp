// SPDX-License-Identifier: Apache-2.0
// A ring of free pages that cannot overflow: it has a slot for each page that can ever be put into it.
//
// Invariants, while nothing runs:
//   back - front = count = number of slots that are not empty; these are the slots of places [front, back)
// While threads run: front <= permits taken <= permits given <= back, and all but `count` only grow. So a
// ring with front = back has no pages, and no thread is about to put one in.
//
// No thread waits for a lock. A taker holds a permit, so a thread that has started writes its slot. A giver
// holds a page that is in no slot, so at least one of the `capacity` places before its own was taken. Since
// front only grows, the place that shares its slot was taken with it, so a thread that has started empties
// that slot.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Words that threads share.
struct page_ring_state {
    std::int64_t count;  ///< permits; less while takers that found too few undo their subtraction
    std::uint64_t front; ///< places ever taken
    std::uint64_t back;  ///< places ever given
};

class page_ring_ref {
public:
    static constexpr std::uint32_t empty = ~std::uint32_t{0};

    /// capacity: a power of two, at least the number of pages of the shard.
    RZ_HD page_ring_ref(page_ring_state& state, std::uint32_t* slots, std::uint64_t capacity)
        : state_(&state), slots_(slots), capacity_(capacity) {}

    /// Consecutive places.
    struct places {
        std::uint64_t first;
        std::uint32_t count;
    };

    /// Up to `wanted` places to take from. Cost: a load and two atomics; only the load where there are no
    /// permits. Relaxed: a permit guarantees that a page is there; the slot carries the order.
    template <class Thread>
    [[nodiscard]] RZ_HD places take_places(Thread const& thread, std::uint32_t wanted) const {
        auto const count = thread.device(state_->count);
        if (count.load(exec::order::relaxed) <= 0) return {0, 0};
        std::int64_t const held = count.fetch_sub(wanted, exec::order::relaxed);
        std::uint32_t const got = held >= wanted ? wanted : held <= 0 ? 0u : static_cast<std::uint32_t>(held);
        if (got != wanted) count.fetch_add(std::int64_t{wanted} - got, exec::order::relaxed);
        if (got == 0) return {0, 0};
        // release: a thread that relies on this front finds the back that it cannot pass
        return {thread.device(state_->front).fetch_add(got, exec::order::release), got};
    }
    /// The page at a place from take_places.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t take(Thread const& thread, std::uint64_t place) const {
        auto const slot = thread.device(slot_of(place));
        for (;;) {
            // acquire: pairs with give, so that the former holder's use of the page happens before
            std::uint32_t const page = slot.exchange(empty, exec::order::acquire);
            if (page != empty) return page;
            thread.relax();
        }
    }

    /// The first of `pages` places to give to. Relaxed: the place itself carries no data.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t give_places(Thread const& thread, std::uint32_t pages) const {
        return thread.device(state_->back).fetch_add(pages, exec::order::relaxed);
    }
    /// Writes a page at a place from give_places; publish() follows.
    template <class Thread>
    RZ_HD void give(Thread const& thread, std::uint64_t place, std::uint32_t page) const {
        auto const slot = thread.device(slot_of(place));
        for (;;) {
            std::uint32_t expected = empty;
            // release: pairs with take
            if (slot.compare_exchange(expected, page, exec::order::release)) return;
            thread.relax();
        }
    }
    /// Gives the permits for pages that have been written. Relaxed: as take_places.
    template <class Thread>
    RZ_HD void publish(Thread const& thread, std::uint32_t pages) const {
        thread.device(state_->count).fetch_add(std::int64_t{pages}, exec::order::relaxed);
    }

    /// Whether there were permits a moment ago.
    template <class Thread>
    [[nodiscard]] RZ_HD bool has_permits(Thread const& thread) const {
        return thread.device(state_->count).load(exec::order::relaxed) > 0;
    }
    /// A lower bound of the places taken. acquire: pairs with take_places.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t taken(Thread const& thread) const {
        return thread.device(state_->front).load(exec::order::acquire);
    }
    /// Places given, perhaps not the newest value. relaxed: a hint.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t given(Thread const& thread) const {
        return thread.device(state_->back).load(exec::order::relaxed);
    }
    /// Places given, the newest value: a read-modify-write reads it. acq_rel: no earlier read moves behind
    /// it, and no later one before it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t given_now(Thread const& thread) const {
        return thread.device(state_->back).fetch_or(0, exec::order::acq_rel);
    }

    [[nodiscard]] RZ_HD std::uint32_t& slot_of(std::uint64_t place) const {
        return slots_[place & (capacity_ - 1)];
    }
    [[nodiscard]] RZ_HD page_ring_state& state() const { return *state_; }
    [[nodiscard]] RZ_HD std::uint64_t capacity() const { return capacity_; }

private:
    page_ring_state* state_;
    std::uint32_t* slots_;
    std::uint64_t capacity_;
};

} // namespace rhizome::alloc
