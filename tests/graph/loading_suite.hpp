// SPDX-License-Identifier: Apache-2.0
// What a graph promises of how it is loaded: from compressed sparse rows, from edges in any order.
#pragma once

#include "behaviour_suite.hpp"

namespace rhizome::tests {
namespace {

TYPED_TEST(graph_behaviour, is_built_from_compressed_sparse_rows) {
    hub_graph const made(hub_vertices);
    edge_list edges = made.edges;
    edges.push_back({9, 9});
    for (graph::graph_options const& options : kinds_of_graphs(made.vertices)) {
        SCOPED_TRACE(options.directed ? options.in_arcs ? "in_arcs" : "directed" : "undirected");
        graph_over<TypeParam> first(make_space<typename TypeParam::space>(), options);
        reference_graph reference(options);
        apply_and_list(first, reference, edges, false);
        auto const copy = first.snapshot();
        graph_over<TypeParam> second(first.space(), options);
        graph::batch_report const report = second.insert_rows_in_space(copy.view());
        EXPECT_EQ(report, (graph::batch_report{.applied = first.edge_count()}));
        expect_same(second, reference);
        expect_valid(second);
        EXPECT_EQ(second.insert_rows_in_space(copy.view()).without_effect, first.edge_count());
    }
}

/// Arcs that come in order are not sorted, and the first ones of a graph are not merged. All vertices of a
/// table of 2^k, so that the last arc there can be has the largest key.
TYPED_TEST(graph_behaviour, is_loaded_with_edges_in_any_order) {
    std::uint64_t const vertices = 256;
    auto const last = static_cast<graph::vertex_id>(vertices - 1);
    edge_list edges = random_edges(4'000, vertices, 11);
    edges.insert(edges.end(), {{last, last}, {0, 0}, edges.front(), edges.front(), {last, last}});
    edge_list ascending = edges;
    std::sort(ascending.begin(), ascending.end(), [](graph::edge const& left, graph::edge const& right) {
        return std::pair(left.source, left.target) < std::pair(right.source, right.target);
    });
    edge_list rejected = edges;
    rejected.insert(rejected.begin() + 100, {{last, last + 1}, {graph::no_vertex, 0}});
    edge_list ascending_rejected = ascending;
    ascending_rejected.push_back({last + 1, 0});
    for (graph::graph_options const& options : kinds_of_graphs(vertices))
        for (bool const self_loops : {true, false})
            for (edge_list const* batch : {&edges, &ascending, &rejected, &ascending_rejected}) {
                graph::graph_options kind = options;
                kind.self_loops = self_loops;
                graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), kind);
                reference_graph reference(kind);
                apply_and_list(tested, reference, *batch, false);
                expect_same(tested, reference);
                apply_and_list(tested, reference, edges, true);
                EXPECT_EQ(tested.arc_count(), 0u);
                apply_and_list(tested, reference, ascending, false); // into a heap that has been used
                expect_same(tested, reference);
                expect_valid(tested);
            }
}

TYPED_TEST(graph_behaviour, rows_of_other_graphs_are_batches_like_any_other) {
    auto space = make_space<typename TypeParam::space>();
    graph_over<TypeParam> directed(space, {.vertices = 5, .directed = true});
    directed.insert_edges(edge_list{{0, 1}, {1, 0}, {1, 2}, {4, 3}, {3, 3}});
    auto const copy = directed.snapshot();
    // Arcs both ways are one edge twice; rows that do not ascend, and rows of vertices that there are not.
    graph_over<TypeParam> undirected(space, {.vertices = 4});
    EXPECT_EQ(undirected.insert_rows_in_space(copy.view()),
              (graph::batch_report{.applied = 3, .duplicates = 1, .rejected = 1}));
    EXPECT_EQ(arcs_of(undirected.snapshot()), (edge_list{{0, 1}, {1, 0}, {1, 2}, {2, 1}, {3, 3}}));
    exec::buffer<typename TypeParam::space, std::uint64_t> const offsets(
        space, std::vector<std::uint64_t>{0, 3, 3, 4});
    exec::buffer<typename TypeParam::space, graph::vertex_id> const targets(space, id_list{2, 0, 1, 2});
    graph_over<TypeParam> unordered(space, {.vertices = 3, .directed = true});
    EXPECT_EQ(unordered.insert_rows_in_space({offsets.data(), targets.data(), 3, 4, false}).applied, 4u);
    EXPECT_EQ(arcs_of(unordered.snapshot()), (edge_list{{0, 0}, {0, 1}, {0, 2}, {2, 2}}));
    graph_over<TypeParam> empty(space, {});
    EXPECT_EQ(empty.insert_rows_in_space(empty.snapshot().view()), graph::batch_report{});
    EXPECT_EQ(empty.insert_rows_in_space(copy.view()).rejected, 5u);
}

} // namespace
} // namespace rhizome::tests
