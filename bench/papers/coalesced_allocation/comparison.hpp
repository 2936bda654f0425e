// SPDX-License-Identifier: Apache-2.0
// What the coalescing paper prints, beside our measurements. All ratios are CUDA's malloc over a variant, of
// cells that are alike otherwise, so that more is better.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <vector>

namespace rhizome::bench {

/// Figure 3: work of linear and quadratic. Also the most that a variant loses to its backing alone.
[[nodiscard]] std::vector<comparison> compare_coalescing_work(std::vector<measured_cell> const& cells);
/// Figure 4: allocating and freeing, of the cells with the linear pattern.
[[nodiscard]] std::vector<comparison> compare_coalescing_times(std::vector<measured_cell> const& cells);
/// Both.
[[nodiscard]] std::vector<comparison> compare_coalescing(std::vector<measured_cell> const& cells);
/// Figure 5.
[[nodiscard]] std::vector<comparison> compare_collectives(std::vector<measured_cell> const& cells);

/// Programs of several collectives, which the paper does not measure: the best variant, and all variants over
/// their backing alone.
[[nodiscard]] std::vector<comparison> compare_programs(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
