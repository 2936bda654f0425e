// SPDX-License-Identifier: Apache-2.0
#include "path_oracles.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace rhizome::tests {

template <class Weight>
std::vector<algorithms::distance_of<Weight>>
distances_by_boost(weighted_graph<Weight> const& graph, std::vector<graph::vertex_id> const& sources) {
    using distance = algorithms::distance_of<Weight>;
    using boosted_graph =
        boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                              boost::property<boost::edge_weight_t, distance>>;
    boosted_graph boosted(graph.arcs.vertices + 1); // one more, before all sources
    for (std::size_t i = 0; i < graph.weights.size(); ++i)
        boost::add_edge(graph.arcs.arcs[i].source, graph.arcs.arcs[i].target,
                        static_cast<distance>(graph.weights[i]), boosted);
    for (auto const source : sources)
        boost::add_edge(graph.arcs.vertices, source, distance{}, boosted);
    std::vector<distance> found(graph.arcs.vertices + 1);
    boost::dijkstra_shortest_paths(
        boosted, graph.arcs.vertices,
        boost::distance_map(
            boost::make_iterator_property_map(found.begin(), boost::get(boost::vertex_index, boosted)))
            .distance_inf(algorithms::unreached_distance<Weight>));
    found.pop_back();
    return found;
}

template <class Weight>
std::string broken_path_rule(weighted_graph<Weight> const& graph,
                             std::vector<graph::vertex_id> const& sources,
                             std::vector<algorithms::distance_of<Weight>> const& distances,
                             std::vector<graph::vertex_id> const& parents) {
    using distance = algorithms::distance_of<Weight>;
    auto const at = [](std::uint64_t v) { return " at vertex " + std::to_string(v); };
    auto const is_source = [&](std::uint64_t v) {
        return std::find(sources.begin(), sources.end(), v) != sources.end();
    };
    auto const& arcs = graph.arcs.arcs;
    for (std::uint64_t v = 0; v < graph.arcs.vertices; ++v) {
        bool const reached = distances[v] != algorithms::unreached_distance<Weight>;
        if (reached != (parents[v] != graph::no_vertex))
            return "a parent without a distance, or the reverse" + at(v);
        if (!reached) continue;
        if (is_source(v)) {
            if (parents[v] != v) return "a source has another parent" + at(v);
            continue;
        }
        graph::edge const arc{parents[v], static_cast<graph::vertex_id>(v)};
        auto const place = std::lower_bound(arcs.begin(), arcs.end(), arc);
        if (place == arcs.end() || *place != arc) return "no arc from the parent" + at(v);
        auto const weight = graph.weights[static_cast<std::size_t>(place - arcs.begin())];
        if (distances[parents[v]] + static_cast<distance>(weight) != distances[v])
            return "the arc from the parent does not make the distance" + at(v);
    }
    std::vector<std::uint64_t> tree(graph.arcs.vertices); // number of the walk that came by
    for (std::uint64_t v = 0; v < graph.arcs.vertices; ++v) {
        if (parents[v] == graph::no_vertex) continue;
        for (std::uint64_t up = v; tree[up] == 0 || tree[up] == v + 1; up = parents[up]) {
            if (parents[up] == up) break;
            if (tree[up] == v + 1) return "parents in a circle" + at(v);
            tree[up] = v + 1;
        }
    }
    return "";
}

#define RZ_PATH_ORACLES(Weight)                                                                              \
    template std::vector<algorithms::distance_of<Weight>> distances_by_boost(                                \
        weighted_graph<Weight> const&, std::vector<graph::vertex_id> const&);                                \
    template std::string broken_path_rule(                                                                   \
        weighted_graph<Weight> const&, std::vector<graph::vertex_id> const&,                                 \
        std::vector<algorithms::distance_of<Weight>> const&, std::vector<graph::vertex_id> const&);
RZ_PATH_ORACLES(std::uint32_t)
RZ_PATH_ORACLES(std::int32_t)
RZ_PATH_ORACLES(float)
RZ_PATH_ORACLES(double)

} // namespace rhizome::tests
