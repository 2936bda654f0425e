// SPDX-License-Identifier: Apache-2.0
// The equations of the random-walk paper (Pham et al., Dynamic Buffer Management in Massively Parallel
// Systems: A Case on GPUs): how many steps a thread takes to find a free page.
//
// TAS: the average over all threads. WAS: the average over all warps of the most steps of a lane.
#pragma once

#include <cstdint>

namespace rhizome::bench {

/// N threads each request a page of a store of T pages, of which A are free before.
struct walk_numbers {
    double pages = 0;   ///< T
    double free = 0;    ///< A, at most T
    double threads = 0; ///< N, from 1 to A
};

/// Eq. 1: TAS of a queue, of which one thread at a time takes a page.
[[nodiscard]] double queue_tas(double threads);
/// Eq. 2: WAS of the same queue, if the lanes of a warp arrive at random places of it.
[[nodiscard]] double queue_was(double threads);

/// Eq. 3 in its exact form, T/N (H_A - H_(A-N)), which is finite for N = A; the paper puts logarithms in the
/// place of the harmonic numbers H. TAS of walks from page to page.
[[nodiscard]] double walk_tas(walk_numbers const& n);
/// Eq. 4: upper bound of WAS of walks from page to page; infinite for N = A.
[[nodiscard]] double walk_was_bound(walk_numbers const& n);

/// Eq. 5: TAS of walks that see `word_pages` pages at each step, if free pages lie at random places. Cost: N
/// powers.
[[nodiscard]] double bitmap_tas(walk_numbers const& n, std::uint32_t word_pages);
/// Eq. 6: upper bound of their WAS; infinite for N = A.
[[nodiscard]] double bitmap_was_bound(walk_numbers const& n, std::uint32_t word_pages);

/// Not of the paper. Eq. 5 and 6 assume that free pages stay at random places. But walks that choose words
/// use up those with few free pages first: a word serves no more requests than it has free pages. These two
/// count that; both are exact for many words if the requests come one after the other. bitmap_tas_by_words():
/// TAS of the same walks.
[[nodiscard]] double bitmap_tas_by_words(walk_numbers const& n, std::uint32_t word_pages);
/// Upper bound of their WAS: each walk meets used words as often as the last one.
[[nodiscard]] double bitmap_was_bound_by_words(walk_numbers const& n, std::uint32_t word_pages);

/// Eq. 8: the probability that the page after the last one of a thread is used, where A free pages form
/// `clusters` clusters.
[[nodiscard]] double cluster_end_probability(double free, double clusters);
/// Eq. 9: TAS of walks from page to page that try the page after the last one first.
[[nodiscard]] double clustered_tas(walk_numbers const& n, double clusters);

/// Section III-B3: the expected number of pairs of N threads that draw the same of so many places.
[[nodiscard]] double expected_collisions(double threads, double places);

/// The average of the largest of 32 numbers of trials, each with this probability of failure; the sum of Eq.
/// 4 and 6.
[[nodiscard]] double most_trials_of_warp(double failure);

} // namespace rhizome::bench
