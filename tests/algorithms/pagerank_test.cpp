// SPDX-License-Identifier: Apache-2.0
// PageRank against a sequential oracle and Boost.Graph, on every space, live and as a snapshot.
#include "cases.hpp"
#include "oracles.hpp"
#include "pagerank_inputs.hpp"
#include "scattered_view.hpp"
#include "wide_rows.hpp"

#include <rhizome/algorithms/pagerank.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstddef>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class pagerank_on : public space_test {};
TYPED_TEST_SUITE(pagerank_on, all_spaces, space_names);

/// Largest relative distance of two rankings. Ranks are positive.
template <class Real>
double distance(std::vector<Real> const& ranks, std::vector<double> const& expected) {
    EXPECT_EQ(ranks.size(), expected.size());
    double worst = 0;
    for (std::size_t v = 0; v < std::min(ranks.size(), expected.size()); ++v) {
        double const difference = static_cast<double>(ranks[v]) - expected[v];
        worst = std::max(worst, std::max(difference, -difference) / expected[v]);
    }
    return worst;
}

template <class Real>
inline constexpr double accuracy = sizeof(Real) == 4 ? 2e-6 : 1e-13;

template <class Real, class Space, class View>
void expect_ranks(algorithms::pagerank<Real, Space>& pagerank, View const& view, plain_graph const& graph) {
    // A fixed number of iterations, so that rounding cannot decide when to stop.
    algorithms::pagerank_options const fixed{.damping = 0.9, .tolerance = 0, .max_iterations = 12};
    auto const result = pagerank.run(view, fixed);
    auto const expected = rank_plainly(graph, fixed);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_NEAR(result.residual, expected.residual, accuracy<Real>);
    auto const ranks = result.ranks_on_host();
    EXPECT_LT(distance(ranks, expected.ranks), accuracy<Real>);
    EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, 10 * accuracy<Real>);
}

TYPED_TEST(pagerank_on, agrees_with_the_oracle_live_and_snapshot) {
    std::uint64_t seed = 0;
    for (auto const& list : cases(is_emulated<TypeParam>)) {
        SCOPED_TRACE(list.name);
        for (auto const& way : directions()) {
            SCOPED_TRACE(way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto live = build(space, list, way);
            auto const copy = live.snapshot();
            auto const expected = plain(list.vertices, list.edges, way.directed);
            ASSERT_EQ(live.view().has_in_arcs(), !way.directed || way.in_arcs);
            algorithms::pagerank<float, TypeParam> in_float(space);
            algorithms::pagerank<double, TypeParam> in_double(space);
            expect_ranks(in_float, live.view(), expected);
            expect_ranks(in_float, copy.view(), expected);
            expect_ranks(in_double, live.view(), expected);
            expect_ranks(in_double, copy.view(), expected);
        }
    }
}

TYPED_TEST(pagerank_on, finds_the_fixed_point_that_boost_finds) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        auto const list = without_dangling(skewed_edges(80, 300, seed));
        auto const space = make_space<TypeParam>({.seed = seed});
        algorithms::pagerank<double, TypeParam> pagerank(space);
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto graph = build(space, list, way);
            auto const result = pagerank.run(graph.view(), {.tolerance = 1e-13, .max_iterations = 300});
            EXPECT_TRUE(result.converged);
            EXPECT_LE(result.residual, 1e-13);
            auto const expected = rank_by_boost(plain(list.vertices, list.edges, way.directed), 0.85);
            EXPECT_LT(distance(result.ranks_on_host(), expected), 1e-11);
        }
    }
}

