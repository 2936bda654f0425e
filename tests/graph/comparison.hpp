// Comparing a dynamic graph with the reference, edge for edge.
#pragma once

#include "reference.hpp"

#include <rhizome/graph/dynamic_graph.hpp>

#include <allocators.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace rhizome::tests {

using graph_cases = allocator_cases;

/// The graph of an allocator_on.
template <class Case>
using graph_over = graph::dynamic_graph<typename Case::space, graph::contiguous, typename Case::owner>;

/// Copies the in-adjacency as the out-adjacency of the reversed graph.
struct reversed_view {
    static constexpr bool sorted = true;
    graph::live_view original;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return original.vertex_count(); }
    [[nodiscard]] RZ_HD bool symmetric() const { return original.symmetric(); }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return true; }
    [[nodiscard]] RZ_HD std::uint64_t degree(graph::vertex_id v) const {
        return original.in_neighbours(v).size();
    }
    [[nodiscard]] RZ_HD graph::neighbour_range neighbours(graph::vertex_id v) const {
        return original.in_neighbours(v);
    }
    [[nodiscard]] RZ_HD graph::neighbour_range in_neighbours(graph::vertex_id v) const {
        return original.neighbours(v);
    }
};

/// All arcs of a snapshot, in its order.
template <class Csr>
[[nodiscard]] std::vector<graph::edge> arcs_of(Csr const& copy) {
    auto const offsets = copy.offsets.to_host();
    auto const targets = copy.targets.to_host();
    std::vector<graph::edge> arcs;
    arcs.reserve(targets.size());
    for (std::uint64_t v = 0; v < copy.vertices; ++v)
        for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
            arcs.push_back({static_cast<graph::vertex_id>(v), targets[i]});
    return arcs;
}

/// All arcs of a view of `space`, without taking memory or scratch of that space.
template <class Space, class View>
[[nodiscard]] std::vector<graph::edge> arcs_elsewhere(Space& space, View const& view) {
    space.synchronize();
    Space elsewhere = make_space<Space>();
    exec::workspace<Space> scratch(elsewhere);
    return arcs_of(graph::snapshot(elsewhere, scratch, view));
}

template <class Graph>
void expect_valid(Graph& tested) {
    for (std::string const& violation : tested.validate())
        ADD_FAILURE() << violation;
}

/// The graph has the reference's edges, no others, and says so in every way it can.
template <class Graph>
void expect_same(Graph& tested, reference_graph const& reference) {
    expect_valid(tested);
    EXPECT_EQ(tested.vertex_count(), reference.vertices());
    EXPECT_EQ(tested.edge_count(), reference.edges().size());
    std::vector<graph::edge> arcs(reference.edges().begin(), reference.edges().end());
    if (!tested.directed()) {
        for (graph::edge const& edge : reference.edges())
            if (edge.source != edge.target) arcs.push_back({edge.target, edge.source});
        std::sort(arcs.begin(), arcs.end());
    }
    EXPECT_EQ(tested.arc_count(), arcs.size());
    // Not EXPECT_EQ: printing a million arcs helps nobody.
    EXPECT_TRUE(arcs_elsewhere(tested.space(), tested.view()) == arcs) << "the arcs differ";
    if (!tested.directed() || !tested.view().has_in_arcs()) return;
    for (graph::edge& arc : arcs)
        std::swap(arc.source, arc.target);
    std::sort(arcs.begin(), arcs.end());
    EXPECT_TRUE(arcs_elsewhere(tested.space(), reversed_view{tested.view()}) == arcs) << "the in-arcs differ";
}

/// Applies a batch to both; the reports must be equal.
template <class Graph>
void apply_to_both(Graph& tested, reference_graph& reference, std::span<graph::edge const> batch,
                   bool erasing) {
    graph::batch_report const got = erasing ? tested.erase_edges(batch) : tested.insert_edges(batch);
    graph::batch_report const expected = reference.apply(batch, erasing);
    EXPECT_EQ(got.applied, expected.applied);
    EXPECT_EQ(got.without_effect, expected.without_effect);
    EXPECT_EQ(got.duplicates, expected.duplicates);
    EXPECT_EQ(got.self_loops_refused, expected.self_loops_refused);
    EXPECT_EQ(got.rejected, expected.rejected);
    EXPECT_EQ(got.total(), batch.size());
}

} // namespace rhizome::tests
