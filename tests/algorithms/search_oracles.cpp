// SPDX-License-Identifier: Apache-2.0
#include "search_oracles.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/core_numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <set>
#include <utility>

namespace rhizome::tests {

std::vector<std::vector<graph::vertex_id>> rows_of(plain_graph const& graph) {
    std::vector<std::vector<graph::vertex_id>> rows(graph.vertices);
    for (auto const [source, target] : graph.arcs)
        rows[source].push_back(target);
    return rows;
}

std::vector<std::uint32_t> levels_plainly(plain_graph const& graph,
                                          std::vector<graph::vertex_id> const& sources) {
    auto const rows = rows_of(graph);
    std::vector<std::uint32_t> levels(graph.vertices, algorithms::unreached);
    std::deque<graph::vertex_id> queue;
    for (auto const source : sources) {
        if (levels[source] == 0) continue;
        levels[source] = 0;
        queue.push_back(source);
    }
    for (; !queue.empty(); queue.pop_front())
        for (auto const target : rows[queue.front()]) {
            if (levels[target] != algorithms::unreached) continue;
            levels[target] = levels[queue.front()] + 1;
            queue.push_back(target);
        }
    return levels;
}

std::string broken_search_rule(plain_graph const& graph, std::vector<graph::vertex_id> const& sources,
                               std::vector<std::uint32_t> const& levels,
                               std::vector<graph::vertex_id> const& parents) {
    auto const at = [](std::uint64_t v) { return " at vertex " + std::to_string(v); };
    for (std::uint64_t v = 0; v < graph.vertices; ++v) {
        bool const is_source = std::find(sources.begin(), sources.end(), v) != sources.end();
        if ((levels[v] == 0) != is_source) return "level 0 is that of the sources" + at(v);
        if ((levels[v] == algorithms::unreached) != (parents[v] == graph::no_vertex))
            return "a parent without a level, or the reverse" + at(v);
        if (levels[v] == algorithms::unreached) continue;
        if (is_source) {
            if (parents[v] != v) return "a source has another parent" + at(v);
            continue;
        }
        if (parents[v] >= graph.vertices || levels[parents[v]] + 1 != levels[v])
            return "the parent is not one level up" + at(v);
        if (!std::binary_search(graph.arcs.begin(), graph.arcs.end(),
                                graph::edge{parents[v], static_cast<graph::vertex_id>(v)}))
            return "no arc from the parent" + at(v);
    }
    for (auto const [source, target] : graph.arcs)
        if (levels[source] != algorithms::unreached &&
            (levels[target] == algorithms::unreached || levels[target] > levels[source] + 1))
            return "an arc leads more than one level down" + at(target);
    return "";
}

std::vector<graph::vertex_id> components_plainly(plain_graph const& graph) {
    plain_graph both = graph;
    for (auto const [source, target] : graph.arcs)
        both.arcs.push_back({target, source});
    auto const rows = rows_of(both);
    std::vector<graph::vertex_id> labels(graph.vertices, graph::no_vertex);
    for (graph::vertex_id first = 0; first < graph.vertices; ++first) {
        if (labels[first] != graph::no_vertex) continue;
        std::vector<graph::vertex_id> open{first};
        labels[first] = first;
        while (!open.empty()) {
            auto const v = open.back();
            open.pop_back();
            for (auto const target : rows[v]) {
                if (labels[target] != graph::no_vertex) continue;
                labels[target] = first;
                open.push_back(target);
            }
        }
    }
    return labels;
}

std::vector<std::uint32_t> core_numbers_by_boost(plain_graph const& graph) {
    std::set<std::pair<graph::vertex_id, graph::vertex_id>> edges;
    for (auto const [source, target] : graph.arcs)
        if (source != target) edges.insert(std::pair{std::min(source, target), std::max(source, target)});
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> boosted(edges.begin(), edges.end(),
                                                                                graph.vertices);
    std::vector<std::size_t> cores(graph.vertices);
    if (graph.vertices != 0)
        boost::core_numbers(boosted, boost::make_iterator_property_map(
                                         cores.begin(), boost::get(boost::vertex_index, boosted)));
    return {cores.begin(), cores.end()};
}

} // namespace rhizome::tests
