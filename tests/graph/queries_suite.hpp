// SPDX-License-Identifier: Apache-2.0
// Questions about many edges and vertices: batches from the host, arrays in the space, users' own kernels.
#pragma once

#include "comparison.hpp"
#include "hub_graph.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/queries.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

/// Layouts give neighbours in orders of their own.
template <class Lists>
void sort_lists(Lists& lists) {
    using value_type = typename decltype(lists.values)::value_type;
    bool const with_values = !lists.values.empty();
    for (std::size_t i = 0; i + 1 < lists.offsets.size(); ++i) {
        std::vector<std::pair<graph::vertex_id, value_type>> list;
        for (std::uint64_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k)
            list.emplace_back(lists.targets[k], with_values ? lists.values[k] : value_type{});
        std::sort(list.begin(), list.end());
        for (std::uint64_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k) {
            lists.targets[k] = list[k - lists.offsets[i]].first;
            if (with_values) lists.values[k] = list[k - lists.offsets[i]].second;
        }
    }
}

/// The answers to queries about a few edges or ids each, one after the other.
template <class Item, class Answer, class Ask>
std::vector<Answer> asked_in_parts(std::vector<Item> const& all, std::vector<Answer> const&, Ask const& ask) {
    std::vector<Answer> answers;
    std::size_t part = 1;
    for (std::size_t first = 0; first < all.size(); first += part) {
        part = first < 10 ? 1 : first % 2 == 0 ? 37 : graph::tuning::tiny_query;
        auto const found = ask(std::span(all).subspan(first, std::min(part, all.size() - first)));
        answers.insert(answers.end(), found.begin(), found.end());
    }
    return answers;
}

template <class Case>
class graph_queries : public space_test {};
TYPED_TEST_SUITE(graph_queries, query_cases<tested_layout>, named_types);

TYPED_TEST(graph_queries, are_answered_as_a_set_of_arcs_would) {
    hub_graph const made(hub_vertices);
    edge_list const edges = edges_to_ask(made);
    id_list const ids = ids_to_ask(made);
    for (graph::graph_options const& options : kinds_of_graphs(made.vertices)) {
        SCOPED_TRACE(options.directed ? options.in_arcs ? "in_arcs" : "directed" : "undirected");
        graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), options);
        tested.insert_edges(made.edges);
        auto const arcs = made.arcs<std::uint32_t>(options.directed);
        auto const presence = expected_presence(arcs, edges);
        EXPECT_TRUE(tested.has_edges(edges) == presence);
        EXPECT_TRUE(asked_in_parts(edges, presence, [&](auto part) { return tested.has_edges(part); }) ==
                    presence);
        auto const expected = expected_lists(arcs, ids);
        auto lists = tested.neighbours_of(ids);
        EXPECT_EQ(lists.offsets, expected.offsets);
        sort_lists(lists);
        EXPECT_TRUE(lists.targets == expected.targets);
        EXPECT_TRUE(lists.values.empty());
        EXPECT_EQ(lists.of(3).size(), lists.of(4).size());
        auto const degrees = expected_degrees(expected.offsets, ids, made.vertices);
        EXPECT_TRUE(tested.degrees(ids) == degrees);
        EXPECT_TRUE(asked_in_parts(ids, degrees, [&](auto part) { return tested.degrees(part); }) == degrees);
        // An answer is of its moment, and of what lives.
        if (!options.directed) {
            tested.erase_vertices(id_list{7});
            EXPECT_EQ(tested.degrees(id_list{7, 7}), (std::vector<std::uint32_t>(2, graph::no_degree)));
            EXPECT_EQ(tested.has_edges(edge_list{{3, 7}, {7, 3}}), (std::vector<std::uint8_t>{0, 0}));
            EXPECT_TRUE(tested.neighbours_of(id_list{7}).targets.empty());
        }
        tested.erase_edges(edge_list{{3, 5}});
        EXPECT_EQ(tested.has_edges(edge_list{{3, 5}, {3, 6}}), (std::vector<std::uint8_t>{0, 1}));
        expect_valid(tested);
    }
}

TYPED_TEST(graph_queries, may_be_empty_and_of_empty_graphs) {
    graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), {.vertices = 0});
    for (int vertices : {0, 40}) {
        if (vertices != 0) tested.add_vertices(40);
        EXPECT_TRUE(tested.has_edges({}).empty());
        EXPECT_TRUE(tested.degrees({}).empty());
        EXPECT_EQ(tested.neighbours_of({}).offsets, std::vector<std::uint64_t>{0});
        EXPECT_EQ(tested.has_edges(edge_list{{0, 1}}), std::vector<std::uint8_t>{0});
        EXPECT_EQ(tested.degrees(id_list{1}),
                  std::vector<std::uint32_t>{vertices == 0 ? graph::no_degree : 0u});
        auto const lists = tested.neighbours_of(id_list{1, 2});
        EXPECT_EQ(lists.offsets, (std::vector<std::uint64_t>{0, 0, 0}));
        EXPECT_TRUE(lists.targets.empty());
    }
}

