// SPDX-License-Identifier: Apache-2.0
// The contents of a graph file, on the host.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::io {

/// A graph as it is in its file. The vectors of sizes, weights and times are empty if the file has none.
struct graph_file {
    std::uint64_t vertex_count = 0; ///< vertex ids are less than this
    bool directed = false;          ///< edges are arcs

    /// The names that the vertices have in the file, one per vertex. Empty if the file numbers them from 0
    /// or 1 on.
    vertex_names names = {};
    bool counts_from_one = false; ///< without names: vertex v has the number v + 1 in the file, not v

    /// In an undirected graph each edge occurs once, with source <= target. The vector contains the
    /// self-loops and parallel edges of the file; merge_parallel_edges() leaves one of the latter.
    std::vector<graph::edge> edges;

    std::vector<std::uint64_t> edge_weights;   ///< one per edge
    std::vector<double> edge_values = {};      ///< one per edge, instead of edge_weights: finite numbers
    std::string value_type = {};               ///< stored_type_name of edge_values; empty: not known
    std::vector<std::int64_t> edge_times = {}; ///< one per edge, in the unit of the file; empty: none
    bool guessed_times = false; ///< edge list: only the order of the third column says that it holds times
    std::uint64_t rounded_times = 0;           ///< edges whose time has a fraction in the file: rounded down
    std::vector<std::uint64_t> vertex_sizes;   ///< one per vertex
    std::vector<std::uint64_t> vertex_weights; ///< weights_per_vertex per vertex
    unsigned weights_per_vertex = 0;           ///< 0: vertices have no weights

    std::vector<std::string> mended = {}; ///< errors of the file that the reader repaired, a sentence each
};

} // namespace rhizome::io
