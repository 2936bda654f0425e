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

} // namespace

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
