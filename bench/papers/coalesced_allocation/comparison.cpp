// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/coalesced_allocation/comparison.hpp>
#include <rhizome/bench/papers/coalesced_allocation/subject.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace rhizome::bench {
namespace {

constexpr std::array<char const*, 4> printed_floats{"100", "200", "300", "400"};
constexpr char const* cuda_malloc_name = "device-malloc";

/// A row of a table of the paper, for printed_floats.
struct printed_row {
    char const* variant;
    std::array<double, 4> values;
};
constexpr std::array<printed_row, 4> linear_speedups{{{"block-header", {0.13, 0.26, 0.32, 0.35}},
                                                      {"block-table", {0.18, 0.42, 0.70, 0.86}},
                                                      {"warp-header", {2.44, 3.81, 3.77, 3.46}},
                                                      {"warp-table", {1.40, 2.66, 3.07, 3.18}}}};
constexpr std::array<printed_row, 4> quadratic_speedups{{{"block-header", {0.38, 0.64, 0.78, 0.88}},
                                                         {"block-table", {0.91, 1.70, 2.06, 2.18}},
                                                         {"warp-header", {0.79, 0.77, 0.82, 0.99}},
                                                         {"warp-table", {1.20, 2.27, 2.09, 2.21}}}};
constexpr std::array<double, 4> malloc_allocate_ms{10.37, 57.30, 294.74, 296.95};
constexpr std::array<double, 4> malloc_free_ms{0.06, 0.10, 0.57, 0.79};
constexpr std::array<printed_row, 4> printed_allocate_ms{{{"block-header", {0.13, 0.20, 0.32, 0.35}},
                                                          {"block-table", {1.62, 1.63, 1.63, 1.61}},
                                                          {"warp-header", {1.09, 2.11, 7.28, 7.49}},
                                                          {"warp-table", {2.55, 4.49, 10.34, 9.01}}}};
constexpr std::array<printed_row, 4> printed_free_ms{{{"block-header", {0.01, 0.01, 0.02, 0.02}},
                                                      {"block-table", {0.07, 0.08, 0.08, 0.07}},
                                                      {"warp-header", {0.08, 0.15, 0.47, 0.46}},
                                                      {"warp-table", {0.86, 1.63, 1.27, 1.56}}}};

using cells_t = std::vector<measured_cell>;

/// The cell that is like another one, but for its allocator.
measured_cell const* with_allocator(cells_t const& cells, cell const& like, std::string const& allocator) {
    cell wanted = like;
    wanted.set("allocator", allocator);
    auto const found =
        std::find_if(cells.begin(), cells.end(), [&](auto const& each) { return each.cell == wanted; });
    return found == cells.end() ? nullptr : &*found;
}

/// CUDA's malloc over an allocator, by one measure.
std::optional<double> speedup_of(cells_t const& cells, measured_cell const& base,
                                 std::string const& allocator, std::string const& measure) {
    measured_cell const* const other = with_allocator(cells, base.cell, allocator);
    return other == nullptr ? std::nullopt : ratio_of(base, *other, measure);
}
/// The highest among all variants over all backings, and whose it is.
std::pair<double, std::string> best_speedup(cells_t const& cells, measured_cell const& base,
                                            std::string const& measure) {
    std::pair<double, std::string> best{0, ""};
    for (std::string const& allocator : coalescing_allocators()) {
        if (split_allocator(allocator).variant.empty()) continue;
        auto const speedup = speedup_of(cells, base, allocator, measure);
        if (speedup && *speedup > best.first) best = {*speedup, allocator};
    }
    return best;
}

comparison one_ratio(std::string what, std::optional<double> paper, std::optional<double> ours,
                     char const* source) {
    comparison line{std::move(what), {.mean = paper}, {.mean = ours}, ours ? 1u : 0u, source};
    return line;
}

/// The lines of a table: each variant over CUDA's malloc as in the paper, tables also without padding, and
/// over the default allocator.
void add_table(std::vector<comparison>& lines, cells_t const& cells, measured_cell const& base,
               std::string const& what, std::string const& measure, std::array<printed_row, 4> const& table,
               std::array<double, 4> const* divided_by_rows, char const* source) {
    auto const column = static_cast<std::size_t>(
        std::find(printed_floats.begin(), printed_floats.end(), base.cell.text("floats")) -
        printed_floats.begin());
    if (column == printed_floats.size()) return;
    std::string const setting = fmt::format("{}, {} floats, {} x {} threads", what, base.cell.text("floats"),
                                            base.cell.text("blocks"), base.cell.text("block-threads"));
    double best = 0;
    for (printed_row const& row : table) {
        double const paper = divided_by_rows == nullptr ? row.values.at(column)
                                                        : divided_by_rows->at(column) / row.values.at(column);
        best = std::max(best, paper);
        for (char const* backing : {"-device-malloc", ""})
            if (auto const ours =
                    speedup_of(cells, base, fmt::format("coalescing-{}{}", row.variant, backing), measure))
                lines.push_back(one_ratio(
                    fmt::format("{}: {}{}", setting, row.variant, *backing == 0 ? " over Ouroboros" : ""),
                    paper, ours, source));
        std::string dense = row.variant;
        if (auto const table_at = dense.find("-table"); table_at != std::string::npos) {
            dense.replace(table_at, std::string::npos, "-dense");
            if (auto const ours =
                    speedup_of(cells, base, fmt::format("coalescing-{}-device-malloc", dense), measure))
                lines.push_back(one_ratio(fmt::format("{}: {} without padding", setting, row.variant), paper,
                                          ours, source));
        }
    }
    auto const [speedup, allocator] = best_speedup(cells, base, measure);
    if (!allocator.empty())
        lines.push_back(one_ratio(fmt::format("{}: best, {}", setting, allocator), best, speedup, source));
}

/// A measure of each variant over that of its backing alone.
std::vector<double> over_backing(cells_t const& cells, std::string const& backing,
                                 std::string const& measure) {
    std::vector<double> found;
    for (measured_cell const& each : cells) {
        split_name const name = split_allocator(each.cell.text("allocator"));
        if (name.variant.empty() || name.backing != backing) continue;
        measured_cell const* const alone = with_allocator(cells, each.cell, backing);
        if (alone == nullptr) continue;
        if (auto const ratio = ratio_of(each, *alone, measure)) found.push_back(*ratio);
    }
    return found;
}
void add_over_backings(std::vector<comparison>& lines, cells_t const& cells,
                       std::vector<std::string> const& measures) {
    for (std::string const& measure : measures)
        for (std::string const backing :
             {"device-malloc", "ouroboros-page-virtual-array", "random-walk-malloc"}) {
            std::vector<double> const own = over_backing(cells, backing, measure);
            if (own.empty()) continue;
            lines.push_back({fmt::format("{}, variants over {} alone", measure, backing),
                             {},
                             range_of(own),
                             own.size(),
                             "ours"});
        }
}

} // namespace

