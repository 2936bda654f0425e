// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/graphs/boost_baseline.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/clustering_coefficient.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/page_rank.hpp>

#include <numeric>
#include <utility>

namespace rhizome::bench {

boost_ranks rank_by_boost(graph_input const& input, unsigned iterations) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> arcs;
    arcs.reserve(input.arcs());
    for (graph::edge const each : input.edges) {
        arcs.emplace_back(each.source, each.target);
        arcs.emplace_back(each.target, each.source);
    }
    using graph_type = boost::compressed_sparse_row_graph<boost::directedS>;
    graph_type const graph(boost::edges_are_unsorted, arcs.begin(), arcs.end(), input.vertices);
    boost_ranks result;
    result.ranks.resize(input.vertices);
    std::vector<double> scratch(input.vertices);
    auto const index = get(boost::vertex_index, graph);
    constexpr double damping = 0.85;
    exec::wall_timer const timer;
    boost::graph::page_rank(graph, boost::make_iterator_property_map(result.ranks.begin(), index),
                            boost::graph::n_iterations(iterations), damping, input.vertices,
                            boost::make_iterator_property_map(scratch.begin(), index));
    result.ms = timer.elapsed_ms();
    double const total = std::accumulate(result.ranks.begin(), result.ranks.end(), 0.0);
    for (double& rank : result.ranks)
        rank /= total;
    return result;
}

boost_triangles count_triangles_by_boost(graph_input const& input) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> graph(input.vertices);
    for (graph::edge const each : input.edges)
        add_edge(each.source, each.target, graph);
    boost_triangles result;
    exec::wall_timer const timer;
    std::uint64_t corners = 0;
    for (std::uint64_t v = 0; v < input.vertices; ++v)
        corners += num_triangles_on_vertex(graph, v);
    result.ms = timer.elapsed_ms();
    result.triangles = corners / 3;
    return result;
}

} // namespace rhizome::bench
