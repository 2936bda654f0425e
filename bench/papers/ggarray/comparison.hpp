// SPDX-License-Identifier: Apache-2.0
// Table 2 of the GGArray paper, beside our cells.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <vector>

namespace rhizome::bench {

/// Of cells that double an array (run_doubling): the milliseconds of the last doubling, to 1.024e9 elements,
/// and the times of each structure over those of the static array.
[[nodiscard]] std::vector<comparison> compare_ggarray_table2(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
