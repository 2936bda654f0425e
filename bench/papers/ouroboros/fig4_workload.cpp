// SPDX-License-Identifier: Apache-2.0
// What is measured for Figure 4 of the Ouroboros paper, and compared with its text.
#include <rhizome/bench/graphs/workloads.hpp>
#include <rhizome/bench/papers/ouroboros/ouroboros_fig4.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace rhizome::bench {
namespace {

using samples = std::vector<double>;

/// Calls once(repetition) as often as the cell says; what it returns after the warm-up.
template <class Once>
auto repeat(cell const& which, Once const& once) {
    std::vector<decltype(once(std::uint64_t{0}))> kept;
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        auto result = once(repetition);
        if (repetition >= warm_up) kept.push_back(std::move(result));
    }
    return kept;
}

double build_once(graph_subject& subject, std::uint64_t edges) {
    timed_batch const built = subject.build_from_rows();
    require_equal(built.report.applied, edges, "edges built");
    require_equal(subject.edge_count(), edges, "edges of the graph");
    return built.ms;
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

/// Initialisation, memory, insertion and deletion.
void measure_changes(graph_subject& subject, cell const& which, graph_input const& input,
                     cell_result& result) {
    subject.keep_rows(input.rows());
    result.measures.push_back({"initialise", "ms", false, repeat(which, [&](std::uint64_t) {
                                   return build_once(subject, input.arcs());
                               })});
    graph::memory_report const memory = subject.memory();
    result.measures.push_back({"memory", "MB", false, {megabytes(memory.total_bytes())}});
    result.measures.push_back(
        {"memory_lasting", "MB", false, {megabytes(memory.total_bytes() - memory.scratch_bytes)}});
    for (std::string const pattern : {"random", "pressure"}) {
        measure insert{"insert_" + pattern, "ms", false, {}};
        measure erase{"erase_" + pattern, "ms", false, {}};
        for (round_times const& times : repeat(which, [&](std::uint64_t repetition) {
                 return run_round(subject, shape_of(which, pattern, input, repetition));
             })) {
            insert.samples.push_back(times.insert_ms);
            erase.samples.push_back(times.erase_ms);
        }
        result.measures.push_back(std::move(insert));
        result.measures.push_back(std::move(erase));
    }
    require_equal(subject.changes(), 0, "places in which the graph is not what it was");
    require_sound(subject);
}

/// PageRank and triangles on the live graph.
void measure_algorithms(graph_subject& subject, cell const& which, graph_input const& input,
                        cell_result& result) {
    subject.keep_rows(input.rows());
    (void)build_once(subject, input.edges.size());
    auto const iterations = static_cast<unsigned>(which.count("iterations"));
    result.measures.push_back({"pagerank", "ms", false, repeat(which, [&](std::uint64_t) {
                                   return subject.rank(seen_as::live, iterations).ms / iterations;
                               })});
    require_ranks(subject.rank(seen_as::live, checked_iterations).ranks,
                  rank_plainly(input, checked_iterations), "live");
    std::uint64_t triangles = 0;
    result.measures.push_back({"triangle_counting", "ms", false, repeat(which, [&](std::uint64_t) {
                                   timed_triangles const counted = subject.count_triangles(seen_as::live);
                                   triangles = counted.triangles;
                                   return counted.ms;
                               })});
    if (input.edges.size() <= most_edges_counted_plainly)
        require_equal(triangles, count_triangles_plainly(input), "triangles");
    result.measures.push_back({"triangles", "triangles", true, {static_cast<double>(triangles)}});
}

bool is_ouroboros(std::string const& variant) {
    return variant.starts_with("page-") || variant.starts_with("chunk-");
}
bool is_virtualised(std::string const& variant) {
    return is_ouroboros(variant) && variant.find("-virtual-") != std::string::npos;
}

/// Whether both cells have the same values but for the variant.
bool same_workload(cell const& left, cell const& right) {
    return std::all_of(left.values.begin(), left.values.end(), [&](auto const& value) {
        return value.first == "variant" || right.text(value.first) == value.second;
    });
}

/// The ratios of a measure of all cells of one variant over those of others, on the same graph.
template <class Chosen>
samples ratios(std::vector<measured_cell> const& cells, std::string_view over, Chosen const& chosen,
               std::string const& name) {
    samples found;
    for (measured_cell const& top : cells) {
        if (top.cell.text("variant") != over) continue;
        for (measured_cell const& bottom : cells)
            if (chosen(bottom.cell.text("variant")) && same_workload(top.cell, bottom.cell))
                if (auto const ratio = ratio_of(top, bottom, name)) found.push_back(*ratio);
    }
    return found;
}

} // namespace

std::vector<fig4_variant> const& fig4_variants() {
    static std::vector<fig4_variant> const all{
        {"page-array", "contiguous", "ouroboros-page-array"},
        {"page-virtual-array", "contiguous", "ouroboros-page-virtual-array"},
        {"page-virtual-linked", "contiguous", "ouroboros-page-virtual-linked"},
        {"chunk-array", "contiguous", "ouroboros-chunk-array"},
        {"chunk-virtual-array", "contiguous", "ouroboros-chunk-virtual-array"},
        {"chunk-virtual-linked", "contiguous", "ouroboros-chunk-virtual-linked"},
        {"linked-pages-64", "linked-pages-64", "page-queue-64"},
        {"linked-pages", "linked-pages", "page-queue"},
        {"device-malloc", "contiguous", "device-malloc"}};
    return all;
}

cell_result run_fig4(graph_opener const& open, cell const& which, graph_input const& input) {
    cell_result result;
    // Each graph is gone before the next: two never share the memory of the device.
    measure_changes(*open(true), which, input, result);
    measure_algorithms(*open(false), which, input, result);
    result.measures.push_back({"vertices", "vertices", true, {static_cast<double>(input.vertices)}});
    result.measures.push_back({"arcs", "arcs", true, {static_cast<double>(input.arcs())}});
    return result;
}

std::vector<comparison> compare_fig4(std::vector<measured_cell> const& cells) {
    auto const no_cuda = [](std::string const& variant) { return variant != "device-malloc"; };
    auto const entry = [&](char const* what, ratio_range const& paper, samples const& found,
                           char const* source) {
        return comparison{what, paper, range_of(found), found.size(), source};
    };
    char const* const faim = "linked-pages-64"; // faimGraph's pages have 64 bytes
    char const* const cuda = "device-malloc";
    return {
        entry("initialisation, CUDA's malloc over the others", {.mean = 1785},
              ratios(cells, cuda, no_cuda, "initialise"), "6.2.1"),
        entry("memory, linked pages over virtualised Ouroboros", {.mean = {}, .lowest = 23, .highest = 32},
              ratios(cells, faim, is_virtualised, "memory"), "6.2.1"),
        entry("the same, without scratch", {.mean = {}, .lowest = 23, .highest = 32},
              ratios(cells, faim, is_virtualised, "memory_lasting"), "6.2.1"),
        entry("PageRank, linked pages over Ouroboros", {.mean = 1.5, .lowest = 1.06, .highest = 2},
              ratios(cells, faim, is_ouroboros, "pagerank"), "6.2.3"),
        entry("triangles, linked pages over Ouroboros", {.mean = 1.8, .lowest = 1.03, .highest = 3},
              ratios(cells, faim, is_ouroboros, "triangle_counting"), "6.2.3"),
    };
}

} // namespace rhizome::bench
