// SPDX-License-Identifier: Apache-2.0
// Proving that there was no run of n free pages, by a group of lanes.
//
// Why a search may refuse. A first pass looks at each word and at its group, and finds no run of n free
// pages; t is the moment at which it ends. Two more passes read the newest values of all words and groups.
// Pages become free in three ways: a thread gives words back in a group, gives pages back in a word, or
// splits a word, whose other pages looked used since the group's bit was set. The thread counts each in the
// same atomic that does it. Each pass adds all counts up, that of a group once for each of its words, whose
// looks read the group's bit. If the three sums are equal, no page became free between the passes, since no
// count falls. So every page that the first pass saw used was used at t, and there was no run.
//
// Some pages look used at t although no request holds them, or only for a moment. None is overlooked:
// - Pages of a run in motion, which the thread may give back. Each word and group of the run says that
//   it is in motion. The first pass sees this, and the search is disturbed.
// - The other pages of a word that a thread is splitting, and the rest of the last word of a run. The
//   group is in motion until the word is split. If the first pass read the group after that, and the
//   word before it was split, the second pass acquires the end of the motion, and the third sees the
//   count of the split word.
// - The other pages of a word that a thread is joining. The first pass sees a split word without used
//   pages, or one that is being joined, and the search is disturbed. If it saw the word joined and its
//   bit still set, the second pass acquires the end of the joining, and the third sees the count of the
//   group.
//
// A word counts modulo 2^24, and the sums have 64 bits. The sums are equal although pages became free only
// if, between two passes of one proof, the counts of some words or groups pass 2^24, and the others grow by
// exactly as much. That cannot happen while each count is below 2^24.
#pragma once

#include <rhizome/alloc/random_walk/run_marks.hpp>
#include <rhizome/alloc/random_walk/run_store.hpp>
#include <rhizome/alloc/random_walk/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::alloc::detail {

/// Adds how often pages were given back, of the caller's among `count` neighbouring words or groups, each
/// modulo 2^24 and `weight(place)` times; moving: whether one of them is_moving(). Reads the newest values.
/// All lanes of the group call it.
template <class Thread, class Group, class Order, class Weight>
[[nodiscard]] RZ_HD std::uint64_t newest_times_given(Thread const& thread, Group const& group,
                                                     run_marks::word* places, std::uint64_t count,
                                                     Order order, bool& moving, Weight weight) {
    constexpr std::uint32_t updates = random_walk_tuning::proof_updates;
    std::uint64_t given = 0;
    RZ_NO_UNROLL
    for (std::uint64_t done = 0; done < count; done += updates * group.size()) {
        std::uint64_t const first = done + group.rank();
        run_marks::word bits[updates];
        thread.ordered_together(order, [&](auto each) {
            RZ_UNROLL
            for (std::uint32_t i = 0; i < updates; ++i) {
                std::uint64_t const place = first + std::uint64_t{i} * group.size();
                bits[i] = place < count ? run_marks::newest(thread, places[place], each) : 0;
            }
        });
        RZ_UNROLL
        for (std::uint32_t i = 0; i < updates; ++i) {
            moving = moving || run_marks::is_moving(bits[i]);
            given += run_marks::times_given(bits[i]) * weight(first + std::uint64_t{i} * group.size());
        }
    }
    return given;
}
/// The same of all words and groups of the store, as the first pass adds them: a group with each of its
/// words.
template <class Thread, class Group, class Order>
[[nodiscard]] RZ_HD std::uint64_t newest_times_given(Thread const& thread, Group const& group,
                                                     run_store_ref const& store, Order order, bool& moving) {
    std::uint64_t const words = store.words();
    // As in detail::proving_pass() of sweep.hpp: acq_rel and sync() keep the reads of the pass before apart
    // from those of this one.
    if (group.rank() < words)
        (void)run_marks::newest(thread, store.word_at(group.rank()), exec::order::acq_rel);
    group.sync();
    std::uint64_t const of_groups =
        newest_times_given(thread, group, &store.group_at(0), store.groups(), order, moving,
                           [words](std::uint64_t place) -> std::uint64_t {
                               constexpr std::uint32_t most = run_marks::words_per_group;
                               std::uint64_t const first = place * most;
                               return first >= words ? 0 : words - first < most ? words - first : most;
                           });
    return of_groups + newest_times_given(thread, group, &store.word_at(0), words, order, moving,
                                          [](std::uint64_t) -> std::uint64_t { return 1; });
}

/// The second and the third pass: whether no page was given back since the first, and nothing is in motion.
/// given: how often pages of the caller's words had been given back when the first pass read them.
template <class Thread, class Group>
[[nodiscard]] RZ_HD bool nothing_was_given(Thread const& thread, Group const& group,
                                           run_store_ref const& store, std::uint64_t given) {
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
