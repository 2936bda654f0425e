// SPDX-License-Identifier: Apache-2.0
// What the random-walk paper states of its figures, beside our cells.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <vector>

namespace rhizome::bench {

/// Section II-C: Ouroboros without frees over the same with frees, by means; 4100 over 4096 bytes; 8192 over
/// 4100.
[[nodiscard]] std::vector<comparison> compare_walk_fig4(std::vector<measured_cell> const& cells);
/// Measured steps over Eq. 3 and 9.
[[nodiscard]] std::vector<comparison> compare_walk_fig10(std::vector<measured_cell> const& cells);
/// Section V-B1: Ouroboros over CoRW; measured TAS over Eq. 3 and 5, measured WAS over the bounds.
[[nodiscard]] std::vector<comparison> compare_walk_fig11(std::vector<measured_cell> const& cells);
/// Theorems 1 and 2: the ratios at the lowest share of free pages.
[[nodiscard]] std::vector<comparison> compare_walk_fig12(std::vector<measured_cell> const& cells);
/// Section V-B2: Ouroboros over RW_malloc.
[[nodiscard]] std::vector<comparison> compare_walk_fig13(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
