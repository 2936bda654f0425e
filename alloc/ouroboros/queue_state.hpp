// SPDX-License-Identifier: Apache-2.0
// The counters that a shard keeps of its queue, the same for every kind of queue.
#pragma once

#include <rhizome/alloc/bulk_semaphore.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// Invariants, while nothing runs:
///   back - front = semaphore.count = number of slots that are not empty
///   room + back - front = slots (array queue);  room + back = installed * slots per segment (virtualized)
struct queue_state {
    bulk_semaphore_state semaphore; ///< entries that can be taken
    std::uint64_t front;            ///< entries ever taken
    std::uint64_t back;             ///< entries ever given
    std::int64_t room;              ///< empty slots that can be filled

    // Virtualized queues only (virtual_queue.hpp).
    std::uint64_t installed; ///< segments ever added behind the last
    std::uint64_t retired;   ///< segments ever removed from the front
    std::uint64_t head;      ///< linked queue: index << 32 | segment retired next + 1
    std::uint64_t give_hint; ///< linked queue: the same for a segment that was recently filled
    std::uint64_t take_hint; ///< linked queue: the same for a segment that was recently taken from
    std::uint64_t tail;      ///< segment added last
    std::uint64_t kept;      ///< 1: a thread is adding or removing segments
};

/// Permits and room of a queue: only counters, the same for every kind of queue.
class queue_counters {
public:
    static constexpr std::uint64_t empty = ~std::uint64_t{0};

    RZ_HD explicit queue_counters(queue_state& state) : state_(&state) {}

    [[nodiscard]] RZ_HD bulk_semaphore_ref semaphore() const { return bulk_semaphore_ref(state_->semaphore); }
    [[nodiscard]] RZ_HD queue_state& state() const { return *state_; }

    /// The first of `permits` places to take from; the caller holds that many permits.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t take_places(Thread const& thread, std::uint32_t permits) const {
        return thread.device(state_->front).fetch_add(permits, exec::order::relaxed);
    }
    /// Takes room for up to `wanted` entries; returns for how many. `left`: room that remains.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t take_room(Thread const& thread, std::uint32_t wanted,
                                                std::int64_t& left) const {
        auto const room = thread.device(state_->room);
        left = room.load(exec::order::relaxed);
        if (left <= 0) return 0;
        std::int64_t const held = room.fetch_sub(wanted, exec::order::relaxed);
        left = held - wanted;
        if (held >= wanted) return wanted;
        std::uint32_t const got = held <= 0 ? 0u : static_cast<std::uint32_t>(held);
        room.fetch_add(std::int64_t{wanted} - got, exec::order::relaxed);
        left = 0;
        return got;
    }
    /// The first of `entries` places to give to; the caller holds that much room.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t give_places(Thread const& thread, std::uint32_t entries) const {
        return thread.device(state_->back).fetch_add(entries, exec::order::relaxed);
    }

protected:
    /// The entry in a slot; the caller holds the place. The entry is there, or a thread that has started is
    /// writing it.
    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint64_t take_from(Thread const& thread, std::uint64_t& word) {
        auto const slot = thread.device(word);
        for (;;) {
            // acquire: pairs with give_to, so that the giver's use of the page happens before
            std::uint64_t const entry = slot.exchange(empty, exec::order::acquire);
            if (entry != empty) return entry;
            thread.relax();
        }
    }
    /// Writes an entry. The previous entry of the slot is gone, or a thread that has started is taking it.
    template <class Thread>
    static RZ_HD void give_to(Thread const& thread, std::uint64_t& word, std::uint64_t entry) {
        auto const slot = thread.device(word);
        for (;;) {
            std::uint64_t expected = empty;
            // release: pairs with take_from
            if (slot.compare_exchange(expected, entry, exec::order::release)) return;
            thread.relax();
        }
    }

    queue_state* state_;
};

/// The words of one ring: place k is word k modulo their number.
class ring_words {
public:
    static constexpr std::uint64_t at_least = 32;

    RZ_HD ring_words(std::uint64_t* words, std::uint64_t count) : words_(words), count_(count) {}

    [[nodiscard]] RZ_HD std::uint64_t& at(std::uint64_t place) const { return words_[place & (count_ - 1)]; }
    [[nodiscard]] RZ_HD std::uint64_t count() const { return count_; }

private:
    std::uint64_t* words_;
    std::uint64_t count_; ///< a power of two; 0 where the queue needs none
};

} // namespace rhizome::alloc
