// SPDX-License-Identifier: Apache-2.0
// PageRank from given first ranks, and personalised PageRank, against a sequential oracle. More of it, for
// other views: pagerank_test.cpp.
#include "cases.hpp"
#include "oracles.hpp"
#include "pagerank_inputs.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class pagerank_inputs_on : public space_test {};
TYPED_TEST_SUITE(pagerank_inputs_on, all_spaces, space_names);

TYPED_TEST(pagerank_inputs_on, agree_with_the_oracle_live_and_snapshot) {
    std::uint64_t seed = 0;
    for (auto const& list : cases(is_emulated<TypeParam>)) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto live = build(space, list, way);
            auto const copy = live.snapshot();
            auto const expected = plain(list.vertices, list.edges, way.directed);
            expect_personal_ranks<float>(space, live.view(), expected);
            expect_personal_ranks<double>(space, live.view(), expected);
            expect_personal_ranks<double>(space, copy.view(), expected);
        }
    }
}

TYPED_TEST(pagerank_inputs_on, continue_an_earlier_run) {
    auto const list = skewed_edges(90, 300, 5);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto graph = build(make_space<TypeParam>({.seed = 2}), list, way);
        algorithms::pagerank<double, TypeParam> pagerank(graph.space());
        auto const seven = pagerank.run(graph.view(), {.tolerance = 0, .max_iterations = 7});
        auto const result = pagerank.run(graph.view(), {.tolerance = 0, .max_iterations = 4},
                                         {.start = seven.ranks, .start_count = seven.vertices});
        auto const expected = rank_plainly(plain(list.vertices, list.edges, way.directed),
                                           {.tolerance = 0, .max_iterations = 11});
        EXPECT_NEAR(result.residual, expected.residual, 1e-14);
        expect_near_ranks(result.ranks_on_host(), expected.ranks);
    }
}

/// After a batch that adds and erases vertices and edges, the old ranks lead to the new solution, sooner.
TYPED_TEST(pagerank_inputs_on, start_from_the_ranks_before_a_batch) {
    constexpr algorithms::pagerank_options precise{.tolerance = 1e-12, .max_iterations = 400};
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto list = skewed_edges(400, 3000, 6);
        auto graph = build(make_space<TypeParam>({.seed = 4}), list, way);
        algorithms::pagerank<double, TypeParam> pagerank(graph.space());
        for (std::uint64_t round = 0; round < (sanitized ? 2 : 3); ++round) {
            auto const before = pagerank.run(graph.view(), precise);
            ASSERT_TRUE(before.converged);
            // Many more ids: the ranks must move to larger memory.
            std::uint64_t const more = round == 1 ? 2000 : 1;
            auto const first_new = static_cast<graph::vertex_id>(graph.vertex_count());
            graph.add_vertices(more);
            auto const v = static_cast<graph::vertex_id>(200 + round);
            graph.erase_vertices(std::vector<graph::vertex_id>{v});
            graph.insert_edges(
                std::vector<graph::edge>{{first_new, 120}, {130, first_new}, {120, 131}, {132, 140}});
            // Before the other run, which overwrites the ranks.
            auto const warm =
                pagerank.run(graph.view(), precise, {.start = before.ranks, .start_count = before.vertices});
            auto const ranks = warm.ranks_on_host();
            algorithms::pagerank<double, TypeParam> anew(graph.space());
            auto const cold = anew.run(graph.view(), precise);
            EXPECT_TRUE(warm.converged);
            if (round != 1) {
                EXPECT_LT(warm.iterations, cold.iterations);
            }
            auto const expected = cold.ranks_on_host();
            ASSERT_EQ(ranks.size(), expected.size());
            double distance = 0;
            for (std::size_t i = 0; i < ranks.size(); ++i)
                distance += std::abs(ranks[i] - expected[i]);
            EXPECT_LT(distance, 2 * 1e-12 * 0.85 / 0.15 + 1e-13) << "both are so near to the solution";
            EXPECT_EQ(ranks[v], 0.0);
        }
    }
}

/// Vertices without out-arcs start with rank 0, and get some later.
TYPED_TEST(pagerank_inputs_on, spread_ranks_that_arrive_at_vertices_without_out_arcs) {
    for (auto const& way : directions()) {
        if (!way.directed) continue;
        SCOPED_TRACE(way.name);
        auto graph = build(make_space<TypeParam>(), {"a path", 4, {{0, 1}, {1, 2}}}, way);
        std::vector<double> const start{1, 0, 0, 0};
        exec::buffer<TypeParam, double> const first(graph.space(), start);
        algorithms::pagerank<double, TypeParam> pagerank(graph.space());
        auto const result =
            pagerank.run(graph.view(), twelve, {.start = first.data(), .start_count = first.size()});
        auto const expected =
            rank_plainly(plain(4, {{0, 1}, {1, 2}}, true), twelve, start, std::vector<double>(4, 0.25));
        expect_near_ranks(result.ranks_on_host(), expected.ranks);
    }
}

TYPED_TEST(pagerank_inputs_on, that_are_out_of_range_are_refused) {
    auto graph = build(make_space<TypeParam>(), complete_edges(6), directions()[0]);
    graph.erase_vertices(std::vector<graph::vertex_id>{4});
    algorithms::pagerank<float, TypeParam> pagerank(graph.space());
    using ids = std::vector<graph::vertex_id>;
    using numbers = std::vector<double>;
    auto const refuses = [&](ids const& sources, numbers const& weights) {
        EXPECT_THROW(pagerank.run(graph.view(), {}, {.sources = sources, .weights = weights}),
                     std::invalid_argument);
    };
    refuses({6}, {});
    refuses({1, 4}, {}); // erased
    refuses({1, 2}, {1});
    refuses({}, {1});
    refuses({1, 2}, {1, -1});
    refuses({1, 2}, {0, 0});
    refuses({1}, {std::numeric_limits<double>::quiet_NaN()});
    refuses({1}, {std::numeric_limits<double>::infinity()});
    tested_graph<TypeParam> empty(make_space<TypeParam>(), {});
    EXPECT_THROW(pagerank.run(empty.view(), {}, {.sources = ids{0}}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(empty.view(), {}, {.weights = numbers{1}}), std::invalid_argument);
    // And afterwards it ranks as ever.
    auto const ranks = pagerank.run(graph.view(), {}, {.sources = ids{1}}).ranks_on_host();
    EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, 1e-6);
    EXPECT_GT(ranks[1], ranks[0]);
}

} // namespace
} // namespace rhizome::tests
