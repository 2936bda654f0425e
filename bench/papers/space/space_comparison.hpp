// SPDX-License-Identifier: Apache-2.0
// What the SPACE paper states of its variants against CUB, beside our cells.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::bench {

/// Abstract of section 1 and section 4.4: the time of CUB over that of variant 8, uniform and one cluster.
[[nodiscard]] std::vector<comparison> compare_space_fig1(std::vector<measured_cell> const& cells);
/// Section 4.4, very low percentages: the largest ratio of CUB over variants 7 and 8.
[[nodiscard]] std::vector<comparison> compare_space_fig6(std::vector<measured_cell> const& cells);

/// Section 4.4, chunk sizes: the time of the worst over that of the best, means over percentages; and the
/// same of launch shapes and streams, which the paper does not state. Of cells of space-sweep.
[[nodiscard]] std::vector<comparison> compare_space_sweep(std::vector<measured_cell> const& cells);

/// The percentages that a cell of space-sweep measures: 1, 1 + step, ... up to 97.
[[nodiscard]] std::vector<double> swept_percents(std::uint64_t step);

} // namespace rhizome::bench
