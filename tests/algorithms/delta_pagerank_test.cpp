// SPDX-License-Identifier: Apache-2.0
// Delta PageRank against power iteration by a sequential oracle: within the bound that it states.
#include "cases.hpp"
#include "oracles.hpp"
#include "pagerank_inputs.hpp"
#include "scattered_view.hpp"

#include <rhizome/algorithms/delta_pagerank.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class delta_pagerank_on : public space_test {};
TYPED_TEST_SUITE(delta_pagerank_on, all_spaces, space_names);

/// Within 1e-13 of the solution.
constexpr algorithms::pagerank_options exact{.tolerance = 1e-14, .max_iterations = 1000};
constexpr double rounding = 1e-12;

[[nodiscard]] double sum_of_distances(std::vector<double> const& a, std::vector<double> const& b) {
    EXPECT_EQ(a.size(), b.size());
    double sum = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        sum += std::abs(a[i] - b[i]);
    return sum;
}

template <class Result>
void expect_within_bound(Result const& result, std::vector<double> const& ranks,
                         std::vector<double> const& expected, double tolerance) {
    EXPECT_TRUE(result.converged);
    EXPECT_LE(result.error, tolerance);
    EXPECT_LE(sum_of_distances(ranks, expected), result.error + rounding);
    EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, rounding);
}

TYPED_TEST(delta_pagerank_on, is_as_near_to_the_solution_as_it_says) {
    std::uint64_t seed = 0;
    for (auto const& list : cases(is_emulated<TypeParam>)) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto live = build(space, list, way);
            auto const copy = live.snapshot();
            auto const graph = plain(list.vertices, list.edges, way.directed);
            auto const expected = rank_plainly(graph, exact).ranks;
            algorithms::delta_pagerank<TypeParam> pagerank(space);
            for (double const tolerance : {1e-3, 1e-8}) {
                if (sanitized && is_emulated<TypeParam> && tolerance < 1e-3) continue;
                auto const result = pagerank.run(live.view(), {.tolerance = tolerance});
                expect_within_bound(result, result.ranks_on_host(), expected, tolerance);
            }
            chosen_sources const chosen(list.vertices);
            auto const start = uneven_ranks(list.vertices);
            exec::buffer<TypeParam, double> const first(space, start);
            auto const personal = pagerank.run(copy.view(), {},
                                               {.start = first.data(),
                                                .start_count = first.size(),
                                                .sources = chosen.sources,
                                                .weights = chosen.weights});
            expect_within_bound(personal, personal.ranks_on_host(),
                                rank_plainly(graph, exact, start, chosen.teleport).ranks, 1e-6);
        }
    }
}

/// Vertices far from a change of the graph are not looked at.
TYPED_TEST(delta_pagerank_on, works_on_the_vertices_that_a_batch_changes) {
    constexpr graph::vertex_id vertices = 20'000;
    auto const list = circulant_edges(vertices, 2);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto graph = build(make_space<TypeParam>({.seed = 3}), list, way);
        algorithms::delta_pagerank<TypeParam> pagerank(graph.space());
        constexpr algorithms::delta_pagerank_options options{.tolerance = 1e-2};
        auto const before = pagerank.run(graph.view(), options);
        EXPECT_EQ(before.changes, 0u) << "uniform ranks are the solution";
        EXPECT_GE(before.arcs, graph.arc_count());
        std::vector<graph::edge> const batch{{100, 200}, {100, 300}, {250, 260}};
        graph.insert_edges(batch);
        auto const result =
            pagerank.run(graph.view(), options, {.start = before.ranks, .start_count = before.vertices});
        auto edges = list.edges;
        edges.insert(edges.end(), batch.begin(), batch.end());
        auto const expected = rank_plainly(plain(vertices, edges, way.directed), exact).ranks;
        expect_within_bound(result, result.ranks_on_host(), expected, options.tolerance);
        EXPECT_GT(result.changes, 0u);
        EXPECT_LT(result.changes, std::uint64_t{vertices} * result.rounds / 10);
        EXPECT_LT(result.arcs - before.arcs, before.arcs * result.rounds / 10);
    }
}