std::vector<comparison> compare_coalescing_work(std::vector<measured_cell> const& cells) {
    std::vector<comparison> lines;
    for (measured_cell const& base : cells) {
        if (base.cell.text("allocator") != cuda_malloc_name) continue;
        std::string const& pattern = base.cell.text("pattern");
        if (pattern == "linear" || pattern == "quadratic")
            add_table(lines, cells, base, pattern, "work",
                      pattern == "linear" ? linear_speedups : quadratic_speedups, nullptr, "figure 3");
    }
    for (measured_cell const& base : cells) {
        if (base.cell.text("allocator") != cuda_malloc_name) continue;
        auto const [speedup, allocator] = best_speedup(cells, base, "work_launch");
        if (!allocator.empty())
            lines.push_back(
                one_ratio(fmt::format("a launch that works, {}, {} floats: best, {}",
                                      base.cell.text("pattern"), base.cell.text("floats"), allocator),
                          std::nullopt, speedup, "ours"));
    }
    add_over_backings(lines, cells, {"work", "work_launch", "lines", "footprint"});
    return lines;
}

std::vector<comparison> compare_coalescing_times(std::vector<measured_cell> const& cells) {
    std::vector<comparison> lines;
    for (measured_cell const& base : cells) {
        if (base.cell.text("allocator") != cuda_malloc_name || base.cell.text("pattern") != "linear")
            continue;
        add_table(lines, cells, base, "allocating", "alloc", printed_allocate_ms, &malloc_allocate_ms,
                  "figure 4");
        add_table(lines, cells, base, "freeing", "free", printed_free_ms, &malloc_free_ms, "figure 4");
        auto const [speedup, allocator] = best_speedup(cells, base, "alloc_launch");
        if (!allocator.empty())
            lines.push_back(one_ratio(fmt::format("a launch that allocates, {} floats: best, {}",
                                                  base.cell.text("floats"), allocator),
                                      std::nullopt, speedup, "ours"));
    }
    add_over_backings(lines, cells, {"alloc", "alloc_launch", "free_launch"});
    return lines;
}

