// SPDX-License-Identifier: Apache-2.0
// Ratios that a paper states, beside those of our measurements.
#pragma once

#include <rhizome/bench/harness/cell.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rhizome::bench {

/// The mean of several ratios, and how far they lie apart. What is not known is left out.
struct ratio_range {
    std::optional<double> mean = {};
    std::optional<double> lowest = {};
    std::optional<double> highest = {};

    friend bool operator==(ratio_range const&, ratio_range const&) = default;
};

/// One statement of a paper.
struct comparison {
    std::string what; ///< "time of CUDA's allocator over that of page-based variants, 10,000 threads"
    ratio_range paper;
    ratio_range ours;       ///< empty where the cells for it were not measured
    std::size_t ratios = 0; ///< how many there are in `ours`
    std::string source;     ///< "section 6.1.1"
};

/// The mean and the range of these ratios; empty without any.
[[nodiscard]] ratio_range range_of(std::vector<double> const& ratios);

/// The median of a measure of a cell that is ok; nothing for others.
[[nodiscard]] std::optional<double> median_of(measured_cell const& from, std::string const& measure);

/// The cell's measure over that of another; nothing unless both are ok and above 0.
[[nodiscard]] std::optional<double> ratio_of(measured_cell const& over, measured_cell const& under,
                                             std::string const& measure);

/// For people: a line for each.
[[nodiscard]] std::string comparison_table(std::vector<comparison> const& comparisons);

} // namespace rhizome::bench
