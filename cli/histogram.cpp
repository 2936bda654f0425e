// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/histogram.hpp>
#include <rhizome/cli/text_columns.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace rhizome::cli {

std::vector<histogram_bin> even_bins(std::span<std::uint64_t const> counts, std::size_t most) {
    std::size_t const length = std::max<std::size_t>((counts.size() + most - 1) / most, 1);
    std::vector<histogram_bin> bins;
    for (std::size_t from = 0; from < counts.size(); from += length) {
        auto const part = counts.subspan(from, std::min(length, counts.size() - from));
        bins.push_back(
            {from, from + part.size() - 1, std::accumulate(part.begin(), part.end(), std::uint64_t{0})});
    }
    return bins;
}

std::vector<std::uint64_t> counts_of(std::span<std::uint32_t const> values, std::uint32_t left_out) {
    std::vector<std::uint64_t> counts;
    for (std::uint32_t const value : values) {
        if (value == left_out) continue;
        if (value >= counts.size()) counts.resize(std::size_t{value} + 1);
        ++counts[value];
    }
    return counts;
}

std::vector<histogram_bin> doubling_bins(std::span<std::uint64_t const> counts) {
    std::vector<histogram_bin> bins;
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
        bins.push_back({lowest_of_bin(bin), highest_of_bin(bin), counts[bin]});
    return bins;
}

std::string bars_text(std::span<histogram_bin const> bins, std::string_view number, std::string_view counted,
                      std::size_t indent) {
    if (bins.empty()) return "";
    auto const range = [](histogram_bin const& bin) {
        return bin.from == bin.to ? fmt::format("{}", bin.from) : fmt::format("{}-{}", bin.from, bin.to);
    };
    std::uint64_t fullest = 0;
    for (histogram_bin const& bin : bins)
        fullest = std::max(fullest, bin.count);
    std::size_t const range_width = std::max(range(bins.back()).size(), number.size());
    std::size_t const count_width = std::max(fmt::formatted_size("{}", fullest), counted.size());
    std::size_t const bar_width = text_columns - indent - range_width - count_width - 4;
    std::string text =
        fmt::format("{:{}}{:>{}}  {:>{}}\n", "", indent, number, range_width, counted, count_width);
    for (histogram_bin const& bin : bins) {
        double const share =
            static_cast<double>(bin.count) / static_cast<double>(std::max<std::uint64_t>(fullest, 1));
        auto length = static_cast<std::size_t>(share * static_cast<double>(bar_width) + 0.5);
        if (bin.count > 0) length = std::max<std::size_t>(length, 1);
        text +=
            fmt::format("{:{}}{:>{}}  {:>{}}", "", indent, range(bin), range_width, bin.count, count_width);
        text += length > 0 ? "  " + std::string(length, '#') + "\n" : "\n";
    }
    return text;
}

nlohmann::ordered_json to_json(std::span<histogram_bin const> bins, char const* counted) {
    auto list = nlohmann::ordered_json::array();
    for (histogram_bin const& bin : bins)
        list.push_back({{"from", bin.from}, {"to", bin.to}, {counted, bin.count}});
    return list;
}

} // namespace rhizome::cli
