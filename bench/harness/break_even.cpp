// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/break_even.hpp>
#include <rhizome/bench/harness/comparison.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace rhizome::bench {
namespace {

/// How many times as long as computing anew a repair takes.
struct size_and_ratio {
    double edges;
    double ratio;
};

/// Those of one break_even.
struct series {
    break_even found;
    std::vector<size_and_ratio> points;
};

constexpr std::string_view repair_suffix = "_repair";

void settle(series& of) {
    std::sort(of.points.begin(), of.points.end(),
              [](size_and_ratio a, size_and_ratio b) { return a.edges < b.edges; });
    of.found.repair_wins_at_first = of.points.front().ratio < 1;
    if (!of.found.repair_wins_at_first) return;
    for (std::size_t i = 1; i < of.points.size(); ++i) {
        auto const [low, low_ratio] = of.points[i - 1];
        auto const [high, high_ratio] = of.points[i];
        if (high_ratio < 1) continue;
        double const share = std::log(low_ratio) / (std::log(low_ratio) - std::log(high_ratio));
        of.found.edges = low * std::pow(high / low, share);
        return;
    }
}

/// Whether one of them has another value of this choice.
bool differs(std::string const& name, std::string const& value, std::vector<break_even> const& among) {
    return std::any_of(among.begin(), among.end(), [&](break_even const& each) {
        return std::any_of(each.choices.begin(), each.choices.end(), [&](auto const& choice) {
            return choice.first == name && choice.second != value;
        });
    });
}

} // namespace

std::vector<break_even> break_evens_of(std::vector<measured_cell> const& cells) {
    std::vector<series> all;
    for (measured_cell const& each : cells) {
        auto const anew = median_of(each, "anew");
        if (!anew || *anew <= 0 || !each.cell.has("edges")) continue;
        break_even of{each.cell.benchmark, each.cell.values, "", {}};
        std::erase_if(of.choices, [](auto const& choice) { return choice.first == "edges"; });
        for (measure const& time : each.result.measures) {
            if (!time.name.ends_with(repair_suffix)) continue;
            of.change = time.name.substr(0, time.name.size() - repair_suffix.size());
            auto const repair = median_of(each, time.name);
            if (!repair || *repair <= 0) continue;
            auto same = std::find_if(all.begin(), all.end(), [&](series const& one) {
                return one.found.benchmark == of.benchmark && one.found.choices == of.choices &&
                       one.found.change == of.change;
            });
            if (same == all.end()) same = all.insert(all.end(), {of, {}});
            same->points.push_back({static_cast<double>(each.cell.count("edges")), *repair / *anew});
        }
    }
    std::vector<break_even> found;
    for (series& each : all) {
        settle(each);
        found.push_back(std::move(each.found));
    }
    return found;
}

std::string break_even_text(std::vector<break_even> const& found) {
    std::string text;
    for (break_even const& each : found) {
        text += each.benchmark;
        for (auto const& [name, value] : each.choices)
            if (name == "graph" || name == "pattern" || differs(name, value, found)) text += " " + value;
        text += fmt::format(", {}: repairing takes ", each.change);
        text += each.edges ? fmt::format("less time below {:.0f} edges per batch\n", *each.edges)
                : each.repair_wins_at_first ? "less time at all sizes\n"
                                            : "longer already at the smallest size\n";
    }
    return text;
}

} // namespace rhizome::bench
