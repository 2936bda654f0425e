// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/space/space_comparison.hpp>

#include <algorithm>
#include <string>

namespace rhizome::bench {
namespace {

/// The time of CUB over that of `method`, of cells with this distribution and share ("": any).
std::vector<double> over_method(std::vector<measured_cell> const& cells, std::string const& method,
                                std::string const& distribution, std::string const& selected) {
    std::vector<double> found;
    for (measured_cell const& cub : cells) {
        if (cub.cell.text("method") != "cub" || cub.cell.text("distribution") != distribution) continue;
        if (!selected.empty() && cub.cell.text("selected") != selected) continue;
        for (measured_cell const& other : cells) {
            cell wanted = cub.cell;
            wanted.set("method", method);
            if (other.cell != wanted) continue;
            if (auto const ratio = ratio_of(cub, other, "select")) found.push_back(*ratio);
        }
    }
    return found;
}

comparison stated(std::string what, double paper, std::vector<double> const& ours, std::string source) {
    return {std::move(what), {.mean = paper}, range_of(ours), ours.size(), std::move(source)};
}

/// The step-wise values of a measure; nullptr where the cell has none.
std::vector<double> const* curve_of(measured_cell const& of, std::string const& name) {
    if (of.result.status != cell_status::ok) return nullptr;
    for (measure const& each : of.result.measures)
        if (each.name == name && each.is_curve) return &each.samples;
    return nullptr;
}

/// For each percentage from `lowest` on: the longest over the shortest time of cells that agree in all but
/// `choice`, of the methods that `takes` accepts.
template <class Takes>
std::vector<double> worst_over_best(std::vector<measured_cell> const& cells, std::string const& choice,
                                    double lowest, Takes const& takes) {
    std::vector<double> found;
    std::vector<cell> done;
    for (measured_cell const& first : cells) {
        if (!takes(first.cell.text("method"))) continue;
        cell rest = first.cell;
        rest.set(choice, "");
        if (std::find(done.begin(), done.end(), rest) != done.end()) continue;
        done.push_back(rest);
        std::vector<std::vector<double> const*> members;
        for (measured_cell const& each : cells) {
            cell other = each.cell;
            other.set(choice, "");
            if (std::vector<double> const* curve = other == rest ? curve_of(each, "select") : nullptr)
                members.push_back(curve);
        }
        if (members.size() < 2) continue;
        std::vector<double> const percents = swept_percents(first.cell.count("percent-step"));
        for (std::size_t i = 0; i < percents.size(); ++i) {
            if (percents[i] < lowest) continue;
            double longest = 0;
            double shortest = 1e300;
            for (std::vector<double> const* each : members) {
                longest = std::max(longest, each->at(i));
                shortest = std::min(shortest, each->at(i));
            }
            if (shortest > 0) found.push_back(longest / shortest);
        }
    }
    return found;
}

} // namespace

std::vector<double> swept_percents(std::uint64_t step) {
    std::vector<double> percents;
    for (std::uint64_t percent = 1; percent <= 97; percent += step)
        percents.push_back(static_cast<double>(percent));
    return percents;
}

std::vector<comparison> compare_space_sweep(std::vector<measured_cell> const& cells) {
    auto const any = [](std::string const& method) { return method.starts_with("space-"); };
    auto const best_two = [](std::string const& method) {
        return method == "space-7" || method == "space-8";
    };
    char const* const source = "section 4.4, chunk sizes";
    auto const ours = [](std::string what, std::vector<double> const& ratios) {
        return comparison{std::move(what), {}, range_of(ratios), ratios.size(), "ours"};
    };
    return {
        stated("worst chunk size over best, all variants", 1.12, worst_over_best(cells, "chunk", 0, any),
               source),
        stated("the same, SPACE 7 and 8", 1.045, worst_over_best(cells, "chunk", 0, best_two), source),
        stated("the same, from 25 % on", 1.014, worst_over_best(cells, "chunk", 25, best_two), source),
        ours("worst launch shape over best, all variants", worst_over_best(cells, "block-threads", 0, any)),
        ours("the same, SPACE 7 and 8", worst_over_best(cells, "block-threads", 0, best_two)),
        ours("worst launch shape of the writing kernel over best, all variants",
             worst_over_best(cells, "write-threads", 0, any)),
        ours("worst number of streams over best, all variants", worst_over_best(cells, "streams", 0, any)),
    };
}

std::vector<comparison> compare_space_fig1(std::vector<measured_cell> const& cells) {
    char const* const source = "section 1, figure 1";
    return {
        stated("CUB over SPACE 8, uniform, 1 %", 3.55, over_method(cells, "space-8", "uniform", "1"), source),
        stated("CUB over SPACE 8, uniform, 97 %", 1.15, over_method(cells, "space-8", "uniform", "97"),
               source),
        stated("CUB over SPACE 8, one cluster, 1 %", 10.05, over_method(cells, "space-8", "clusters-1", "1"),
               source),
        stated("CUB over SPACE 8, one cluster, 97 %", 1.2, over_method(cells, "space-8", "clusters-1", "97"),
               source),
    };
}

std::vector<comparison> compare_space_fig6(std::vector<measured_cell> const& cells) {
    char const* const source = "section 4.4, figure 6";
    return {
        stated("CUB over SPACE 8, uniform, 10^-5 %", 10.40, over_method(cells, "space-8", "uniform", "1e-05"),
               source),
        stated("CUB over SPACE 7, one cluster, 10^-5 %", 12.02,
               over_method(cells, "space-7", "clusters-1", "1e-05"), source),
    };
}

} // namespace rhizome::bench
