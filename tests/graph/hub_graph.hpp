// SPDX-License-Identifier: Apache-2.0
// A graph with hubs, what to ask it, and what it should answer: for tests of queries.
#pragma once

#include "edge_list.hpp"

#include <rhizome/graph/options.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/query_answers.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace rhizome::tests {

/// Arcs and their values, as a map.
template <class Value>
using arc_map = std::map<graph::edge, Value>;

/// Every kind of graph, without heap to spare.
[[nodiscard]] inline std::vector<graph::graph_options> kinds_of_graphs(std::uint64_t vertices) {
    return {{.vertices = vertices},
            {.vertices = vertices, .directed = true},
            {.vertices = vertices, .directed = true, .in_arcs = true}};
}

/// 2,500 neighbours: three pieces of a list that is copied in pieces.
inline constexpr std::uint32_t hub_vertices = 2'520;

/// A graph of two hubs, one of them longer than what is copied as one piece, rows about as long as one, many
/// small rows, rows without neighbours, and self-loops. Values name their edges.
struct hub_graph {
    std::uint32_t vertices;
    edge_list edges;

    explicit hub_graph(std::uint32_t n) : vertices(n) {
        for (std::uint32_t v = 0; v + 20 < n; ++v) {
            if (v != 3) edges.push_back({3, v});
            if (v % 3 == 1) edges.push_back({v, 7});
        }
        for (std::uint32_t i = 0; i < 3; ++i)
            for (std::uint32_t target = 0; target < graph::tuning::heavy_degree - 1 + i; ++target)
                edges.push_back({n - 20 + i, target});
        std::mt19937_64 random(n);
        for (std::uint32_t i = 0; i < 4 * n; ++i)
            edges.push_back({static_cast<graph::vertex_id>(random() % (n - 20)),
                             static_cast<graph::vertex_id>(random() % (n - 20))});
        std::sort(edges.begin(), edges.end());
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    }

    /// What each arc of the graph has for a value; where two edges of the list are one edge, the last counts.
    template <class Value>
    [[nodiscard]] arc_map<Value> arcs(bool directed) const {
        arc_map<Value> all;
        for (std::size_t i = 0; i < edges.size(); ++i) {
            all[edges[i]] = static_cast<Value>(i + 1);
            if (!directed) all[{edges[i].target, edges[i].source}] = static_cast<Value>(i + 1);
        }
        return all;
    }
    template <class Value>
    [[nodiscard]] std::vector<Value> values() const {
        std::vector<Value> all;
        for (std::size_t i = 0; i < edges.size(); ++i)
            all.push_back(static_cast<Value>(i + 1));
        return all;
    }
};

/// Present and absent edges in both directions, hubs at either end, ends that are no vertex, repeats.
[[nodiscard]] inline edge_list edges_to_ask(hub_graph const& of) {
    std::mt19937_64 random(5);
    edge_list asked;
    for (std::size_t i = 0; i < of.edges.size(); i += 4 + random() % 9) {
        graph::edge const edge = of.edges[i];
        asked.push_back(edge);
        asked.push_back({edge.target, edge.source});
        asked.push_back({edge.source, static_cast<graph::vertex_id>(random() % of.vertices)});
        asked.push_back({3, static_cast<graph::vertex_id>(random() % of.vertices)});
        if (i % 50 == 0) {
            asked.push_back({edge.source, of.vertices});
            asked.push_back({of.vertices + 1, edge.target});
            asked.push_back({graph::no_vertex, graph::no_vertex});
            asked.push_back({3, graph::no_vertex});
            asked.push_back(edge);
        }
    }
    return asked;
}

/// Every vertex, hubs again and again, and ids that are no vertex at the beginning, between, and at the end.
[[nodiscard]] inline id_list ids_to_ask(hub_graph const& of) {
    // The third list begins one place before the first piece ends.
    id_list asked{graph::no_vertex, of.vertices - 20, of.vertices - 18, 3, 3};
    for (std::uint32_t v = of.vertices; v-- > 0;) {
        asked.push_back(v);
        if (v % 97 == 0) asked.insert(asked.end(), {of.vertices, 7, of.vertices + 5});
    }
    asked.insert(asked.end(), {3, of.vertices});
    return asked;
}

/// The arcs of each vertex asked for, list behind list.
template <class Value>
graph::neighbour_lists<graph::vertex_id, Value> expected_lists(arc_map<Value> const& arcs,
                                                               id_list const& asked) {
    graph::neighbour_lists<graph::vertex_id, Value> lists{{0}, {}, {}};
    for (graph::vertex_id const id : asked) {
        for (auto arc = arcs.lower_bound({id, 0}); arc != arcs.end() && arc->first.source == id; ++arc) {
            lists.targets.push_back(arc->first.target);
            lists.values.push_back(arc->second);
        }
        lists.offsets.push_back(lists.targets.size());
    }
    return lists;
}

template <class Value>
std::vector<std::uint8_t> expected_presence(arc_map<Value> const& arcs, edge_list const& asked) {
    std::vector<std::uint8_t> present;
    for (graph::edge const& edge : asked)
        present.push_back(arcs.count(edge) != 0 ? 1 : 0);
    return present;
}

[[nodiscard]] inline std::vector<std::uint32_t>
expected_degrees(std::vector<std::uint64_t> const& offsets, id_list const& asked, std::uint32_t vertices) {
    std::vector<std::uint32_t> degrees;
    for (std::size_t i = 0; i < asked.size(); ++i)
        degrees.push_back(asked[i] < vertices ? static_cast<std::uint32_t>(offsets[i + 1] - offsets[i])
                                              : graph::no_degree);
    return degrees;
}

} // namespace rhizome::tests