TYPED_TEST(delta_pagerank_on, follows_batches_that_add_and_erase_vertices) {
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto list = skewed_edges(300, 2500, 6);
        auto graph = build(make_space<TypeParam>({.seed = 4}), list, way);
        algorithms::delta_pagerank<TypeParam> pagerank(graph.space());
        auto last = pagerank.run(graph.view());
        for (std::uint64_t round = 0; round < 3; ++round) {
            graph.add_vertices(round == 1 ? 1500 : 1); // many more: the ranks move to larger memory
            std::vector<graph::vertex_id> const erased{static_cast<graph::vertex_id>(5 + round)};
            graph.erase_vertices(erased);
            graph.insert_edges(std::vector<graph::edge>{{299, 20}, {30, 298}, {20, 31}, {32, 40}});
            last = pagerank.run(graph.view(), {}, {.start = last.ranks, .start_count = last.vertices});
            auto const ranks = last.ranks_on_host();
            algorithms::pagerank<double, TypeParam> power(graph.space());
            auto const expected = power.run(graph.view(), exact).ranks_on_host();
            expect_within_bound(last, ranks, expected, 1e-6);
            EXPECT_EQ(ranks[erased[0]], 0.0);
        }
    }
}

TYPED_TEST(delta_pagerank_on, takes_scattered_neighbours_and_dead_vertices) {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(70, 60, 1), skewed_edges(60, 1500, 3), wheel_with_two_hubs(600)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto const graph = plain(list.vertices, list.edges, way.directed);
            scattered_graph<TypeParam> const scattered(space, graph, 7, !way.directed, way.in_arcs);
            algorithms::delta_pagerank<TypeParam> pagerank(space);
            auto const result = pagerank.run(scattered.view());
            auto const all = result.ranks_on_host();
            std::vector<double> live;
            for (std::uint64_t v = 0; v < list.vertices; ++v)
                live.push_back(all[scattered.id_of(v)]);
            expect_within_bound(result, live, rank_plainly(graph, exact).ranks, 1e-6);
        }
    }
}

TYPED_TEST(delta_pagerank_on, says_how_far_it_is_after_too_few_rounds) {
    auto const list = skewed_edges(100, 600, 9);
    auto graph = build(make_space<TypeParam>(), list, directions()[1]);
    auto const expected = rank_plainly(plain(list.vertices, list.edges, true), exact).ranks;
    algorithms::delta_pagerank<TypeParam> pagerank(graph.space());
    double before = 10;
    for (std::uint32_t const rounds : {1u, 4u, 9u}) {
        auto const result = pagerank.run(graph.view(), {.tolerance = 1e-9, .max_rounds = rounds});
        EXPECT_EQ(result.rounds, rounds);
        EXPECT_FALSE(result.converged);
        EXPECT_LT(result.error, before);
        EXPECT_LE(sum_of_distances(result.ranks_on_host(), expected), result.error + rounding);
        before = result.error;
    }
}

TYPED_TEST(delta_pagerank_on, ranks_nothing_in_an_empty_graph_and_refuses_options_out_of_range) {
    tested_graph<TypeParam> empty(make_space<TypeParam>(), {});
    algorithms::delta_pagerank<TypeParam> pagerank(empty.space());
    EXPECT_TRUE(pagerank.run(empty.view()).ranks_on_host().empty());
    auto graph = build(empty.space(), complete_edges(3), directions()[0]);
    EXPECT_THROW(pagerank.run(graph.view(), {.damping = 1.0}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(graph.view(), {.tolerance = 0}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(graph.view(), {.max_rounds = 0}), std::invalid_argument);
    std::vector<graph::vertex_id> const sources{3};
    EXPECT_THROW(pagerank.run(graph.view(), {}, {.sources = sources}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(empty.view(), {}, {.sources = sources}), std::invalid_argument);
    graph.erase_vertices(std::vector<graph::vertex_id>{0, 1, 2});
    EXPECT_EQ(pagerank.run(graph.view()).ranks_on_host(), std::vector<double>(3, 0.0));
}

} // namespace
} // namespace rhizome::tests
