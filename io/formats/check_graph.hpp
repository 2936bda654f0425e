// SPDX-License-Identifier: Apache-2.0
// What every writer of graph files demands of a graph.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace rhizome::io {

/// Throws std::invalid_argument if a weight is larger than readers of text formats take: 2^53.
inline void check_weights_are_exact(graph_file const& file, char const* writer) {
    for (std::uint64_t const weight : file.edge_weights)
        if (weight > largest_exact_number)
            throw std::invalid_argument(std::string(writer) + ": weights are whole numbers up to 2^53");
}

/// Throws std::invalid_argument unless endpoints are vertices and each edge has one weight or none has.
/// `writer` is named in the message.
inline void check_graph(graph_file const& file, char const* writer) {
    auto const demand = [&](bool holds, char const* what) {
        if (!holds) throw std::invalid_argument(std::string(writer) + ": " + what);
    };
    demand(file.vertex_count <= graph::no_vertex, "too many vertices");
    demand(file.edge_weights.empty() || file.edge_weights.size() == file.edges.size(),
           "edge_weights must hold one weight an edge");
    demand(file.edge_values.empty() || file.edge_values.size() == file.edges.size(),
           "edge_values must hold one value an edge");
    demand(file.edge_values.empty() || file.edge_weights.empty(), "edges have weights or values, not both");
    for (graph::edge const& edge : file.edges)
        demand(edge.source < file.vertex_count && edge.target < file.vertex_count,
               "an endpoint is no vertex of the graph");
}

} // namespace rhizome::io
