// SPDX-License-Identifier: Apache-2.0
// Histograms for people and for JSON: how many things have a number in each of some ranges.
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::cli {

/// `count` things have a number from `from` to `to`.
struct histogram_bin {
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    std::uint64_t count = 0;
};

/// Bins of equal length, at most `most` of them, for counts of the numbers 0, 1, 2, ...; the last bin may be
/// shorter. Precondition: most > 0.
[[nodiscard]] std::vector<histogram_bin> even_bins(std::span<std::uint64_t const> counts, std::size_t most);

/// How many of the values are 0, 1, 2, ... up to the largest. `left_out` is not counted.
[[nodiscard]] std::vector<std::uint64_t> counts_of(std::span<std::uint32_t const> values,
                                                   std::uint32_t left_out);

/// The bins of a histogram whose bin 0 counts the number 0, and bin k the numbers 2^(k-1) to 2^k - 1.
[[nodiscard]] std::vector<histogram_bin> doubling_bins(std::span<std::uint64_t const> counts);

/// The lowest number of bin k of doubling_bins().
[[nodiscard]] constexpr std::uint64_t lowest_of_bin(std::size_t bin) {
    return bin == 0 ? 0 : std::uint64_t{1} << (bin - 1);
}
/// The highest.
[[nodiscard]] constexpr std::uint64_t highest_of_bin(std::size_t bin) {
    return bin == 0 ? 0 : (std::uint64_t{1} << bin) - 1;
}

/// Draws the bins as bars of '#', one line each, `indent` spaces in front and at most text_columns wide,
/// below a line that says what the numbers and the `counted` things are. The longest bar is the fullest bin;
/// a bin that counts anything has a bar.
[[nodiscard]] std::string bars_text(std::span<histogram_bin const> bins, std::string_view number,
                                    std::string_view counted, std::size_t indent);

/// [{"from": 0, "to": 1, COUNTED: 5}, ...]
[[nodiscard]] nlohmann::ordered_json to_json(std::span<histogram_bin const> bins, char const* counted);

} // namespace rhizome::cli
