// SPDX-License-Identifier: Apache-2.0
// Graphs with weights, and how they get onto a space.
#pragma once

#include "cases.hpp"
#include "path_oracles.hpp"

#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/view.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// The graph type with values that the library holds compiled.
template <class Space>
using weighted_live_graph =
    graph::dynamic_graph<Space, graph::contiguous, graph::default_allocator<Space>, double>;

/// Weights from 0 to `range` - 1 that look random, the same in both directions if `both_ways`.
struct weighing {
    std::uint32_t range;
    bool both_ways;

    [[nodiscard]] std::uint32_t operator()(graph::edge const& e) const {
        auto a = std::uint64_t{e.source};
        auto b = std::uint64_t{e.target};
        if (both_ways && a > b) std::swap(a, b);
        std::uint64_t bits = (a * 0x9e37'79b9'7f4a'7c15ull) ^ (b * 0xc2b2'ae3d'27d4'eb4full);
        bits = (bits ^ (bits >> 29)) * 0xbf58'476d'1ce4'e5b9ull;
        return static_cast<std::uint32_t>((bits >> 32) % range);
    }
};

template <class Weight, class Weigher>
[[nodiscard]] weighted_graph<Weight> weigh(plain_graph const& graph, Weigher const& weigher) {
    weighted_graph<Weight> made{graph, {}};
    for (auto const& arc : graph.arcs)
        made.weights.push_back(static_cast<Weight>(weigher(arc)));
    return made;
}

template <class Graph, class Weigher>
void insert_weighted(Graph& graph, std::vector<graph::edge> const& edges, Weigher const& weigher) {
    std::vector<double> values;
    for (auto const& e : edges)
        values.push_back(weigher(e));
    graph.insert_edges(edges, values);
}

/// Compressed sparse rows with any weights. Not symmetric.
template <class Space, class Weight>
class weighted_rows {
public:
    weighted_rows(Space const& space, weighted_graph<Weight> const& graph)
        : vertices_(graph.arcs.vertices), arcs_(graph.weights.size()),
          offsets_(space, offsets_of(graph.arcs)), targets_(space, targets_of(graph.arcs)),
          values_(space, padded(graph.weights)) {}

    [[nodiscard]] graph::basic_csr_view<graph::vertex_id, Weight> view() const {
        return {{offsets_.data(), targets_.data(), vertices_, arcs_, false}, values_.data()};
    }

private:
    static std::vector<std::uint64_t> offsets_of(plain_graph const& graph) {
        std::vector<std::uint64_t> offsets(graph.vertices + 1);
        for (auto const& arc : graph.arcs)
            ++offsets[arc.source + std::size_t{1}];
        for (std::size_t v = 1; v < offsets.size(); ++v)
            offsets[v] += offsets[v - 1];
        return offsets;
    }
    static std::vector<graph::vertex_id> targets_of(plain_graph const& graph) {
        std::vector<graph::vertex_id> targets{};
        for (auto const& arc : graph.arcs)
            targets.push_back(arc.target);
        return padded(targets);
    }
    template <class T>
    static std::vector<T> padded(std::vector<T> values) {
        values.push_back(T{}); // an array has an element
        return values;
    }

    std::uint64_t vertices_;
    std::uint64_t arcs_;
    exec::buffer<Space, std::uint64_t> offsets_;
    exec::buffer<Space, graph::vertex_id> targets_;
    exec::buffer<Space, Weight> values_;
};

/// Checks distances and parents of a search against the oracles.
template <class Space, class View, class Weight>
void expect_paths(Space& space, algorithms::shortest_paths<Space>& tested, View const& view,
                  weighted_graph<Weight> const& expected, std::vector<graph::vertex_id> const& sources,
                  algorithms::shortest_paths_options const& options = {}) {
    using distance = algorithms::distance_of<Weight>;
    exec::buffer<Space, distance> distances(space, view.vertex_count() + 1);
    exec::buffer<Space, graph::vertex_id> parents(space, view.vertex_count() + 1);
    auto const report = tested.run(view, sources, distances.data(), parents.data(), options);
    auto found = distances.to_host();
    auto tree = parents.to_host();
    found.resize(view.vertex_count());
    tree.resize(view.vertex_count());
    ASSERT_EQ(found, distances_by_boost(expected, sources));
    EXPECT_EQ(broken_path_rule(expected, sources, found, tree), "");
    EXPECT_EQ(report.reached,
              view.vertex_count() - static_cast<std::uint64_t>(std::count(
                                        found.begin(), found.end(), algorithms::unreached_distance<Weight>)));
}

} // namespace rhizome::tests