TYPED_TEST(pagerank_on, stops_where_its_options_say) {
    auto const list = skewed_edges(100, 250, 9);
    auto const space = make_space<TypeParam>();
    algorithms::pagerank<double, TypeParam> pagerank(space);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto graph = build(space, list, way);
        auto const arcs = plain(list.vertices, list.edges, way.directed);
        for (double const tolerance : {1e-2, 1e-5, 1e-9}) {
            algorithms::pagerank_options const options{.tolerance = tolerance};
            auto const result = pagerank.run(graph.view(), options);
            EXPECT_EQ(result.iterations, rank_plainly(arcs, options).iterations);
            EXPECT_TRUE(result.converged);
        }
        auto const cut_short = pagerank.run(graph.view(), {.tolerance = 1e-9, .max_iterations = 2});
        EXPECT_EQ(cut_short.iterations, 2u);
        EXPECT_FALSE(cut_short.converged);
        EXPECT_GT(cut_short.residual, 1e-9);
    }
}

TYPED_TEST(pagerank_on, tells_its_progress_until_it_ends_or_is_ended) {
    auto graph = build(make_space<TypeParam>(), cases(true).back(), directions().front());
    algorithms::pagerank<double, TypeParam> pagerank(graph.space());
    std::vector<std::pair<unsigned, double>> told;
    algorithms::pagerank_options options{.tolerance = 1e-12, .max_iterations = 200};
    std::function<void(unsigned, double)> const tell = [&](unsigned iterations, double residual) {
        told.emplace_back(iterations, residual);
    };
    options.progress = &tell;
    auto const result = pagerank.run(graph.view(), options);
    ASSERT_GT(told.size(), 1u);
    for (std::size_t i = 1; i < told.size(); ++i)
        EXPECT_GT(told[i].first, told[i - 1].first);
    EXPECT_EQ(told.back(), (std::pair<unsigned, double>{result.iterations, result.residual}));
    std::function<void(unsigned, double)> const stop = [](unsigned, double) {
        throw std::runtime_error("enough");
    };
    options.progress = &stop;
    EXPECT_THROW((void)pagerank.run(graph.view(), options), std::runtime_error);
    told.clear();
    options.progress = nullptr;
    EXPECT_EQ(pagerank.run(graph.view(), options).iterations, result.iterations)
        << "the object is still of use";
}

TYPED_TEST(pagerank_on, without_damping_stays_uniform_and_still_runs_all_iterations) {
    auto graph = build(make_space<TypeParam>(), complete_edges(8), directions()[0]);
    algorithms::pagerank<double, TypeParam> pagerank(graph.space());
    auto const result = pagerank.run(graph.view(), {.damping = 0, .tolerance = 0, .max_iterations = 7});
    EXPECT_EQ(result.iterations, 7u);
    EXPECT_EQ(result.residual, 0.0);
    EXPECT_EQ(result.ranks_on_host(), std::vector<double>(8, 1.0 / 8));
}

TYPED_TEST(pagerank_on, ranks_nothing_in_an_empty_graph) {
    tested_graph<TypeParam> graph(make_space<TypeParam>(), {});
    algorithms::pagerank<float, TypeParam> pagerank(graph.space());
    auto const result = pagerank.run(graph.view());
    EXPECT_TRUE(result.converged);
    EXPECT_EQ(result.iterations, 0u);
    EXPECT_TRUE(result.ranks_on_host().empty());
}

TYPED_TEST(pagerank_on, follows_a_graph_that_changes) {
    auto const space = make_space<TypeParam>();
    algorithms::pagerank<double, TypeParam> pagerank(space);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto list = skewed_edges(50, 200, 3);
        auto graph = build(space, list, way);
        for (std::uint64_t seed = 10; seed <= 12; ++seed) {
            auto const more = skewed_edges(list.vertices + 30, 80, seed);
            graph.add_vertices(30);
            graph.insert_edges(more.edges);
            list.vertices = more.vertices;
            list.edges.insert(list.edges.end(), more.edges.begin(), more.edges.end());
            expect_ranks(pagerank, graph.view(), plain(list.vertices, list.edges, way.directed));
        }
        graph.erase_edges(list.edges);
        expect_ranks(pagerank, graph.view(), plain(list.vertices, {}, way.directed));
    }
}

