// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/random_walk/comparison.hpp>
#include <rhizome/bench/papers/random_walk/workloads.hpp>

#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace rhizome::bench {
namespace {

/// The mean of a measure of a cell that is ok.
std::optional<double> mean_of(measured_cell const& from, std::string const& measure) {
    if (from.result.status != cell_status::ok) return std::nullopt;
    for (auto const& each : from.result.measures)
        if (each.name == measure && !each.samples.empty())
            return std::accumulate(each.samples.begin(), each.samples.end(), 0.0) /
                   static_cast<double>(each.samples.size());
    return std::nullopt;
}

/// Each cell with `choice` = over that is ok, over the cell with `choice` = under that is like it otherwise.
template <class Value>
std::vector<double> ratios(std::vector<measured_cell> const& cells, std::string const& choice,
                           std::string const& over, std::string const& under, Value&& value) {
    std::vector<double> found;
    for (measured_cell const& above : cells) {
        if (above.cell.text(choice) != over) continue;
        cell wanted = above.cell;
        wanted.set(choice, under);
        for (measured_cell const& below : cells) {
            if (below.cell != wanted) continue;
            auto const dividend = value(above);
            auto const divisor = value(below);
            if (dividend && divisor && *divisor > 0) found.push_back(*dividend / *divisor);
        }
    }
    return found;
}

/// The measure over another one of the same cell, of the cells for which `counts` holds.
template <class Counts>
std::vector<double> within_cells(std::vector<measured_cell> const& cells, std::string const& over,
                                 std::string const& under, Counts&& counts) {
    std::vector<double> found;
    for (measured_cell const& each : cells) {
        if (!counts(each.cell)) continue;
        auto const dividend = mean_of(each, over);
        auto const divisor = mean_of(each, under);
        if (dividend && divisor && *divisor > 0) found.push_back(*dividend / *divisor);
    }
    return found;
}

comparison stated(std::string what, ratio_range paper, std::vector<double> const& ours, std::string source) {
    return {std::move(what), paper, range_of(ours), ours.size(), std::move(source)};
}
ratio_range about(double value) { return {.mean = value, .lowest = {}, .highest = {}}; }
ratio_range up_to(double value) { return {.mean = {}, .lowest = 1, .highest = value}; }

/// Whether the equations hold that assume that free pages stay at random places.
bool takes_few(cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    return n.threads * 20 <= n.free;
}
/// The same for walks from word to word. They also assume that threads never choose the same word at the same
/// time: a thread that finds a word locked takes another step.
bool takes_few_words(cell const& which) {
    walk_numbers const n = walk_numbers_of(which);
    constexpr double word_pages = 32;
    return takes_few(which) && n.threads * 20 <= n.pages / word_pages;
}

} // namespace

std::vector<comparison> compare_walk_fig4(std::vector<measured_cell> const& cells) {
    std::vector<measured_cell> ouroboros;
    for (measured_cell const& each : cells)
        if (each.cell.text("allocator").starts_with("ouroboros")) ouroboros.push_back(each);
    auto const mean = [](measured_cell const& from) { return mean_of(from, "alloc"); };
    char const* const source = "II-C, figure 4";
    return {stated("Ouroboros, 4096 bytes kept over freed at once (means)", up_to(67),
                   ratios(ouroboros, "scenario", "4096", "4096-freed", mean), source),
            stated("Ouroboros, 4100 bytes over 4096", about(2),
                   ratios(ouroboros, "scenario", "4100", "4096", mean), source),
            stated("Ouroboros, 8192 bytes over 4100", about(1),
                   ratios(ouroboros, "scenario", "8192", "4100", mean), source)};
}

std::vector<comparison> compare_walk_fig10(std::vector<measured_cell> const& cells) {
    return {stated("steps of CRW, measured over Eq. 9; at most 5 % of the free pages taken", about(1),
                   within_cells(cells, "crw", "crw_formula", takes_few), "IV-D"),
            stated("steps of RW, measured over Eq. 3; at most 5 % of the free pages taken", about(1),
                   within_cells(cells, "rw", "rw_formula", takes_few), "III-B")};
}

std::vector<comparison> compare_walk_fig11(std::vector<measured_cell> const& cells) {
    auto const of = [](std::string name, bool few_words) {
        return [name = std::move(name), few_words](cell const& each) {
            return each.text("allocator") == name && (!few_words || takes_few_words(each));
        };
    };
    ratio_range const bound{.mean = {}, .lowest = 0, .highest = 1};
    auto const flag = of("random-walk-flag", false);
    auto const bitmap = of("random-walk-bitmap", false);
    auto const bitmap_few = of("random-walk-bitmap", true);
    std::vector<comparison> found{
        stated("TAS of flag over Eq. 3", about(1), within_cells(cells, "tas", "tas_formula", flag), "V-B1"),
        stated("WAS of flag over the bound of Eq. 4", bound, within_cells(cells, "was", "was_formula", flag),
               "V-B1"),
        stated("TAS of bitmap over Eq. 5; a thread per 20 words and 20 free pages at most", about(1),
               within_cells(cells, "tas", "tas_formula", bitmap_few), "V-B1"),
        stated("WAS of bitmap over the bound of Eq. 6; as above", bound,
               within_cells(cells, "was", "was_formula", bitmap_few), "V-B1"),
        stated("TAS of bitmap over our count by words", about(1),
               within_cells(cells, "tas", "tas_by_words", bitmap), "ours"),
        stated("WAS of bitmap over our bound by words", bound,
               within_cells(cells, "was", "was_by_words", bitmap), "ours")};
    auto const median = [](measured_cell const& from) { return median_of(from, "alloc"); };
    found.push_back(stated(
        "kernel time, Ouroboros over CoRW (paper: more)", about(10),
        ratios(cells, "allocator", "ouroboros-page-virtual-array", "random-walk-collaborative", median),
        "V-B1"));
    return found;
}

std::vector<comparison> compare_walk_fig12(std::vector<measured_cell> const& cells) {
    std::string lowest;
    for (measured_cell const& each : cells)
        if (lowest.empty() || std::stod(each.cell.text("free")) < std::stod(lowest))
            lowest = each.cell.text("free");
    std::vector<comparison> found;
    for (char const* measure : {"tas_ratio", "was_ratio"}) {
        std::vector<double> own;
        for (measured_cell const& each : cells)
            if (each.cell.text("free") == lowest)
                if (auto const median = median_of(each, measure)) own.push_back(*median);
        found.push_back(stated(std::string(measure == std::string("tas_ratio") ? "TAS" : "WAS") +
                                   " of RW over RW-BM, " + lowest + " % free",
                               about(32), own, "V-B1"));
    }
    return found;
}

std::vector<comparison> compare_walk_fig13(std::vector<measured_cell> const& cells) {
    auto const median = [](measured_cell const& from) { return median_of(from, "alloc"); };
    std::vector<comparison> found;
    for (std::string const walk : {"random-walk-malloc", "random-walk-segments"})
        for (std::string const allocator : {"ouroboros-page-virtual-array", "ouroboros-page-array-pow2"})
            found.push_back(stated(allocator + " over " + walk, up_to(100),
                                   ratios(cells, "allocator", allocator, walk, median), "V-B2"));
    return found;
}

} // namespace rhizome::bench
