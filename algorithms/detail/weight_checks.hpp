// SPDX-License-Identifier: Apache-2.0
// Which weights PageRank takes.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::algorithms::detail {

/// False for weights that are negative, infinite or no numbers.
[[nodiscard]] RZ_HD inline bool is_rank_weight(double weight) {
    constexpr double largest = 0x1.fffffffffffffp1023;
    return weight >= 0 && weight <= largest;
}

/// Whether a rank can be divided by this sum of weights.
[[nodiscard]] RZ_HD inline bool divides_rank(double sum) { return sum >= 1e-300 && sum <= 1e300; }

/// Throws std::invalid_argument if some were refused. `weights`: weights that are none, counted per arc;
/// `sums`: sums that are not 0 and do not divide a rank, counted per vertex.
inline void expect_no_refused_weights(std::uint64_t weights, std::uint64_t sums) {
    if (weights != 0)
        throw std::invalid_argument("weighted pagerank: weights that are negative, infinite or no numbers: "
                                    "on " +
                                    std::to_string(weights) + " of the arcs");
    if (sums != 0)
        throw std::invalid_argument("weighted pagerank: the weights of the out-arcs of " +
                                    std::to_string(sums) +
                                    " vertices add up to less than 1e-300 or more than 1e300");
}

} // namespace rhizome::algorithms::detail
