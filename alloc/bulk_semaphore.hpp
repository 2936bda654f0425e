// A semaphore that is taken and given in bulk, and that elects who fetches more.
//
// After the bulk semaphore of papers/ouroboros, section 3.4 (count, expected, reserved in one 64-bit word, 21
// bits each, changed by compare-and-swap while short). Changed here: counters are 64 bits wide; the fast path
// is one fetch_sub that undoes itself; and while short, a ticket counter elects one refiller for each
// refill's worth of demand without compare-and-swap, and nobody waits on the word without bound.
//
// Invariants: granted = sum of take() results; count = given - granted (while nothing runs);
//             in_flight = refills begun and not ended.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

struct bulk_semaphore_state {
    std::int64_t count;      ///< permits
    std::uint64_t demand;    ///< permits asked for while short, ever: the tickets that elect refillers
    std::uint64_t in_flight; ///< refills under way; refills ever begun, 32 bits further up
};

class bulk_semaphore_ref {
public:
    RZ_HD explicit bulk_semaphore_ref(bulk_semaphore_state& state) : state_(&state) {}

    /// Takes up to `wanted` permits; how many. Never waits. Cost: one atomic, two where it is short.
    /// Relaxed: permits promise that items are there; what carries an item carries the order.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t take(Thread const& thread, std::uint32_t wanted) const {
        auto const count = thread.device(state_->count);
        std::int64_t const held = count.fetch_sub(wanted, exec::order::relaxed);
        if (held >= wanted) return wanted;
        std::uint32_t const got = held <= 0 ? 0u : static_cast<std::uint32_t>(held);
        count.fetch_add(std::int64_t{wanted} - got, exec::order::relaxed);
        return got;
    }

    template <class Thread>
    RZ_HD void give(Thread const& thread, std::uint64_t permits) const {
        thread.device(state_->count).fetch_add(static_cast<std::int64_t>(permits), exec::order::relaxed);
    }

    /// Says that `wanted` permits are missing; how many refills of `refill` permits the caller is to make.
    /// Over all callers: one refill for each `refill` permits of demand. The first caller is always elected.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t elect(Thread const& thread, std::uint32_t wanted,
                                            std::uint32_t refill) const {
        std::uint64_t const ticket = thread.device(state_->demand).fetch_add(wanted, exec::order::relaxed);
        return static_cast<std::uint32_t>((ticket + wanted + refill - 1) / refill -
                                          (ticket + refill - 1) / refill);
    }

    template <class Thread>
    RZ_HD void begin_refill(Thread const& thread) const {
        thread.device(state_->in_flight).fetch_add(one_begun + 1, exec::order::relaxed);
    }
    /// release: whoever sees the refill ended sees its permits.
    template <class Thread>
    RZ_HD void end_refill(Thread const& thread) const {
        thread.device(state_->in_flight).fetch_sub(1, exec::order::release);
    }
    /// False: whatever refills had begun have given their permits (acquire, pairs with end_refill).
    template <class Thread>
    [[nodiscard]] RZ_HD bool refill_in_flight(Thread const& thread) const {
        return under_way(refills(thread));
    }
    /// The same as a word: where it is equal before and after a look and nothing was under way, nothing was
    /// moved while the caller looked.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t refills(Thread const& thread) const {
        return thread.device(state_->in_flight).load(exec::order::acquire);
    }
    [[nodiscard]] static RZ_HD constexpr bool under_way(std::uint64_t refills) {
        return refills % one_begun != 0;
    }

private:
    static constexpr std::uint64_t one_begun = std::uint64_t{1} << 32;

    bulk_semaphore_state* state_;
};

} // namespace rhizome::alloc
