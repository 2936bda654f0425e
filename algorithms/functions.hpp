// SPDX-License-Identifier: Apache-2.0
// Algorithms as functions of a graph that return their results.
//
// Each call allocates scratch and the result, and frees the scratch. A program that calls one repeatedly uses
// the class beneath (algorithms/pagerank.hpp, ...), which keeps its scratch between calls. Delta PageRank,
// PageRank by weights and the triangles of each vertex exist as classes only (algorithms/delta_pagerank.hpp,
// weighted_pagerank.hpp, local_triangles.hpp). All functions but pagerank() need a graph with ids of 32 bits.
#pragma once

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome {

/// The space of a graph.
template <class Graph>
using space_of = std::remove_reference_t<decltype(std::declval<Graph&>().space())>;

/// One value for each vertex id, in the memory of the space: to_host() copies them, data() is for kernels.
template <class Space, class Value>
using vertex_values = exec::buffer<Space, Value>;

/// The result of pagerank().
template <class Space, class Real>
struct vertex_ranks {
    vertex_values<Space, Real> ranks; ///< their sum is 1; 0 for ids of erased vertices
    unsigned iterations;              ///< that were run
    double residual;                  ///< L1 distance between the last two iterates
    bool converged;                   ///< residual <= tolerance
};

/// PageRank, as algorithms::pagerank has it, with ranks of type Real (float or double). Throws
/// exec::out_of_memory and std::invalid_argument; the graph is unchanged. Waits. Cost: the ranks are copied
/// once, within the space.
template <class Real = double, class Graph>
[[nodiscard]] vertex_ranks<space_of<Graph>, Real>
pagerank(Graph& graph, algorithms::pagerank_options const& options = {},
         algorithms::pagerank_inputs<Real, typename Graph::id_type> const& inputs = {}) {
    using space_type = space_of<Graph>;
    algorithms::pagerank<Real, space_type> engine(graph.space());
    auto const found = engine.run(graph.view(), options, inputs);
    vertex_values<space_type, Real> ranks(graph.space(), found.vertices);
    if (found.vertices != 0) graph.space().copy(ranks.data(), found.ranks, ranks.size_bytes());
    graph.space().synchronize();
    return {std::move(ranks), found.iterations, found.residual, found.converged};
}

/// The number of triangles, as algorithms::triangle_counter has it. Throws exec::out_of_memory, and
/// std::invalid_argument for a directed graph unless options.symmetrize. Waits.
template <class Graph>
[[nodiscard]] std::uint64_t count_triangles(Graph& graph, algorithms::triangle_options const& options = {}) {
    return algorithms::triangle_counter<space_of<Graph>>(graph.space()).count(graph.view(), options);
}

/// The result of breadth_first_search().
template <class Space, class Id>
struct search_tree {
    vertex_values<Space, std::uint32_t> levels; ///< algorithms::unreached where no source reaches the vertex
    vertex_values<Space, Id> parents;           ///< graph::no_vertex for ids without a level
    algorithms::bfs_report report;
};

/// Levels and parents from `sources` (host memory), as algorithms::breadth_first_search has them. Throws
/// exec::out_of_memory, and std::invalid_argument if a source is no live vertex. Waits.
template <class Graph>
[[nodiscard]] search_tree<space_of<Graph>, typename Graph::id_type>
breadth_first_search(Graph& graph, std::span<typename Graph::id_type const> sources,
                     algorithms::bfs_options const& options = {}) {
    using space_type = space_of<Graph>;
    vertex_values<space_type, std::uint32_t> levels(graph.space(), graph.vertex_count());
    vertex_values<space_type, typename Graph::id_type> parents(graph.space(), graph.vertex_count());
    algorithms::breadth_first_search<space_type> engine(graph.space());
    auto const report = engine.run(graph.view(), sources, levels.data(), parents.data(), options);
    return {std::move(levels), std::move(parents), report};
}
/// The same from one source.
template <class Graph>
[[nodiscard]] auto breadth_first_search(Graph& graph, typename Graph::id_type source,
                                        algorithms::bfs_options const& options = {}) {
    return breadth_first_search(graph, std::span<typename Graph::id_type const>(&source, 1), options);
}

/// The result of shortest_paths().
template <class Space, class Distance, class Id>
struct path_tree {
    /// Where there is no path, and for ids of erased vertices: infinity; if weights are integers, the
    /// greatest std::uint64_t (algorithms::unreached_distance).
    vertex_values<Space, Distance> distances;
    vertex_values<Space, Id> parents; ///< graph::no_vertex for ids without a distance
    algorithms::shortest_paths_report report;
};

/// Distances and parents from `sources` (host memory), as algorithms::shortest_paths has them. The edges have
/// values, which are the weights. Throws as that does. Waits.
template <class Graph>
[[nodiscard]] auto shortest_paths(Graph& graph, std::span<typename Graph::id_type const> sources,
                                  algorithms::shortest_paths_options const& options = {}) {
    using space_type = space_of<Graph>;
    using distance = algorithms::distance_of<typename Graph::value_type>;
    vertex_values<space_type, distance> distances(graph.space(), graph.vertex_count());
    vertex_values<space_type, typename Graph::id_type> parents(graph.space(), graph.vertex_count());
    algorithms::shortest_paths<space_type> engine(graph.space());
    auto const report = engine.run(graph.view(), sources, distances.data(), parents.data(), options);
    return path_tree<space_type, distance, typename Graph::id_type>{std::move(distances), std::move(parents),
                                                                    report};
}
/// The same from one source.
template <class Graph>
[[nodiscard]] auto shortest_paths(Graph& graph, typename Graph::id_type source,
                                  algorithms::shortest_paths_options const& options = {}) {
    return shortest_paths(graph, std::span<typename Graph::id_type const>(&source, 1), options);
}

/// The result of connected_components().
template <class Space, class Id>
struct vertex_components {
    /// The least id of each vertex' component; graph::no_vertex for ids of erased vertices.
    vertex_values<Space, Id> components;
    std::uint64_t count; ///< number of components
};

/// Connected components, as algorithms::connected_components has them: of a directed graph the weakly
/// connected ones. Throws exec::out_of_memory. Waits.
template <class Graph>
[[nodiscard]] vertex_components<space_of<Graph>, typename Graph::id_type> connected_components(Graph& graph) {
    using space_type = space_of<Graph>;
    vertex_values<space_type, typename Graph::id_type> components(graph.space(), graph.vertex_count());
    algorithms::connected_components<space_type> engine(graph.space());
    std::uint64_t const count = engine.run(graph.view(), components.data());
    return {std::move(components), count};
}

/// The result of core_numbers().
template <class Space>
struct vertex_cores {
    vertex_values<Space, std::uint32_t> cores; ///< 0 for ids of erased vertices
    std::uint32_t largest;                     ///< the largest core number: the degeneracy of the graph
};

/// Core numbers, as algorithms::k_core has them. Throws exec::out_of_memory, and std::invalid_argument for a
/// directed graph unless options.symmetrize. Waits.
template <class Graph>
[[nodiscard]] vertex_cores<space_of<Graph>> core_numbers(Graph& graph,
                                                         algorithms::k_core_options const& options = {}) {
    using space_type = space_of<Graph>;
    vertex_values<space_type, std::uint32_t> cores(graph.space(), graph.vertex_count());
    algorithms::k_core<space_type> engine(graph.space());
    auto const report = engine.run(graph.view(), cores.data(), options);
    return {std::move(cores), report.largest};
}

} // namespace rhizome
