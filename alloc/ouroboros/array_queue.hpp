// A ring of page or chunk numbers in an array: the standard queue of papers/ouroboros, section 3.3.
//
// Invariants, while nothing runs:
//   back - front = semaphore.count = number of slots that are not empty
//   room + back - front = capacity
// A taker holds a permit, so the entry at its place is there or being written by a thread that has started; a
// giver holds room, so the entry at its place is gone or being taken by a thread that has started.
#pragma once

#include <rhizome/alloc/bulk_semaphore.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

struct array_queue_state {
    bulk_semaphore_state semaphore; ///< entries that can be taken
    std::uint64_t front;            ///< entries ever taken
    std::uint64_t back;             ///< entries ever given
    std::int64_t room;              ///< slots that can be given to
};

/// One shard's ring. The rings of all classes and shards lie interleaved in blocks of `block` slots, so that all of them
/// grow when the one array grows.
class array_queue_ref {
public:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};
    static constexpr std::uint64_t block = 32;

    RZ_HD array_queue_ref(array_queue_state& state, std::uint64_t* slots, std::uint64_t capacity,
                          std::uint32_t ring, std::uint32_t rings)
        : state_(&state), slots_(slots), capacity_(capacity), ring_(ring), rings_(rings) {}

    [[nodiscard]] RZ_HD bulk_semaphore_ref semaphore() const { return bulk_semaphore_ref(state_->semaphore); }

    /// The first of `permits` places, for a holder of that many permits.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take_places(Thread const& thread, std::uint32_t permits) const {
        std::uint64_t const place = thread.device(state_->front).fetch_add(permits, exec::order::relaxed);
        thread.device(state_->room).fetch_add(permits, exec::order::relaxed);
        return place;
    }
    /// The entry at a place from take_places.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take(Thread const& thread, std::uint64_t place) const {
        auto const slot = thread.device(slots_[slot_of(place)]);
        for (;;) {
            // acquire: pairs with give, so that the giver's use of the page comes first
            std::uint64_t const entry = slot.exchange(empty, exec::order::acquire);
            if (entry != empty) return entry;
            thread.relax();
        }
    }

    /// Room for up to `wanted` entries: how many.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t take_room(Thread const& thread, std::uint32_t wanted) const {
        auto const room = thread.device(state_->room);
        std::int64_t const held = room.fetch_sub(wanted, exec::order::relaxed);
        if (held >= wanted) return wanted;
        std::uint32_t const got = held <= 0 ? 0u : static_cast<std::uint32_t>(held);
        room.fetch_add(std::int64_t{wanted} - got, exec::order::relaxed);
        return got;
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t give_places(Thread const& thread, std::uint32_t entries) const {
        return thread.device(state_->back).fetch_add(entries, exec::order::relaxed);
    }
    /// Writes an entry at a place from give_places. The permits are given after it.
    template <class Thread>
    RZ_HD void give(Thread const& thread, std::uint64_t place, std::uint64_t entry) const {
        auto const slot = thread.device(slots_[slot_of(place)]);
        for (;;) {
            std::uint64_t expected = empty;
            // release: pairs with take
            if (slot.compare_exchange(expected, entry, exec::order::release)) return;
            thread.relax();
        }
    }

    [[nodiscard]] RZ_HD std::uint64_t slot_of(std::uint64_t place) const {
        std::uint64_t const within = place & (capacity_ - 1);
        return (within / block * rings_ + ring_) * block + within % block;
    }
    [[nodiscard]] RZ_HD std::uint64_t capacity() const { return capacity_; }
    [[nodiscard]] RZ_HD array_queue_state& state() const { return *state_; }
    [[nodiscard]] RZ_HD std::uint64_t* slots() const { return slots_; }

private:
    array_queue_state* state_;
    std::uint64_t* slots_;
    std::uint64_t capacity_; ///< a power of two, at least `block`
    std::uint32_t ring_;
    std::uint32_t rings_;
};

} // namespace rhizome::alloc
