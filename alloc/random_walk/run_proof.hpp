// SPDX-License-Identifier: Apache-2.0
// Proving that there was no run of n free pages, by a group of lanes.
//
// Why a search may refuse. A pass reads every word and finds no run of n free pages; t is the moment at which
// it ends. Two more passes read the newest value of every word. If the sum of the times that pages were given
// back is the same in all three, no page was given back in between, since each count only grows. So every
// page that the first pass saw used was used at t, and there was no run. Pages that another thread had taken
// at t for a run in motion, and gave back later, are no excuse. That thread released the first word of its
// run with each other word that it took, and the second pass acquires them. So the third pass sees the run in
// motion in its first word, or that the count of a word has changed.
//
// A word counts modulo 2^26, and the sums have 64 bits. The sums are equal although pages were given back
// only if, between two passes of one proof, the counts of k > 0 words pass 2^26 and all words together are
// given back exactly k * 2^26 times. That cannot happen while each word has been given back less than 2^26
// times since the store was made.
#pragma once

#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc::detail {

/// How often pages of the caller's words were given back, each word modulo 2^26; moving: whether a run is in
/// motion that began in one. Reads the newest values of all words. All lanes of the group call it.
template <class Thread, class Group, class Order>
[[nodiscard]] RZ_HD std::uint64_t newest_times_given(Thread const& thread, Group const& group,
                                                     page_store_ref<run_marks> const& store, Order order,
                                                     bool& moving) {
    constexpr std::uint32_t updates = random_walk_tuning::proof_updates;
    std::uint64_t const words = store.words();
    // As in detail::proving_pass() of sweep.hpp: acq_rel and sync() keep the reads of the pass before apart
    // from those of this one.
    if (group.rank() < words)
        (void)run_marks::newest(thread, store.word_at(group.rank()), exec::order::acq_rel);
    group.sync();
    std::uint64_t given = 0;
    RZ_NO_UNROLL
    for (std::uint64_t done = 0; done < words; done += updates * group.size()) {
        run_marks::word bits[updates];
        thread.ordered_together(order, [&](auto each) {
            RZ_UNROLL
            for (std::uint32_t i = 0; i < updates; ++i) {
                std::uint64_t const word = done + std::uint64_t{i} * group.size() + group.rank();
                bits[i] = word < words ? run_marks::newest(thread, store.word_at(word), each) : 0;
            }
        });
        RZ_UNROLL
        for (std::uint32_t i = 0; i < updates; ++i) {
            moving = moving || run_marks::is_moving(bits[i]);
            given += run_marks::times_given(bits[i]);
        }
    }
    return given;
}

/// The second and the third pass: whether no page was given back since the first, and no run is in motion.
/// given: how often pages of the caller's words had been given back when the first pass read them.
template <class Thread, class Group>
[[nodiscard]] RZ_HD bool nothing_was_given(Thread const& thread, Group const& group,
                                           page_store_ref<run_marks> const& store, std::uint64_t given) {
    // The lanes of the passes read different words: only the sums are comparable.
    std::uint64_t const first = group.sum(given);
    bool moving = false;
    std::uint64_t const second = newest_times_given(thread, group, store, exec::order::acquire, moving);
    if (group.sum(second) != first) return false;
    moving = false;
    std::uint64_t const third = newest_times_given(thread, group, store, exec::order::relaxed, moving);
    return !group.any(moving) && group.sum(third) == first;
}

} // namespace rhizome::alloc::detail
