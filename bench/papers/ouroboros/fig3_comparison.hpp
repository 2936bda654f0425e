// SPDX-License-Identifier: Apache-2.0
// What section 6.1 of the Ouroboros paper states of allocation, beside our cells.
#pragma once

#include <rhizome/bench/harness/comparison.hpp>

#include <vector>

namespace rhizome::bench {

/// Of cells of ouroboros-fig3: the time of CUDA's own allocator over those of Ouroboros, page-based and
/// chunk-based, with 10,000 and 100,000 threads.
[[nodiscard]] std::vector<comparison> compare_fig3(std::vector<measured_cell> const& cells);

} // namespace rhizome::bench
