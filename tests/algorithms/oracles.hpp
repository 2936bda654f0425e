// SPDX-License-Identifier: Apache-2.0
// What the right answers are, by code that shares nothing with what is tested.
#pragma once

#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {

/// Arcs of a simple directed graph, sorted.
struct plain_graph {
    std::uint64_t vertices;
    std::vector<graph::edge> arcs;
};

/// The arcs of an edge list: sorted, without duplicates; undirected: with their reverses.
[[nodiscard]] plain_graph plain(std::uint64_t vertices, std::vector<graph::edge> const& edges, bool directed);

struct ranking {
    std::vector<double> ranks;
    unsigned iterations;
    double residual;
};

/// The equation of pagerank_options, arc by arc.
[[nodiscard]] ranking rank_plainly(plain_graph const& graph, algorithms::pagerank_options const& options);

/// The same from other first ranks, and with another teleport distribution: one number per vertex.
[[nodiscard]] ranking rank_plainly(plain_graph const& graph, algorithms::pagerank_options const& options,
                                   std::vector<double> const& start, std::vector<double> const& teleport);

/// Boost.Graph's fixed point, scaled to sum 1. Precondition: every vertex has an out-arc.
[[nodiscard]] std::vector<double> rank_by_boost(plain_graph const& graph, double damping);

/// Of the underlying simple undirected graph, by Boost.Graph on a dense matrix.
[[nodiscard]] std::uint64_t triangles_by_boost(plain_graph const& graph);

/// The same, by looking up every pair of neighbours in sets.
[[nodiscard]] std::uint64_t triangles_by_sets(plain_graph const& graph);

} // namespace rhizome::tests
