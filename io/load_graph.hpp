// SPDX-License-Identifier: Apache-2.0
// Loads a graph from a file of any format.
#pragma once

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/io/file_edges.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/graph_store.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/parallel_edges.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_parts.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rhizome {

/// A graph from a file, and what the file calls its vertices.
template <class Graph>
struct loaded_graph {
    Graph graph;
    io::vertex_names names;       ///< empty: the file numbers its vertices
    bool counts_from_one = false; ///< without names: vertex v has the number v + 1 in the file
};

namespace detail {

template <class Value>
[[nodiscard]] std::vector<Value> values_of(std::string const& path, std::vector<double> const& weights,
                                           std::size_t edges) {
    if (weights.empty()) return std::vector<Value>(edges, Value{1});
    std::vector<Value> values;
    values.reserve(weights.size());
    for (double const weight : weights)
        values.push_back(io::value_of_weight<Value>(path, weight));
    return values;
}

} // namespace detail

/// Reads a graph from a file of any format that docs/formats.md lists, compressed or not, and builds it in
/// the space. `Graph`: a dynamic_graph; one with values takes the weights of the file, 1 where the file has
/// none. A file of a directed graph makes a directed graph. A stored graph (io::save_graph) comes back as it
/// was saved, whatever the options say of it; its values must have the type of the graph's. It must be a
/// regular file that is not compressed.
///
/// Throws
/// - io::file_error for a file that cannot be read, and for a weight that the graph's values cannot hold
/// - io::parse_error for a damaged file; it says what is wrong and where
/// - io::store_error for a stored graph that is damaged or has values of another type
/// - std::invalid_argument for in_arcs if the file is undirected
/// - std::overflow_error if a sum of parallel weights is too large
/// - std::length_error for more vertices than the graph can have
/// - exec::out_of_memory
///
/// Memory on the host: the edges of the file; of a stored graph, what io::load_stored_graph() states. Cost:
/// reading and parsing the file, then that of inserting its edges. Waits.
template <class Graph, class Space>
[[nodiscard]] loaded_graph<Graph> load_graph_with_names(Space space, std::string const& path,
                                                        load_options const& options = {}) {
    io::input from(path);
    io::graph_format const& format =
        options.format != nullptr ? *options.format : io::recognise_graph_format(from, options.columns);
    if (format.is_stored) {
        auto const first = io::store_parts(path).open(0);
        io::vertex_names names = first->read_names();
        bool const counts_from_one = names.empty() && first->header().counts_from_one;
        return {io::load_stored_graph<Graph>(std::move(space), path, options), std::move(names),
                counts_from_one};
    }
    io::graph_file file = io::read_graph(from, &format,
                                         {.directed = options.directed,
                                          .lenient = options.lenient,
                                          .columns = options.columns,
                                          .progress = options.progress});
    if constexpr (Graph::has_values) io::merge_parallel_edges(file, options.parallel);
    bool const directed = options.directed || file.directed;
    Graph graph(std::move(space), {.vertices = file.vertex_count,
                                   .directed = directed,
                                   .in_arcs = options.in_arcs,
                                   .heap_bytes = options.heap_bytes,
                                   .reserve_bytes = options.reserve_bytes});
    io::file_edges const taken = io::take_edges(path, file, directed, Graph::has_values);
    std::span<graph::edge const> const edges(taken.edges);
    bool const at_once = !Graph::builds_rows || std::is_sorted(edges.begin(), edges.end());
    std::vector<typename Graph::value_type> values;
    if constexpr (Graph::has_values)
        values = detail::values_of<typename Graph::value_type>(path, taken.weights, taken.edges.size());
    std::size_t pieces = 0;
    io::insert_in_pieces(
        edges.size(), at_once,
        [&](std::size_t first, std::size_t count) {
            ++pieces;
            auto const piece = edges.subspan(first, count);
            if constexpr (Graph::has_values)
                graph.insert_edges(piece, std::span(values).subspan(first, count));
            else
                graph.insert_edges(piece);
        },
        [&graph] { return graph.broken(); });
    if (pieces > 1) io::detail::compact_loaded(graph);
    return {std::move(graph), std::move(file.names), file.counts_from_one};
}
/// The same for a caller that does not need the names.
template <class Graph, class Space>
[[nodiscard]] Graph load_graph(Space space, std::string const& path, load_options const& options = {}) {
    return load_graph_with_names<Graph>(std::move(space), path, options).graph;
}
/// The same for a graph without edge values, in the default layout and heap: weights of the file are ignored.
template <class Space>
[[nodiscard]] graph::dynamic_graph<Space> load_graph(Space space, std::string const& path,
                                                     load_options const& options = {}) {
    return load_graph<graph::dynamic_graph<Space>>(std::move(space), path, options);
}

} // namespace rhizome
