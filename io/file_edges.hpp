// SPDX-License-Identifier: Apache-2.0
// From a graph file to the edges that a graph takes.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/parse_error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::io {

/// Edges, each of which may have a weight.
struct file_edges {
    std::vector<graph::edge> edges;
    std::vector<double> weights; ///< one for each edge, or none

    /// Appends the reverse of each edge, with its weight; not of self-loops.
    void add_reverses();
};

/// Takes the edges out of a file, and with `weights` those of them that it has. For a directed graph, an edge
/// of an undirected file becomes two arcs. `path`: for messages. Throws file_error for a whole weight beyond
/// 2^53, which a double does not hold exactly.
[[nodiscard]] file_edges take_edges(std::string const& path, graph_file& file, bool directed, bool weights);

/// A weight of a file as a value of a graph. Throws file_error if the type cannot hold it: a fraction or a
/// number out of range for integers, a number beyond the largest for float.
template <class Value>
[[nodiscard]] Value value_of_weight(std::string const& path, double weight) {
    static_assert(std::is_arithmetic_v<Value>, "weights become numbers");
    bool fits = true;
    if constexpr (std::is_integral_v<Value>) {
        // 2^digits is exact where the largest integer is not.
        double const end = std::ldexp(1.0, std::numeric_limits<Value>::digits);
        fits =
            std::trunc(weight) == weight && weight < end && weight >= (std::is_signed_v<Value> ? -end : 0.0);
    } else {
        fits = std::abs(weight) <= static_cast<double>(std::numeric_limits<Value>::max());
    }
    if (!fits)
        throw file_error(path, "holds the edge weight " + std::to_string(weight) +
                                   ", which the values of this graph cannot hold");
    return static_cast<Value>(weight);
}

namespace detail {
struct never {
    bool operator()() const { return false; }
};
} // namespace detail

/// Calls insert(first, count) for all edges of a graph that is loaded: once for all, where `at_once`, or for
/// pieces of 2^24, since the scratch of a batch grows with it. If there is no memory for all at once, they
/// come in pieces, unless broken() says that the graph is broken.
template <class Insert, class Broken = detail::never>
void insert_in_pieces(std::size_t edges, bool at_once, Insert const& insert, Broken const& broken = {}) {
    constexpr std::size_t piece_edges = std::size_t{1} << 24;
    constexpr std::size_t most_edges = 0x7fff'ffff; // of a batch, with two arcs each
    if (at_once && edges <= most_edges) {
        try {
            insert(std::size_t{0}, edges);
            return;
        } catch (exec::out_of_memory const&) {
            if (edges <= piece_edges || broken()) throw;
        }
    }
    for (std::size_t first = 0; first < edges; first += piece_edges)
        insert(first, std::min(piece_edges, edges - first));
}

} // namespace rhizome::io
