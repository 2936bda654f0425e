// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/comparison.hpp>
#include <rhizome/bench/harness/statistics.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace rhizome::bench {
namespace {

/// Three digits that count, without zeros at the end.
std::string number_text(double value) {
    int const digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
    std::string text = fmt::format("{:.{}f}", value, digits);
    if (digits == 0) return text;
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
}

/// "118 (11 to 412)"
std::string range_text(ratio_range const& range) {
    std::string text = range.mean ? number_text(*range.mean) : "";
    if (range.lowest && range.highest)
        text += fmt::format("{}({} to {})", text.empty() ? "" : " ", number_text(*range.lowest),
                            number_text(*range.highest));
    return text.empty() ? "-" : text;
}

} // namespace

ratio_range range_of(std::vector<double> const& ratios) {
    if (ratios.empty()) return {};
    auto const [lowest, highest] = std::minmax_element(ratios.begin(), ratios.end());
    double const sum = std::accumulate(ratios.begin(), ratios.end(), 0.0);
    return {sum / static_cast<double>(ratios.size()), *lowest, *highest};
}

std::optional<double> median_of(measured_cell const& from, std::string const& measure) {
    if (from.result.status != cell_status::ok) return std::nullopt;
    for (auto const& each : from.result.measures)
        if (each.name == measure && !each.samples.empty()) return summarize(each.samples).median;
    return std::nullopt;
}

std::optional<double> ratio_of(measured_cell const& over, measured_cell const& under,
                               std::string const& measure) {
    auto const dividend = median_of(over, measure);
    auto const divisor = median_of(under, measure);
    if (!dividend || !divisor || *dividend <= 0 || *divisor <= 0) return std::nullopt;
    return *dividend / *divisor;
}

std::string comparison_table(std::vector<comparison> const& comparisons) {
    std::size_t width = 5;
    for (comparison const& each : comparisons)
        width = std::max(width, each.what.size());
    std::string text =
        fmt::format("{:<{}}  {:<20} {:<24} {:>6}  {}\n", "ratio", width, "paper", "here", "of", "stated in");
    for (comparison const& each : comparisons)
        text += fmt::format("{:<{}}  {:<20} {:<24} {:>6}  {}\n", each.what, width, range_text(each.paper),
                            range_text(each.ours), each.ratios, each.source);
    return text;
}

} // namespace rhizome::bench