TYPED_TEST(pagerank_on, pulling_gives_the_same_bits_each_time) {
    for (auto const& way : directions()) {
        if (way.directed && !way.in_arcs) continue;
        auto graph = build(make_space<TypeParam>({.seed = 7}), wheel_with_two_hubs(600), way);
        algorithms::pagerank<float, TypeParam> pagerank(graph.space());
        algorithms::pagerank_options const options{.tolerance = 0, .max_iterations = 5};
        auto const first = pagerank.run(graph.view(), options).ranks_on_host();
        EXPECT_EQ(pagerank.run(graph.view(), options).ranks_on_host(), first);
    }
}

/// Ids that are dead between live ones change nothing, and have no rank; neighbours may lie anywhere.
TYPED_TEST(pagerank_on, takes_scattered_neighbours_and_dead_vertices) {
    algorithms::pagerank_options const fixed{.tolerance = 0, .max_iterations = 9};
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(70, 60, 1), skewed_edges(70, 400, 2), skewed_edges(60, 1500, 3),
                             wheel_with_two_hubs(600), loops_only(9)}) {
        for (auto const& way : directions()) {
            auto const graph = plain(list.vertices, list.edges, way.directed);
            auto const expected = rank_plainly(graph, fixed);
            for (std::uint64_t const dead_every : {0u, 1u, 7u}) {
                SCOPED_TRACE(list.name + ", " + way.name + ", dead every " + std::to_string(dead_every));
                auto const space = make_space<TypeParam>({.seed = ++seed});
                scattered_graph<TypeParam> const scattered(space, graph, dead_every, !way.directed,
                                                           way.in_arcs);
                algorithms::pagerank<double, TypeParam> pagerank(space);
                auto const result = pagerank.run(scattered.view(), fixed);
                EXPECT_NEAR(result.residual, expected.residual, 1e-13);
                auto const all = result.ranks_on_host();
                std::vector<double> live;
                for (std::uint64_t v = 0; v < list.vertices; ++v)
                    live.push_back(all[scattered.id_of(v)]);
                EXPECT_LT(distance(live, expected.ranks), 1e-13);
                EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0) -
                              std::accumulate(live.begin(), live.end(), 0.0),
                          0.0);
            }
        }
    }
}

TYPED_TEST(pagerank_on, gives_no_rank_to_erased_vertices) {
    algorithms::pagerank_options const fixed{.tolerance = 0, .max_iterations = 9};
    for (auto const& list : {skewed_edges(90, 500, 1), core_and_leaves(20, 100)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto graph = build(make_space<TypeParam>(), list, way);
            std::vector<graph::vertex_id> erased;
            std::vector<graph::vertex_id> kept;
            std::vector<graph::vertex_id> number_of(list.vertices);
            for (graph::vertex_id v = 0; v < list.vertices; ++v) {
                number_of[v] = static_cast<graph::vertex_id>(kept.size());
                (v % 7 == 3 ? erased : kept).push_back(v);
            }
            std::vector<graph::edge> edges;
            for (auto const& [source, target] : list.edges)
                if (source % 7 != 3 && target % 7 != 3)
                    edges.push_back({number_of[source], number_of[target]});
            graph.erase_vertices(erased);
            auto const expected = rank_plainly(plain(kept.size(), edges, way.directed), fixed);
            auto const copy = graph.snapshot();
            algorithms::pagerank<double, TypeParam> pagerank(graph.space());
            auto const expect_both = [&](auto const& view) {
                auto const all = pagerank.run(view, fixed).ranks_on_host();
                std::vector<double> live;
                for (graph::vertex_id const v : kept)
                    live.push_back(all[v]);
                EXPECT_LT(distance(live, expected.ranks), 1e-13);
                for (graph::vertex_id const v : erased)
                    EXPECT_EQ(all[v], 0.0);
            };
            expect_both(graph.view());
            expect_both(copy.view());
        }
    }
}

