// SPDX-License-Identifier: Apache-2.0
// Whether memory is in motion: taken from a place where all threads find it, and not yet in the place where
// they will find it again.
//
// A thread that finds no memory may rely on this only if nothing moved while it looked. Invariant: the low
// half = movers begun and not ended; the high half = movers ever begun (modulo 2^32).
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc {

class motion_ref {
public:
    RZ_HD explicit motion_ref(std::uint64_t& word) : word_(&word) {}

    /// Returns the new word. acquire: the caller finds what other movers have put down before.
    template <class Thread>
    RZ_HD std::uint64_t begin(Thread const& thread) const {
        return thread.device(*word_).fetch_add(one_begun + 1, exec::order::acquire) + one_begun + 1;
    }
    /// Begins several at once. relaxed: nothing was moved before.
    template <class Thread>
    RZ_HD void begin_many(Thread const& thread, std::uint64_t movers) const {
        thread.device(*word_).fetch_add((one_begun + 1) * movers, exec::order::relaxed);
    }
    template <class Thread>
    RZ_HD void end_many(Thread const& thread, std::uint64_t movers) const {
        // release: as end()
        thread.device(*word_).fetch_sub(movers, exec::order::release);
    }
    /// release: a thread that sees the mover gone finds what it has put down.
    template <class Thread>
    RZ_HD void end(Thread const& thread) const {
        thread.device(*word_).fetch_sub(1, exec::order::release);
    }
    /// If it is equal before and after a search, with no mover in progress, nothing moved meanwhile. acquire.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t read(Thread const& thread) const {
        return thread.device(*word_).load(exec::order::acquire);
    }
    /// The newest value: for the second of two reads. acq_rel: no earlier read moves behind it.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t read_now(Thread const& thread) const {
        return thread.device(*word_).fetch_or(0, exec::order::acq_rel);
    }
    /// How many movers are in progress.
    [[nodiscard]] static RZ_HD constexpr std::uint64_t movers(std::uint64_t word) { return word % one_begun; }

private:
    static constexpr std::uint64_t one_begun = std::uint64_t{1} << 32;

    std::uint64_t* word_;
};

} // namespace rhizome::alloc
