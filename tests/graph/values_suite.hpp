// SPDX-License-Identifier: Apache-2.0
// Edges with values: what streams do not show by themselves.
#pragma once

#include "comparison.hpp"
#include "hub_graph.hpp"
#include "last_loops.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class edge_values : public space_test {
protected:
    using graph_type = typename Case::graph_type;
};
TYPED_TEST_SUITE(edge_values, value_cases<tested_layout>, named_types);

TYPED_TEST(edge_values, of_repeated_edges_are_the_last_ones) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 40});
    // Each edge five times, in both directions; and so many of one row that they are sorted.
    std::vector<graph::edge> edges;
    std::vector<number> values;
    for (std::uint32_t round = 0; round < 5; ++round)
        for (std::uint32_t v = 1; v < 40; ++v) {
            edges.push_back(round % 2 == 0 ? graph::edge{0, v} : graph::edge{v, 0});
            values.push_back(static_cast<number>(round * 100 + v));
        }
    auto const report = tested.insert_edges(edges, values);
    EXPECT_EQ(report.applied, 39u);
    EXPECT_EQ(report.duplicates, 4 * 39u);
    auto const found = tested.snapshot().values.to_host();
    for (std::uint32_t v = 1; v < 40; ++v)
        EXPECT_EQ(found[v - 1], static_cast<number>(400 + v));
}

TYPED_TEST(edge_values, of_loops_at_the_last_vertex_are_not_those_of_rejected_edges) {
    expect_last_loops_apart<typename TypeParam::value>([](graph::graph_options const& options) {
        return typename TestFixture::graph_type(make_space<typename TypeParam::space>(), options);
    });
}

TYPED_TEST(edge_values, move_with_their_edges_when_changes_are_sorted) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 100});
    auto const value_of = [](graph::edge const& edge) { return static_cast<number>(edge.source % 10); };
    edge_list edges;
    for (std::uint32_t v = 0; v < 99; ++v)
        edges.push_back({v * 7 % 99, 99});
    std::vector<number> values;
    for (graph::edge const& edge : edges)
        values.push_back(value_of(edge));
    typename decltype(tested)::changes_type changes(tested.space());
    tested.insert_edges(edges, values, &changes);
    tested.insert_edges(edges, std::vector<number>(99, number{11}), &changes);
    tested.erase_edges(std::span(edges).first(50), &changes);
    tested.sort_changes(changes);
    auto const on_host = [&](auto list) { return list_on_host(tested.space(), list); };
    auto const expect_own_values = [&](auto const& sorted, auto const& found, bool own) {
        ASSERT_EQ(sorted.size(), found.size());
        EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
        for (std::size_t i = 0; i < sorted.size(); ++i)
            EXPECT_EQ(found[i], own ? value_of(sorted[i]) : number{11});
    };
    expect_own_values(on_host(changes.inserted()), on_host(changes.values_of_inserted()), true);
    expect_own_values(on_host(changes.updated()), on_host(changes.values_before()), true);
    expect_own_values(on_host(changes.updated()), on_host(changes.values_after()), false);
    expect_own_values(on_host(changes.erased()), on_host(changes.values_of_erased()), false);
    EXPECT_EQ(changes.erased().size(), 50u);
    EXPECT_EQ(changes.updated().size(), 99u);
}

TYPED_TEST(edge_values, must_be_as_many_as_the_edges) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 4});
    std::vector<graph::edge> const edges{{0, 1}, {1, 2}};
    EXPECT_THROW(tested.insert_edges(edges, std::vector<number>{1}), std::invalid_argument);
    EXPECT_EQ(tested.edge_count(), 0u);
}

TYPED_TEST(edge_values, are_staged_with_their_edges) {
    using number = typename TypeParam::value;
    typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(), {.vertices = 40});
    std::vector<graph::edge> const edges{{0, 1}, {2, 3}, {1, 0}};
    std::vector<number> values{1, 2, 3};
    graph::staged_batch const with_values = tested.stage(edges, values);
    values.assign(3, 7);
    EXPECT_EQ(tested.insert_edges(with_values).applied, 2u);
    EXPECT_EQ(tested.edge_values(edges).values, (std::vector<number>{3, 2, 3}));
    EXPECT_EQ(tested.insert_edges(with_values).updated, 2u);
    try {
        static_cast<void>(tested.stage(edges, std::vector<number>{1}));
        ADD_FAILURE() << "staged";
    } catch (std::invalid_argument const& error) {
        EXPECT_EQ(std::string(error.what()), "stage: " + std::to_string(edges.size()) + " edges, 1 values");
    }
    {
        graph::staged_batch const without = tested.stage(std::span(edges).first(1));
        EXPECT_THROW(tested.insert_edges(without), std::invalid_argument);
        EXPECT_EQ(tested.erase_edges(without).applied, 1u);
    }
    EXPECT_EQ(tested.erase_edges(with_values).applied, 1u);
    EXPECT_EQ(tested.edge_count(), 0u);
}

TYPED_TEST(edge_values, of_the_last_of_equal_edges_stay_when_a_graph_is_loaded) {
    using number = typename TypeParam::value;
    for (bool const ascending : {true, false}) {
        edge_list edges;
        std::vector<number> values;
        for (std::uint32_t i = 0; i < 3000; ++i) {
            std::uint32_t const at = ascending ? i / 3 : (i / 3 * 7) % 1000; // each edge three times
            edges.push_back({at / 10, at % 10});
            values.push_back(static_cast<number>(i % 100));
        }
        typename TestFixture::graph_type tested(make_space<typename TypeParam::space>(),
                                                {.vertices = 100, .directed = true});
        EXPECT_EQ(tested.insert_edges(edges, values),
                  (graph::batch_report{.applied = 1000, .duplicates = 2000}));
        auto const found = tested.edge_values(edges);
        for (std::size_t i = 0; i < edges.size(); ++i)
            ASSERT_EQ(found.values[i], values[i / 3 * 3 + 2]) << i;
        expect_valid(tested);
    }
}

TYPED_TEST(edge_values, come_with_compressed_sparse_rows) {
    using number = typename TypeParam::value;
    hub_graph const made(hub_vertices);
    for (graph::graph_options const& options : kinds_of_graphs(made.vertices)) {
        typename TestFixture::graph_type first(make_space<typename TypeParam::space>(), options);
        first.insert_edges(made.edges, made.values<number>());
        auto const copy = first.snapshot();
        typename TestFixture::graph_type second(first.space(), options);
        EXPECT_EQ(second.insert_rows_in_space(copy.view(), copy.values.data()).applied, first.edge_count());
        auto const again = second.snapshot();
        EXPECT_TRUE(again.targets.to_host() == copy.targets.to_host());
        EXPECT_TRUE(again.values.to_host() == copy.values.to_host());
        expect_valid(second);
    }
}

} // namespace
} // namespace rhizome::tests
