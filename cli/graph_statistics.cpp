// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/graph_statistics.hpp>
#include <rhizome/cli/histogram.hpp>

#include <algorithm>
#include <bit>
#include <numeric>

namespace rhizome::cli {
namespace {

/// The least of the degrees that this share of them, in percent, does not exceed.
std::uint32_t percentile(std::vector<std::uint32_t>& degrees, std::uint64_t percent) {
    std::uint64_t const rank = (degrees.size() * percent + 99) / 100; // from 1
    auto const place = degrees.begin() + static_cast<std::ptrdiff_t>(std::max<std::uint64_t>(rank, 1) - 1);
    std::nth_element(degrees.begin(), place, degrees.end());
    return *place;
}

std::uint64_t count_isolated(std::span<graph::edge const> edges, std::uint64_t vertices) {
    std::vector<bool> has_edge(vertices);
    for (graph::edge const& edge : edges) {
        has_edge[edge.source] = true;
        has_edge[edge.target] = true;
    }
    return static_cast<std::uint64_t>(std::count(has_edge.begin(), has_edge.end(), false));
}

/// Whether the arcs, which ascend without duplicates, are the same as their reverses.
bool is_symmetric(std::vector<graph::edge> const& arcs) {
    std::vector<graph::edge> reverses;
    reverses.reserve(arcs.size());
    for (graph::edge const& arc : arcs)
        reverses.push_back({arc.target, arc.source});
    std::sort(reverses.begin(), reverses.end());
    return reverses == arcs;
}

} // namespace

degree_statistics statistics_of(std::vector<std::uint32_t>&& degrees) {
    degree_statistics result;
    if (degrees.empty()) return result;
    auto const [lowest, highest] = std::minmax_element(degrees.begin(), degrees.end());
    result.lowest = *lowest;
    result.highest = *highest;
    double const sum = std::accumulate(degrees.begin(), degrees.end(), 0.0);
    result.mean = sum / static_cast<double>(degrees.size());
    result.histogram.resize(static_cast<std::size_t>(std::bit_width(result.highest)) + 1);
    for (std::uint32_t const degree : degrees)
        ++result.histogram[static_cast<std::size_t>(std::bit_width(degree))];
    result.median = percentile(degrees, 50);
    result.percentile_99 = percentile(degrees, 99);
    return result;
}

edge_statistics statistics_of(std::span<graph::edge const> edges, std::uint64_t vertices, bool directed) {
    edge_statistics result;
    result.directed = directed;
    result.sorted = std::is_sorted(edges.begin(), edges.end());
    result.self_loops = static_cast<std::uint64_t>(std::count_if(
        edges.begin(), edges.end(), [](graph::edge edge) { return edge.source == edge.target; }));
    result.isolated = count_isolated(edges, vertices);
    std::vector<graph::edge> distinct(edges.begin(), edges.end());
    if (!result.sorted) std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    result.duplicates = edges.size() - distinct.size();
    if (directed) result.symmetric = is_symmetric(distinct);
    return result;
}

std::string histogram_text(std::span<std::uint64_t const> histogram, std::size_t indent) {
    return bars_text(doubling_bins(histogram), "degree", "vertices", indent);
}

} // namespace rhizome::cli
