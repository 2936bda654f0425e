// SPDX-License-Identifier: Apache-2.0
// Comparing a dynamic graph with the reference, edge for edge.
#pragma once

#include "cases.hpp"
#include "memory_reserve.hpp"
#include "reference.hpp"

#include <rhizome/graph/snapshot.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// The in-adjacency as the out-adjacency of the reversed graph.
template <class View>
struct reversed_view {
    static constexpr bool sorted = View::sorted;
    using id_type = typename View::id_type;
    View original;

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return original.vertex_count(); }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return original.live_vertex_count(); }
    [[nodiscard]] RZ_HD bool is_live(id_type v) const { return original.is_live(v); }
    [[nodiscard]] RZ_HD bool symmetric() const { return original.symmetric(); }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return true; }
    [[nodiscard]] RZ_HD std::uint64_t degree(id_type v) const { return original.in_neighbours(v).size(); }
    [[nodiscard]] RZ_HD auto neighbours(id_type v) const { return original.in_neighbours(v); }
    [[nodiscard]] RZ_HD auto in_neighbours(id_type v) const { return original.neighbours(v); }
    [[nodiscard]] RZ_HD auto values(id_type v) const requires View::has_values {
        return original.in_values(v);
    }
};

/// All arcs of a snapshot, in its order.
template <class Csr>
[[nodiscard]] auto arcs_of(Csr const& copy) {
    using id_type = typename Csr::id_type;
    auto const offsets = copy.offsets.to_host();
    auto const targets = copy.targets.to_host();
    std::vector<graph::basic_edge<id_type>> arcs;
    arcs.reserve(targets.size());
    for (std::uint64_t v = 0; v < copy.vertices; ++v)
        for (std::uint64_t i = offsets[v]; i < offsets[v + 1]; ++i)
            arcs.push_back({static_cast<id_type>(v), targets[i]});
    return arcs;
}

/// ... with values, 0 where edges have none.
template <class Value, class Csr>
[[nodiscard]] auto valued_arcs_of(Csr const& copy) {
    using value_type = typename basic_reference_graph<Value>::value_type;
    auto const arcs = arcs_of(copy);
    std::vector<std::pair<graph::basic_edge<typename Csr::id_type>, value_type>> all;
    all.reserve(arcs.size());
    if constexpr (std::is_void_v<Value>) {
        for (auto const& arc : arcs)
            all.push_back({arc, value_type{}});
    } else {
        auto const values = copy.values.to_host();
        EXPECT_EQ(values.size(), arcs.size());
        for (std::size_t i = 0; i < arcs.size(); ++i)
            all.push_back({arcs[i], values[i]});
    }
    return all;
}

/// All arcs of a view of `space`, without taking memory or scratch of that space.
template <class Value = void, class Space, class View>
[[nodiscard]] auto valued_arcs_elsewhere(Space& space, View const& view) {
    space.synchronize();
    Space elsewhere = make_space<Space>();
    exec::workspace<Space> scratch(elsewhere);
    return valued_arcs_of<Value>(graph::snapshot<Value>(elsewhere, scratch, view));
}
template <class Space, class View>
[[nodiscard]] auto arcs_elsewhere(Space& space, View const& view) {
    space.synchronize();
    Space elsewhere = make_space<Space>();
    exec::workspace<Space> scratch(elsewhere);
    return arcs_of(graph::snapshot(elsewhere, scratch, view));
}

/// Fails with out_of_memory where rows do not ascend and there is no room for a sorted copy of them: a test
/// of a limit sets a memory_reserve aside.
template <class Graph>
void expect_valid(Graph& tested) {
    for (std::string const& violation : tested.validate())
        ADD_FAILURE() << violation;
}

/// The graph has the reference's edges and no others. Takes no memory of the graph's space.
template <class Graph, class Value, class Id>
void expect_equal_arcs(Graph& tested, basic_reference_graph<Value, Id> const& reference) {
    EXPECT_EQ(tested.vertex_count(), reference.vertices());
    EXPECT_EQ(tested.live_vertex_count(), reference.live_vertices());
    EXPECT_EQ(tested.edge_count(), reference.edges().size());
    auto const arcs = reference.arcs();
    EXPECT_EQ(tested.arc_count(), arcs.size());
    // Not EXPECT_EQ, which would print a million arcs.
    EXPECT_TRUE(valued_arcs_elsewhere<Value>(tested.space(), tested.view()) == arcs) << "the arcs differ";
    if (!tested.directed() || !tested.view().has_in_arcs()) return;
    using reversed = reversed_view<typename Graph::view_type>;
    EXPECT_TRUE(valued_arcs_elsewhere<Value>(tested.space(), reversed{tested.view()}) == reference.arcs(true))
        << "the in-arcs differ";
}

/// ... and is valid.
template <class Graph, class Value, class Id>
void expect_same(Graph& tested, basic_reference_graph<Value, Id> const& reference) {
    expect_valid(tested);
    expect_equal_arcs(tested, reference);
}

/// Applies a batch to both; the reports must be equal. Edges with values get new ones.
template <class Graph, class Value, class Id>
void apply_to_both(Graph& tested, basic_reference_graph<Value, Id>& reference,
                   std::span<std::type_identity_t<graph::basic_edge<Id>> const> batch, bool erasing) {
    std::vector<typename basic_reference_graph<Value, Id>::value_type> values;
    graph::batch_report got;
    if constexpr (std::is_void_v<Value>) {
        got = erasing ? tested.erase_edges(batch) : tested.insert_edges(batch);
    } else {
        if (!erasing)
            for (std::size_t i = 0; i < batch.size(); ++i)
                values.push_back(static_cast<Value>(reference.edges().size() + i));
        got = erasing ? tested.erase_edges(batch) : tested.insert_edges(batch, values);
    }
    graph::batch_report const expected = reference.apply(batch, erasing, values);
    EXPECT_EQ(got.applied, expected.applied);
    EXPECT_EQ(got.updated, expected.updated);
    EXPECT_EQ(got.without_effect, expected.without_effect);
    EXPECT_EQ(got.duplicates, expected.duplicates);
    EXPECT_EQ(got.self_loops_refused, expected.self_loops_refused);
    EXPECT_EQ(got.rejected, expected.rejected);
    EXPECT_EQ(got.total(), batch.size());
}

} // namespace rhizome::tests
