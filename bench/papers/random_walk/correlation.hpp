// SPDX-License-Identifier: Apache-2.0
// Section III-B of the random-walk paper: whether steps tell the time of a launch, and how often threads
// collide.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>
#include <rhizome/bench/papers/random_walk/workloads.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::bench {

/// Pairs of threads that looked at the same place first.
struct collision_counts {
    std::uint64_t pairs = 0;
    std::uint64_t pairs_at_free = 0; ///< of places that were free
};
/// used: a bit per place, or empty: then no place counts as free.
[[nodiscard]] collision_counts count_collisions(std::vector<std::uint64_t> const& first_places,
                                                page_set const& used);

/// Launches in which each thread requests a page: of each `kernel`, its time, and the steps that it counted
/// itself, as `tas` and `was`. Of flag and bitmap also `collisions`, pairs of threads whose first steps go to
/// one page or word, beside `collisions_formula`; of flag `free_collisions`, those at a free page, beside
/// `free_collisions_formula`; and `lost`, how often another thread was first to take what a thread had seen
/// free, in all steps. The cell has `search`, `pages`, `free`, `threads`, `warm-up`, `repetitions`, `seed`.
[[nodiscard]] cell_result run_correlation(open_walk const& open, cell const& which);

/// Of each search: the correlation of TAS and of WAS with the time, over all launches of all cells, and
/// measured collisions over those of the formulas.
[[nodiscard]] std::vector<comparison> compare_walk_correlation(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
