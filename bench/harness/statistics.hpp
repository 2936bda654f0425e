// SPDX-License-Identifier: Apache-2.0
// What a list of samples comes to.
#pragma once

#include <cstdint>
#include <span>

namespace rhizome::bench {

struct statistics {
    std::uint64_t count = 0;
    double lowest = 0;
    double median = 0; ///< of an even number: the mean of the two in the middle
    double mean = 0;
    double highest = 0;
    double deviation = 0; ///< standard deviation of the sample (n - 1); 0 of a single one

    /// Deviation as a share of the mean; 0 where the mean is 0.
    [[nodiscard]] double variation() const { return mean == 0 ? 0 : deviation / mean; }
};

/// All zero for no samples.
[[nodiscard]] statistics summarize(std::span<double const> samples);

/// Pearson's coefficient of correlation of pairs (x[i], y[i]); 0 where all x or all y are equal.
/// Precondition: as many of both.
[[nodiscard]] double correlation(std::span<double const> x, std::span<double const> y);

/// The least sample that at least this share of all samples does not exceed: 0.99 for the 99th percentile.
/// Precondition: there are samples, and 0 < share <= 1.
[[nodiscard]] double percentile(std::span<double const> samples, double share);

} // namespace rhizome::bench
