// SPDX-License-Identifier: Apache-2.0
#include "oracles.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/clustering_coefficient.hpp>
#include <boost/graph/page_rank.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace rhizome::tests {

plain_graph plain(std::uint64_t vertices, std::vector<graph::edge> const& edges, bool directed) {
    std::set<graph::edge> arcs;
    for (auto const [source, target] : edges) {
        arcs.insert({source, target});
        if (!directed) arcs.insert({target, source});
    }
    return {vertices, {arcs.begin(), arcs.end()}};
}

ranking rank_plainly(plain_graph const& graph, algorithms::pagerank_options const& options) {
    std::vector<double> const uniform(graph.vertices, 1.0 / static_cast<double>(graph.vertices));
    return rank_plainly(graph, options, uniform, uniform);
}

ranking rank_plainly(plain_graph const& graph, algorithms::pagerank_options const& options,
                     std::vector<double> const& start, std::vector<double> const& teleport) {
    std::vector<std::uint64_t> out_degrees(graph.vertices);
    for (auto const arc : graph.arcs)
        ++out_degrees[arc.source];
    ranking now{start, 0, 0.0};
    while (now.iterations < options.max_iterations) {
        double dangling = 0;
        for (std::uint64_t v = 0; v < graph.vertices; ++v)
            if (out_degrees[v] == 0) dangling += now.ranks[v];
        std::vector<double> incoming(graph.vertices);
        for (auto const [source, target] : graph.arcs)
            incoming[target] += now.ranks[source] / static_cast<double>(out_degrees[source]);
        now.residual = 0;
        for (std::uint64_t v = 0; v < graph.vertices; ++v) {
            double const rank = (1 - options.damping) * teleport[v] +
                                options.damping * (incoming[v] + dangling * teleport[v]);
            now.residual += std::abs(rank - now.ranks[v]);
            now.ranks[v] = rank;
        }
        ++now.iterations;
        if (options.tolerance > 0 && now.residual <= options.tolerance) break;
    }
    return now;
}

std::vector<double> rank_by_boost(plain_graph const& graph, double damping) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> boosted(graph.vertices);
    for (auto const [source, target] : graph.arcs)
        add_edge(source, target, boosted);
    std::vector<double> ranks(graph.vertices);
    std::vector<double> scratch(graph.vertices);
    auto const index = get(boost::vertex_index, boosted);
    boost::graph::page_rank(boosted, boost::make_iterator_property_map(ranks.begin(), index),
                            boost::graph::n_iterations(300), damping, graph.vertices,
                            boost::make_iterator_property_map(scratch.begin(), index));
    // Boost's equation has 1 - damping where ours has (1 - damping)/n.
    double const total = std::accumulate(ranks.begin(), ranks.end(), 0.0);
    for (double& rank : ranks)
        rank /= total;
    return ranks;
}

std::uint64_t triangles_by_boost(plain_graph const& graph) {
    boost::adjacency_matrix<boost::undirectedS> matrix(graph.vertices);
    for (auto const [source, target] : graph.arcs)
        if (source != target && !edge(source, target, matrix).second) add_edge(source, target, matrix);
    std::uint64_t corners = 0;
    for (std::uint64_t v = 0; v < graph.vertices; ++v)
        corners += num_triangles_on_vertex(matrix, v);
    return corners / 3;
}

std::uint64_t triangles_by_sets(plain_graph const& graph) {
    std::vector<std::set<graph::vertex_id>> larger(graph.vertices);
    for (auto const [source, target] : graph.arcs)
        if (source != target) larger[std::min(source, target)].insert(std::max(source, target));
    std::uint64_t triangles = 0;
    for (auto const& row : larger)
        for (auto first = row.begin(); first != row.end(); ++first)
            for (auto second = std::next(first); second != row.end(); ++second)
                triangles += larger[*first].contains(*second) ? 1 : 0;
    return triangles;
}

} // namespace rhizome::tests
