// SPDX-License-Identifier: Apache-2.0
// What the SPACE paper states of its variants against CUB, beside our cells.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <vector>

namespace rhizome::bench {

/// Abstract of section 1 and section 4.4: the time of CUB over that of variant 8, uniform and one cluster.
[[nodiscard]] std::vector<comparison> compare_space_fig1(std::vector<measured_cell> const& cells);
/// Section 4.4, very low percentages: the largest ratio of CUB over variants 7 and 8.
[[nodiscard]] std::vector<comparison> compare_space_fig6(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
