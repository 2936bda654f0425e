// What a graph file holds, on the host.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// A graph as its file gives it. Vectors of sizes and weights are empty where the file has none.
struct graph_file {
    std::uint64_t vertex_count = 0;
    bool directed = false;

    /// Undirected: each edge once, source <= target. Self-loops and parallel edges as in the file.
    std::vector<graph::edge> edges;

    std::vector<std::uint64_t> edge_weights;   ///< one an edge
    std::vector<double> edge_values = {};      ///< one an edge, in place of edge_weights: any finite numbers
    std::vector<std::uint64_t> vertex_sizes;   ///< one a vertex
    std::vector<std::uint64_t> vertex_weights; ///< weights_per_vertex a vertex
    unsigned weights_per_vertex = 0;
};

} // namespace rhizome::io
