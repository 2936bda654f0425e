// A semaphore that is taken and given in bulk, and that elects who fetches more.
//
// After the bulk semaphore of Ouroboros, section 3.4 (count, expected, reserved in one 64-bit word, 21
// bits each, changed by compare-and-swap while short). Changed here: counters are 64 bits wide; the fast path
// is one fetch_sub that undoes itself; and while short, one refiller is elected at a time, who brings enough
// for many, and nobody waits on a word without bound.
//
// Invariants: granted = sum of take() results; count = given - granted (while nothing runs).
#pragma once

#include <rhizome/alloc/motion.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

struct bulk_semaphore_state {
    std::int64_t count;    ///< permits
    std::uint64_t elected; ///< 1: somebody refills
    std::uint64_t refills; ///< under way and ever begun (motion.hpp)
};

class bulk_semaphore_ref {
public:
    RZ_HD explicit bulk_semaphore_ref(bulk_semaphore_state& state) : state_(&state) {}

    /// Takes up to `wanted` permits; how many. Never waits. Cost: a load and one atomic; the load alone where
    /// there is nothing, so that those who are refused do not hide from each other what is given meanwhile.
    /// Relaxed: permits promise that items are there; what carries an item carries the order.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t take(Thread const& thread, std::uint32_t wanted) const {
        auto const count = thread.device(state_->count);
        if (count.load(exec::order::relaxed) <= 0) return 0;
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

    /// Permits, or less while takers that found too few undo it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::int64_t permits(Thread const& thread) const {
        return thread.device(state_->count).load(exec::order::relaxed);
    }

    /// Whether the caller is the one who refills, until dismiss(). Never waits.
    /// acquire: pairs with dismiss(), so that what the last one brought is found.
    template <class Thread>
    [[nodiscard]] RZ_HD bool elect(Thread const& thread) const {
        auto const elected = thread.device(state_->elected);
        if (elected.load(exec::order::relaxed) != 0) return false;
        return elected.exchange(1, exec::order::acquire) == 0;
    }
    template <class Thread>
    RZ_HD void dismiss(Thread const& thread) const {
        thread.device(state_->elected).store(0, exec::order::release);
    }

    /// The refills that are under way.
    [[nodiscard]] RZ_HD motion_ref refills() const { return motion_ref(state_->refills); }

private:
    bulk_semaphore_state* state_;
};

} // namespace rhizome::alloc