std::vector<comparison> compare_coalescing(std::vector<measured_cell> const& cells) {
    std::vector<comparison> lines = compare_coalescing_work(cells);
    std::vector<comparison> const times = compare_coalescing_times(cells);
    lines.insert(lines.end(), times.begin(), times.end());
    return lines;
}

std::vector<comparison> compare_collectives(std::vector<measured_cell> const& cells) {
    struct printed {
        char const* variant;
        double reduce, broadcast, all_to_all;
    };
    // The paper does not say which of its variants these are.
    constexpr std::array<printed, 2> table{{{"table", 0.95, 1.05, 4.41}, {"header", 0.93, 1.02, 4.39}}};
    std::vector<comparison> lines;
    for (measured_cell const& base : cells) {
        if (base.cell.text("allocator") != cuda_malloc_name) continue;
        std::string const& name = base.cell.text("collective");
        for (printed const& row : table)
            for (char const* backing : {"-device-malloc", ""}) {
                std::vector<double> own;
                for (char const* scope : {"block", "warp"})
                    if (auto const ratio = speedup_of(
                            cells, base, fmt::format("coalescing-{}-{}{}", scope, row.variant, backing),
                            "operation"))
                        own.push_back(*ratio);
                std::optional<double> paper;
                if (name == "reduce") paper = row.reduce;
                if (name == "broadcast") paper = row.broadcast;
                if (name == "all-to-all") paper = row.all_to_all;
                if (!own.empty())
                    lines.push_back({fmt::format("{}: by {}{}", name, row.variant,
                                                 *backing == 0 ? " over Ouroboros" : ""),
                                     {.mean = paper},
                                     range_of(own),
                                     own.size(),
                                     paper ? "figure 5" : "ours"});
            }
        auto const [speedup, allocator] = best_speedup(cells, base, "operation");
        if (!allocator.empty())
            lines.push_back(
                one_ratio(fmt::format("{}: best, {}", name, allocator), std::nullopt, speedup, "ours"));
    }
    add_over_backings(lines, cells, {"operation"});
    return lines;
}

std::vector<comparison> compare_programs(std::vector<measured_cell> const& cells) {
    std::vector<comparison> lines;
    for (measured_cell const& base : cells) {
        if (base.cell.text("allocator") != cuda_malloc_name) continue;
        auto const [speedup, allocator] = best_speedup(cells, base, "rank");
        if (!allocator.empty())
            lines.push_back(one_ratio(fmt::format("{}, {} ranks: best, {}", base.cell.text("program"),
                                                  base.cell.text("ranks"), allocator),
                                      std::nullopt, speedup, "ours"));
    }
    add_over_backings(lines, cells, {"rank", "launch"});
    return lines;
}

} // namespace rhizome::bench
