// SPDX-License-Identifier: Apache-2.0
// Comparing a dynamic graph with the reference, edge for edge.
#pragma once

#include "cases.hpp"
#include "memory_reserve.hpp"
#include "reference.hpp"

#include <rhizome/graph/snapshot.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
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

/// The elements of a list of changes.
template <class Space, class T>
[[nodiscard]] std::vector<T> list_on_host(Space& space, std::span<T const> list) {
    std::vector<T> all(list.size());
    if (!all.empty()) space.copy_out(all.data(), list.data(), list.size_bytes());
    return all;
}

/// What the lists hold, in the order of edges, as the reference has it. Takes no memory of the space.
template <class Value, class Graph>
[[nodiscard]] auto changes_on_host(Graph& tested, typename Graph::changes_type const& changes) {
    using reference_type = basic_reference_graph<Value, typename Graph::id_type>;
    using value_type = typename reference_type::value_type;
    typename reference_type::changed found;
    auto const on_host = [&](auto list) { return list_on_host(tested.space(), list); };
    std::vector<value_type> values[4];
    if constexpr (!std::is_void_v<Value>) {
        values[0] = on_host(changes.values_of_inserted());
        values[1] = on_host(changes.values_of_erased());
        values[2] = on_host(changes.values_before());
        values[3] = on_host(changes.values_after());
    }
    auto const value = [&](unsigned list, std::size_t i) {
        return std::is_void_v<Value> ? value_type{} : values[list].at(i);
    };
    for (auto const& edge : on_host(changes.inserted()))
        found.inserted.push_back({edge, value(0, found.inserted.size())});
    for (auto const& edge : on_host(changes.erased()))
        found.erased.push_back({edge, value(1, found.erased.size())});
    for (auto const& edge : on_host(changes.updated()))
        found.updated.push_back({edge, value(2, found.updated.size()), value(3, found.updated.size())});
    std::sort(found.inserted.begin(), found.inserted.end());
    std::sort(found.erased.begin(), found.erased.end());
    std::sort(found.updated.begin(), found.updated.end());
    return found;
}

/// The lists say what the reference changed last.
template <class Graph, class Value, class Id>
void expect_last_changes(Graph& tested, typename Graph::changes_type const& changes,
                         basic_reference_graph<Value, Id> const& reference) {
    auto const found = changes_on_host<Value>(tested, changes);
    EXPECT_TRUE(found.inserted == reference.last_changes().inserted) << "the lists of inserted edges differ";
    EXPECT_TRUE(found.erased == reference.last_changes().erased) << "the lists of erased edges differ";
    EXPECT_TRUE(found.updated == reference.last_changes().updated) << "the lists of updated edges differ";
}

/// Applies a batch to both; the reports must be equal. Edges with values get new ones. `changes`: none, or
/// empty lists, which are compared as well (nullptr: the batch lists no changes).
template <class Graph, class Value, class Id, class... Changes>
void apply_to_both(Graph& tested, basic_reference_graph<Value, Id>& reference,
                   std::span<std::type_identity_t<graph::basic_edge<Id>> const> batch, bool erasing,
                   Changes*... changes) {
    std::vector<typename basic_reference_graph<Value, Id>::value_type> values;
    graph::batch_report got;
    if constexpr (std::is_void_v<Value>) {
        got = erasing ? tested.erase_edges(batch, changes...) : tested.insert_edges(batch, changes...);
    } else {
        if (!erasing)
            for (std::size_t i = 0; i < batch.size(); ++i)
                values.push_back(static_cast<Value>(reference.edges().size() + i));
        got =
            erasing ? tested.erase_edges(batch, changes...) : tested.insert_edges(batch, values, changes...);
    }
    graph::batch_report const expected = reference.apply(batch, erasing, values);
    EXPECT_EQ(got.applied, expected.applied);
    EXPECT_EQ(got.updated, expected.updated);
    EXPECT_EQ(got.without_effect, expected.without_effect);
    EXPECT_EQ(got.duplicates, expected.duplicates);
    EXPECT_EQ(got.self_loops_refused, expected.self_loops_refused);
    EXPECT_EQ(got.rejected, expected.rejected);
    EXPECT_EQ(got.total(), batch.size());
    [[maybe_unused]] auto const compare = [&](auto& lists) {
        EXPECT_EQ(erasing ? lists.erased().size() : lists.inserted().size(), got.applied);
        EXPECT_EQ(lists.updated().size(), got.updated);
        expect_last_changes(tested, lists, reference);
        lists.clear();
    };
    ((changes == nullptr ? void() : compare(*changes)), ...);
}
/// The same with lists of changes of its own.
template <class Graph, class Value, class Id>
void apply_and_list(Graph& tested, basic_reference_graph<Value, Id>& reference,
                    std::span<std::type_identity_t<graph::basic_edge<Id>> const> batch, bool erasing) {
    typename Graph::changes_type changes(tested.space());
    apply_to_both(tested, reference, batch, erasing, &changes);
}

} // namespace rhizome::tests
