// SPDX-License-Identifier: Apache-2.0
// The figures of the random-walk paper about single requests: steps of walks, beside the equations, and the
// latency of an atomic operation on one word. What is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/papers/random_walk/formulas.hpp>
#include <rhizome/bench/papers/random_walk/subject.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rhizome::bench {

/// What the threads of a launch took.
struct step_summary {
    double tas = 0;            ///< mean over threads
    double was = 0;            ///< mean over warps of 32 threads of the most
    std::uint64_t refused = 0; ///< threads without a page, which are in neither mean
};
[[nodiscard]] step_summary summarize_steps(std::vector<std::uint32_t> const& steps);

/// Opens a store of so many pages.
using open_walk =
    std::function<std::unique_ptr<walk_subject>(std::string const& search, std::uint64_t pages)>;

/// T, A and N of a cell with the choices pages, free (percent) and threads.
[[nodiscard]] walk_numbers walk_numbers_of(cell const& which);
/// Why the cell has no result: more threads than free pages. "": it has one.
[[nodiscard]] std::string too_many_threads(walk_numbers const& n);

/// Measures `tas` and `was` of a search, with free pages at random places; where there is an equation, also
/// `tas_formula` (Eq. 1, 3, 5) and `was_formula` (Eq. 2; the bounds Eq. 4 and 6); of bitmap also
/// `tas_by_words` and `was_by_words` (bitmap_tas_by_words() and the bound beside it). Each repetition has a
/// store of its own.
[[nodiscard]] std::vector<measure> measure_steps(open_walk const& open, std::string const& search,
                                                 cell const& which);

/// Figure 6, computed: `tas` and `was` of walks from page to page, `queue_tas` and `queue_was`.
[[nodiscard]] cell_result compute_fig6(cell const& which);
/// Figure 10: `tas` of walks from page to page (Eq. 3) and of clustered ones (Eq. 9), measured and by
/// formula. The cell has also `clusters`, in multiples of the free pages.
[[nodiscard]] cell_result run_fig10(open_walk const& open, cell const& which);
/// Figure 12: steps of walks from page to page over those of walks from word to word, measured and by
/// formula.
[[nodiscard]] cell_result run_fig12(open_walk const& open, cell const& which);
/// Figure 1: `latency`, nanoseconds of one operation, all threads making theirs one after the other. The cell
/// has `operation`, `operations` and `threads`.
[[nodiscard]] cell_result run_latency(latency_subject& subject, cell const& which);

} // namespace rhizome::bench