TYPED_TEST(pagerank_on, takes_ids_of_64_bits) {
    std::uint64_t seed = 0;
    for (auto const& list :
         {skewed_edges(70, 60, 1), skewed_edges(60, 1500, 3), circulant_edges(70, 2),
          wheel_with_two_hubs(1100), rows_of_boundary_lengths(true), core_and_leaves(20, 100)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto const graph = plain(list.vertices, list.edges, way.directed);
            wide_rows<TypeParam> const rows(space, graph, !way.directed, way.in_arcs);
            algorithms::pagerank<double, TypeParam> pagerank(space);
            expect_ranks(pagerank, rows.view(), graph);
        }
    }
}

TYPED_TEST(pagerank_on, takes_inputs_with_ids_of_64_bits_and_scattered_neighbours) {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(70, 60, 1), skewed_edges(60, 1500, 3), wheel_with_two_hubs(1100)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            auto const graph = plain(list.vertices, list.edges, way.directed);
            wide_rows<TypeParam> const rows(space, graph, !way.directed, way.in_arcs);
            expect_personal_ranks<double>(space, rows.view(), graph);

            scattered_graph<TypeParam> const scattered(space, graph, 7, !way.directed, way.in_arcs);
            std::vector<graph::vertex_id> const sources{scattered.id_of(1), scattered.id_of(20)};
            std::vector<double> teleport(graph.vertices);
            teleport[1] = teleport[20] = 0.5;
            std::vector<double> const uniform(graph.vertices, 1.0 / static_cast<double>(graph.vertices));
            auto const expected = rank_plainly(graph, twelve, uniform, teleport);
            algorithms::pagerank<double, TypeParam> pagerank(space);
            auto const all = pagerank.run(scattered.view(), twelve, {.sources = sources}).ranks_on_host();
            std::vector<double> live;
            for (std::uint64_t v = 0; v < list.vertices; ++v)
                live.push_back(all[scattered.id_of(v)]);
            expect_near_ranks(live, expected.ranks);
            EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0.0) -
                          std::accumulate(live.begin(), live.end(), 0.0),
                      0.0)
                << "dead vertices have no rank";
        }
    }
}

/// More iterations than the host looks at together; the one that it stops at is not the last that was
/// launched.
TYPED_TEST(pagerank_on, stops_between_two_looks_of_the_host) {
    auto const list = skewed_edges(50, 200, 4);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto graph = build(make_space<TypeParam>({.seed = 3}), list, way);
        auto const arcs = plain(list.vertices, list.edges, way.directed);
        algorithms::pagerank<double, TypeParam> pagerank(graph.space());
        for (unsigned wanted = 1; wanted <= 20; wanted += is_emulated<TypeParam> ? 6 : 1) {
            auto const there = rank_plainly(arcs, {.tolerance = 0, .max_iterations = wanted});
            // Half way between two iterates: rounding decides nothing.
            auto const result = pagerank.run(graph.view(), {.tolerance = there.residual * 1.01});
            EXPECT_EQ(result.iterations, wanted);
            EXPECT_TRUE(result.converged);
            EXPECT_NEAR(result.residual, there.residual, 1e-13);
            EXPECT_LT(distance(result.ranks_on_host(), there.ranks), 1e-13);
        }
    }
}

TYPED_TEST(pagerank_on, refuses_options_out_of_range) {
    auto graph = build(make_space<TypeParam>(), complete_edges(3), directions()[0]);
    algorithms::pagerank<float, TypeParam> pagerank(graph.space());
    EXPECT_THROW(pagerank.run(graph.view(), {.damping = 1.0}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(graph.view(), {.damping = -0.1}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(graph.view(), {.tolerance = -1}), std::invalid_argument);
    EXPECT_THROW(pagerank.run(graph.view(), {.max_iterations = 0}), std::invalid_argument);
}

} // namespace
} // namespace rhizome::tests
