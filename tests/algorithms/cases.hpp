// SPDX-License-Identifier: Apache-2.0
// Graphs that the algorithms are tried on, and how they get onto a space.
#pragma once

#include "oracles.hpp"

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/types.hpp>

#include <scale.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rhizome::tests {

template <class Space>
using tested_graph = graph::dynamic_graph<Space>;

struct named_edges {
    std::string name;
    std::uint64_t vertices;
    std::vector<graph::edge> edges; ///< in any order, with duplicates
};

/// Half of the ends fall on few vertices; some are self-loops; the last tenth of the vertices is isolated.
[[nodiscard]] inline named_edges skewed_edges(std::uint64_t vertices, std::uint64_t edges,
                                              std::uint64_t seed) {
    std::mt19937_64 random(seed);
    auto const below = [&](std::uint64_t bound) {
        return static_cast<graph::vertex_id>(
            std::uniform_int_distribution<std::uint64_t>(0, bound - 1)(random));
    };
    std::uint64_t const used = vertices - vertices / 10;
    auto const any_end = [&] {
        return below(2) == 0 ? below(std::max<std::uint64_t>(2, used / 16)) : below(used);
    };
    named_edges made{"skewed " + std::to_string(vertices) + " seed " + std::to_string(seed), vertices, {}};
    for (std::uint64_t i = 0; i < edges; ++i) {
        graph::vertex_id const source = any_end();
        made.edges.push_back({source, below(20) == 0 ? source : any_end()});
    }
    return made;
}

/// Two hubs that know everybody, and a ring: rows longer than one chunk, both ways.
[[nodiscard]] inline named_edges wheel_with_two_hubs(std::uint64_t vertices) {
    named_edges made{"two hubs " + std::to_string(vertices), vertices, {{0, 1}, {1, 0}}};
    for (graph::vertex_id v = 2; v < vertices; ++v) {
        made.edges.push_back({0, v});
        made.edges.push_back({v, 1});
        made.edges.push_back({v, v + 1 < vertices ? v + 1 : 2});
    }
    return made;
}

[[nodiscard]] inline named_edges complete_edges(std::uint64_t vertices) {
    named_edges made{"complete " + std::to_string(vertices), vertices, {}};
    for (graph::vertex_id u = 0; u < vertices; ++u)
        for (graph::vertex_id v = u + 1; v < vertices; ++v)
            made.edges.push_back({v, u});
    return made;
}

/// Rows of the lengths at which somebody else takes over: each of the first vertices knows so many of a ring.
[[nodiscard]] inline named_edges rows_of_boundary_lengths(bool small) {
    std::vector<graph::vertex_id> lengths{0,  1,  2,  3,  4,  5,   7,   8,   9,   15,  16,  17,  31, 32,
                                          33, 63, 64, 65, 66, 127, 128, 129, 130, 511, 512, 513, 514};
    if (!small) lengths.insert(lengths.end(), {1023, 1024, 1025, 2100});
    auto const first = static_cast<graph::vertex_id>(lengths.size());
    graph::vertex_id const ring = lengths.back();
    named_edges made{"boundary lengths", std::uint64_t{first} + ring, {}};
    for (graph::vertex_id v = 0; v < first; ++v)
        for (graph::vertex_id i = 0; i < lengths[v]; ++i)
            made.edges.push_back({v, first + i});
    for (graph::vertex_id i = 0; i < ring; ++i)
        made.edges.push_back({first + i, first + (i + 1) % ring});
    return made;
}

/// Everybody knows the next `reach` of a ring.
[[nodiscard]] inline named_edges circulant_edges(graph::vertex_id vertices, graph::vertex_id reach) {
    named_edges made{"circulant " + std::to_string(vertices), vertices, {}};
    for (graph::vertex_id v = 0; v < vertices; ++v)
        for (graph::vertex_id step = 1; step <= reach; ++step)
            made.edges.push_back({v, (v + step) % vertices});
    return made;
}

/// Few who know each other have most of the arcs, and each of the others knows one of them.
[[nodiscard]] inline named_edges core_and_leaves(graph::vertex_id core, graph::vertex_id leaves) {
    named_edges made{"core and leaves " + std::to_string(core), core + leaves, {}};
    for (graph::vertex_id u = 0; u < core; ++u) // the core in between, so that no order helps
        for (graph::vertex_id v = u + 1; v < core; ++v)
            made.edges.push_back({leaves / 2 + u, leaves / 2 + v});
    for (graph::vertex_id i = 0; i < leaves; ++i)
        made.edges.push_back({i < leaves / 2 ? i : core + i, leaves / 2 + i % core});
    return made;
}

/// The last two know everybody: long rows that are no smaller neighbours of a vertex with greater ones.
[[nodiscard]] inline named_edges hubs_behind(graph::vertex_id vertices) {
    named_edges made{"hubs behind " + std::to_string(vertices), vertices, {{vertices - 2, vertices - 1}}};
    for (graph::vertex_id v = 0; v + 2 < vertices; ++v) {
        made.edges.push_back({v, vertices - 2});
        made.edges.push_back({v, vertices - 1});
    }
    return made;
}

[[nodiscard]] inline named_edges loops_only(graph::vertex_id vertices) {
    named_edges made{"loops only", vertices, {}};
    for (graph::vertex_id v = 0; v < vertices; ++v)
        made.edges.push_back({v, v});
    return made;
}

/// A directed graph in which every vertex has an out-arc.
[[nodiscard]] inline named_edges without_dangling(named_edges list) {
    for (graph::vertex_id v = 0; v < list.vertices; ++v)
        list.edges.push_back({v, static_cast<graph::vertex_id>((v + 1) % list.vertices)});
    list.name += " and a ring";
    return list;
}

[[nodiscard]] inline std::vector<named_edges> cases(bool small) {
    std::vector<named_edges> all{{"one vertex", 1, {}},    {"one loop", 1, {{0, 0}}},
                                 {"no edges", 40, {}},     {"one edge", 3, {{2, 0}}},
                                 loops_only(70),
                                 complete_edges(5), // rows of one window
                                 complete_edges(20),
                                 complete_edges(65), // of the longest short rows
                                 complete_edges(66), // of one more
                                 circulant_edges(70, 2),
                                 hubs_behind(67), // rows of 66
                                 core_and_leaves(20, 100), rows_of_boundary_lengths(small)};
    for (std::uint64_t seed = 1; seed <= 4; seed += sanitized ? 3 : 1)
        all.push_back(skewed_edges(60, 50 * seed * seed, seed));
    if (small) {
        all.push_back(wheel_with_two_hubs(1100));
    } else {
        all.push_back(wheel_with_two_hubs(5000));
        all.push_back(complete_edges(sanitized ? 300 : 700));
        all.push_back(core_and_leaves(sanitized ? 150 : 300, 4000));
        all.push_back(skewed_edges(700, sanitized ? 20'000 : 60'000, 5));
        all.push_back(skewed_edges(3000, 6000, 6));
    }
    return all;
}

struct direction {
    std::string name;
    bool directed;
    bool in_arcs;
};
[[nodiscard]] inline std::vector<direction> directions() {
    return {{"undirected", false, false}, {"directed", true, false}, {"directed with in-arcs", true, true}};
}

template <class Space>
[[nodiscard]] tested_graph<Space> build(Space const& space, named_edges const& list, direction const& way) {
    tested_graph<Space> graph(space,
                              {.vertices = list.vertices, .directed = way.directed, .in_arcs = way.in_arcs});
    graph.insert_edges(list.edges);
    return graph;
}

} // namespace rhizome::tests