TYPED_TEST(graph_queries, leave_the_graph_alone_when_memory_runs_out) {
    using space_type = typename TypeParam::space;
    space_type space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, {.vertices = 3'000});
    hub_graph const made(hub_vertices);
    tested.insert_edges(made.edges);
    id_list const hubs(10'000, 3); // an answer of 100 MB
    EXPECT_THROW((void)tested.neighbours_of(hubs), exec::out_of_memory);
    EXPECT_THROW((void)tested.has_edges(edge_list(10u << 20)), exec::out_of_memory);
    EXPECT_THROW((void)tested.degrees(id_list(20u << 20)), exec::out_of_memory);
    expect_valid(tested);
    EXPECT_EQ(tested.degrees(id_list{3})[0], tested.neighbours_of(id_list{3}).targets.size());
    EXPECT_EQ(tested.has_edges(edge_list{{3, 5}}), std::vector<std::uint8_t>{1});
    EXPECT_GT(tested.memory().scratch_bytes, 0u);
}

template <class Case>
class graph_value_queries : public space_test {};
TYPED_TEST_SUITE(graph_value_queries, value_cases<tested_layout>, named_types);

/// What a lane of a user's kernel finds, wherever the layout keeps it.
template <class View, class Value>
struct find_values_by_lane {
    View view;
    graph::edge const* edges;
    std::uint64_t count;
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            graph::edge const edge = edges[i];
            graph::edge_place const found = graph::find_edge(view, edge.source, edge.target);
            if (found.present) values[i] = graph::value_of_edge(view, edge.source, edge.target, found);
        });
    }
};

TYPED_TEST(graph_value_queries, are_answered_by_a_lane) {
    using space_type = typename TypeParam::space;
    using number = typename TypeParam::value;
    using graph_type = graph_over<TypeParam>;
    hub_graph const made(hub_vertices);
    graph_type tested(make_space<space_type>(), {.vertices = made.vertices, .directed = true});
    auto const values = made.values<number>();
    tested.insert_edges(made.edges, values);
    std::uint64_t const count = is_emulated<space_type> ? 500 : made.edges.size();
    exec::buffer<space_type, graph::edge> const edges(tested.space(),
                                                      std::span<graph::edge const>(made.edges));
    exec::buffer<space_type, number> found(tested.space(), count);
    launch(tested.space(), cover_threads(tested.space(), count),
           find_values_by_lane<typename graph_type::view_type, number>{tested.view(), edges.data(), count,
                                                                       found.data()});
    EXPECT_TRUE(found.to_host() ==
                std::vector<number>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
}

TYPED_TEST(graph_value_queries, find_the_values_of_edges) {
    using space_type = typename TypeParam::space;
    using number = typename TypeParam::value;
    hub_graph const made(hub_vertices);
    edge_list const edges = edges_to_ask(made);
    id_list const ids = ids_to_ask(made);
    for (graph::graph_options const& options : kinds_of_graphs(made.vertices)) {
        SCOPED_TRACE(options.directed ? options.in_arcs ? "in_arcs" : "directed" : "undirected");
        graph_over<TypeParam> tested(make_space<space_type>(), options);
        tested.insert_edges(made.edges, made.values<number>());
        auto const arcs = made.arcs<number>(options.directed);
        auto const found = tested.edge_values(edges);
        EXPECT_TRUE(found.present == expected_presence(arcs, edges));
        EXPECT_TRUE(tested.has_edges(edges) == found.present);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto const arc = arcs.find(edges[i]);
            ASSERT_EQ(found.values[i], arc == arcs.end() ? number{} : arc->second) << i;
        }
        auto const expected = expected_lists(arcs, ids);
        auto lists = tested.neighbours_of(ids);
        EXPECT_EQ(lists.offsets, expected.offsets);
        sort_lists(lists);
        EXPECT_TRUE(lists.targets == expected.targets);
        EXPECT_TRUE(lists.values == expected.values);
        EXPECT_EQ(lists.values_of(1).size(), lists.of(1).size());
        EXPECT_TRUE(tested.edge_values({}).present.empty());
    }
}

} // namespace
} // namespace rhizome::tests
