// SPDX-License-Identifier: Apache-2.0
// A semaphore whose permits are taken and given in bulk, and that elects a thread to fetch more.
//
// After the bulk semaphore of Ouroboros, section 3.4 (count, expected, reserved in one 64-bit word, 21 bits
// each, changed by compare-and-swap while short). Changed here: counters are 64 bits wide; the fast path is
// one fetch_sub that undoes itself; while short, one refiller is elected at a time, which brings enough for
// many threads; no thread waits on a word without bound.
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
    std::uint64_t elected; ///< 1: a thread is refilling
    std::uint64_t refills; ///< in progress and ever begun (motion.hpp)
};

class bulk_semaphore_ref {
public:
    RZ_HD explicit bulk_semaphore_ref(bulk_semaphore_state& state) : state_(&state) {}

    /// Takes up to `wanted` permits; returns how many. Never waits. Cost: a load and one atomic; only the
    /// load where there are no permits, so that refused threads do not hide permits from each other that are
    /// given meanwhile. Relaxed: a permit guarantees that an item exists; the item itself carries the order.
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

    /// The permits; less while takers that found too few undo their subtraction.
    template <class Thread>
    [[nodiscard]] RZ_HD std::int64_t permits(Thread const& thread) const {
        return thread.device(state_->count).load(exec::order::relaxed);
    }

    /// Tries to become the refiller, until dismiss(); whether the caller did. Never waits. acquire: pairs
    /// with dismiss(), so that the caller finds what the last refiller brought.
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

    /// The refills in progress.
    [[nodiscard]] RZ_HD motion_ref refills() const { return motion_ref(state_->refills); }

private:
    bulk_semaphore_state* state_;
};

} // namespace rhizome::alloc
