// SPDX-License-Identifier: Apache-2.0
// From which size of batches on it takes as long to follow a graph as to compute anew.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::bench {

/// Of cells that agree in all choices but `edges`.
struct break_even {
    std::string benchmark;
    std::vector<std::pair<std::string, std::string>> choices; ///< all but edges
    std::string change;                                       ///< "insert", "erase"
    /// Edges per batch at which a repair takes as long as computing anew, by medians; between two measured
    /// sizes on the line through both, of logarithms. Empty: one way takes less time at all sizes.
    std::optional<double> edges;
    bool repair_wins_at_first = false; ///< with the smallest batches a repair takes less time
};

/// Of all cells that are ok and have the measure `anew` and one whose name ends in `_repair`, in their order.
/// Only the first size counts from which on a repair takes longer.
[[nodiscard]] std::vector<break_even> break_evens_of(std::vector<measured_cell> const& cells);

/// For people: a line for each, with graph, pattern, and the choices in which they differ.
[[nodiscard]] std::string break_even_text(std::vector<break_even> const& found);

} // namespace rhizome::bench
