// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/ouroboros/fig3_comparison.hpp>

#include <fmt/format.h>

#include <string>

namespace rhizome::bench {
namespace {

/// The time of CUDA's allocator over that of each variant whose name begins so, with as many threads: one
/// ratio per variant and size.
std::vector<double> ratios(std::vector<measured_cell> const& cells, std::string const& variants,
                           std::string const& threads) {
    std::vector<double> found;
    for (measured_cell const& cuda : cells) {
        if (cuda.cell.text("allocator") != "device-malloc" || cuda.cell.text("threads") != threads) continue;
        for (measured_cell const& ours : cells) {
            bool const same = ours.cell.text("threads") == threads &&
                              ours.cell.text("size") == cuda.cell.text("size") &&
                              ours.cell.text("space") == cuda.cell.text("space") &&
                              ours.cell.text("mode") == cuda.cell.text("mode");
            if (!same || !ours.cell.text("allocator").starts_with(variants)) continue;
            if (auto const ratio = ratio_of(cuda, ours, "alloc")) found.push_back(*ratio);
        }
    }
    return found;
}

} // namespace

std::vector<comparison> compare_fig3(std::vector<measured_cell> const& cells) {
    struct statement {
        char const* based;
        char const* threads;
        double paper;
    };
    std::vector<comparison> found;
    std::vector<double> all;
    for (statement const& each : {statement{"page", "10000", 163}, statement{"page", "100000", 274},
                                  statement{"chunk", "10000", 15}, statement{"chunk", "100000", 18}}) {
        std::vector<double> const own = ratios(cells, fmt::format("ouroboros-{}-", each.based), each.threads);
        all.insert(all.end(), own.begin(), own.end());
        found.push_back({fmt::format("allocating, CUDA's malloc over {}-based Ouroboros, {} threads",
                                     each.based, each.threads),
                         {.mean = each.paper},
                         range_of(own),
                         own.size(),
                         "6.1.1"});
    }
    found.push_back(
        {"all of these", {.mean = 118, .lowest = 11, .highest = 412}, range_of(all), all.size(), "abstract"});
    return found;
}

} // namespace rhizome::bench
