// SPDX-License-Identifier: Apache-2.0
// PageRank that follows a graph, against ranks computed by power iteration: within the bound that it states,
// after every step of random streams.
#include "cases.hpp"
#include "maintained_streams.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/maintained/pagerank.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/weighted_pagerank.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::maintained_pagerank;
using algorithms::maintained_pagerank_options;
using algorithms::maintenance;

#if defined(__CUDACC__)
template <class Space>
using expecting_space = Space;
#else
/// The emulator's graphs lie in the host's memory, where static PageRank takes far less time.
template <class Space>
using expecting_space = std::conditional_t<is_emulated<Space>, exec::host_space, Space>;
#endif

template <class Space>
class maintained_pagerank_on : public space_test {
protected:
    using graph_type = tested_graph<Space>;
    using ranks_type = maintained_pagerank<Space>;
    using weighted_type = weighted_live_graph<Space>;
    using weighted_ranks = maintained_pagerank<Space, double>;

    /// What static PageRank computes, far nearer to the solution than what is tested.
    template <bool Weighted, class Graph>
    [[nodiscard]] std::vector<double> exact_ranks(Graph const& changed,
                                                  maintained_pagerank_options const& options) {
        algorithms::pagerank_options const exact{
            .damping = options.damping, .tolerance = 1e-14, .max_iterations = 2000};
        algorithms::pagerank_inputs<double> const inputs{.sources = options.sources,
                                                         .weights = options.weights};
        if constexpr (Weighted)
            return weighted_anew_.run(changed.view(), exact, inputs).ranks_on_host();
        else
            return anew_.run(changed.view(), exact, inputs).ranks_on_host();
    }
    template <class Tested, class Graph>
    void expect_within_bound(Tested const& tested, Graph const& changed,
                             maintained_pagerank_options const& options) {
        constexpr bool weighted = std::is_same_v<Tested, weighted_ranks>;
        auto const expected = exact_ranks<weighted>(changed, options);
        ASSERT_TRUE(tested.is_current());
        ASSERT_EQ(tested.ranks().size(), expected.size());
        EXPECT_TRUE(tested.converged());
        EXPECT_LE(tested.error(), options.tolerance);
        auto const ranks = on_host(tested);
        double distance = 0;
        for (std::size_t v = 0; v < ranks.size(); ++v) {
            distance += std::abs(ranks[v] - expected[v]);
            if (options.sources.empty() && expected[v] == 0) { // erased
                EXPECT_EQ(ranks[v], 0.0) << v;
            }
        }
        EXPECT_LE(distance, tested.error() + rounding);
        if (changed.view().live_vertex_count() != 0) {
            EXPECT_NEAR(std::accumulate(ranks.begin(), ranks.end(), 0.0), 1.0, rounding);
        }
    }
    template <class Tested>
    [[nodiscard]] std::vector<double> on_host(Tested const& tested) {
        std::vector<double> ranks(tested.ranks().size());
        if (!ranks.empty())
            space_.copy_out(ranks.data(), tested.ranks().data(), ranks.size() * sizeof(double));
        return ranks;
    }
    template <class Graph, class Tested>
    void run(stream_shape const& shape, graph::graph_options way_of_graph,
             maintained_pagerank_options const& options, maintenance way, std::uint64_t seed,
             std::uint64_t steps) {
        Tested tested(space_, options, way);
        follow_stream<Graph>(space_, tested, way, shape, way_of_graph, seed, steps,
                             [&](Graph const& changed) { expect_within_bound(tested, changed, options); });
    }
    /// Ranks that follow a graph which starts with these edges.
    struct followed {
        graph_type changed;
        graph_changer<graph_type> changer;
        maintained_pagerank_options options;
        ranks_type ranks;

        followed(Space const& space, graph::graph_options graph_options, maintained_pagerank_options given,
                 std::vector<graph::edge> const& edges, maintenance way = maintenance::repair)
            : changed(space, graph_options), changer(changed, {"", graph_options.vertices, 0, 1, false}, 1),
              options(std::move(given)), ranks(space, options, way) {
            static_cast<void>(changer.apply(edges, false));
            ranks.start(changed.view());
        }
    };
    void expect_within_bound(followed const& all) {
        expect_within_bound(all.ranks, all.changed, all.options);
    }
    auto change(followed& all, std::vector<graph::edge> const& edges, bool erasing) {
        auto const report = update_after(all.ranks, all.changed, all.changer.apply(edges, erasing));
        expect_within_bound(all);
        return report;
    }

    static constexpr double rounding = 2e-12;
    Space space_ = make_space<Space>();
    expecting_space<Space> expecting_ = make_space<expecting_space<Space>>();
    algorithms::pagerank<double, expecting_space<Space>> anew_{expecting_};
    algorithms::weighted_pagerank<expecting_space<Space>> weighted_anew_{expecting_};
};
TYPED_TEST_SUITE(maintained_pagerank_on, maintained_spaces, space_names);

[[nodiscard]] std::vector<graph::graph_options> kinds_of_graphs() {
    return {{}, {.directed = true}, {.directed = true, .in_arcs = true}};
}

/// A thousand times as much for the emulator, which then passes through about half as many rounds.
template <class Space>
[[nodiscard]] double tolerance(double elsewhere) {
    return is_emulated<Space> ? 1000 * elsewhere : elsewhere;
}

/// Arcs from vertex 0 to all others, and from half of these to vertex 0.
[[nodiscard]] std::vector<graph::edge> hub_edges(std::uint64_t vertices) {
    std::vector<graph::edge> edges;
    for (graph::vertex_id v = 1; v < vertices; ++v) {
        edges.push_back({0, v});
        if (v % 2 == 0) edges.push_back({v, 0});
    }
    return edges;
}
[[nodiscard]] std::vector<graph::edge> ring_edges(std::uint64_t vertices) {
    return circulant_edges(static_cast<graph::vertex_id>(vertices), 1).edges;
}

TYPED_TEST(maintained_pagerank_on, are_within_their_bound_after_every_step) {
    using fixture = maintained_pagerank_on<TypeParam>;
    std::uint64_t const steps = work<TypeParam>(150, 3);
    std::uint64_t seed = 0;
    for (auto const& shape : stream_shapes())
        for (auto const& kind : kinds_of_graphs()) {
            double const allowed = tolerance<TypeParam>(seed % 2 == 0 ? 1e-6 : 1e-8);
            this->template run<typename fixture::graph_type, typename fixture::ranks_type>(
                shape, kind, {.tolerance = allowed}, maintenance::repair, ++seed, steps);
            if (is_emulated<TypeParam> && kind.directed) continue;
            this->template run<typename fixture::graph_type, typename fixture::ranks_type>(
                shape, kind, {.damping = 0.6}, maintenance::cheaper, ++seed, steps / 2);
        }
    this->template run<typename fixture::graph_type, typename fixture::ranks_type>(
        stream_shapes()[0], {}, {}, maintenance::recompute, ++seed, 8);
}

TYPED_TEST(maintained_pagerank_on, follow_weights) {
    using fixture = maintained_pagerank_on<TypeParam>;
    std::uint64_t seed = 20;
    for (auto const& shape : stream_shapes())
        for (auto const& kind : kinds_of_graphs()) {
            ++seed;
            if (is_emulated<TypeParam> && shape.name == "sparse") continue;
            this->template run<typename fixture::weighted_type, typename fixture::weighted_ranks>(
                shape, kind, {.tolerance = tolerance<TypeParam>(1e-7)},
                seed % 3 == 0 ? maintenance::cheaper : maintenance::repair, seed, work<TypeParam>(100, 2));
        }
    // Values are there, but do not count.
    this->template run<typename fixture::weighted_type, typename fixture::ranks_type>(
        stream_shapes()[1], {}, {}, maintenance::repair, ++seed, work<TypeParam>(20, 2));
}

TYPED_TEST(maintained_pagerank_on, follow_rows_that_do_not_ascend) {
    using fixture = maintained_pagerank_on<TypeParam>;
    using linked_type = graph::dynamic_graph<TypeParam, graph::linked_pages<128>>;
    this->template run<linked_type, typename fixture::ranks_type>(
        stream_shapes()[2], {}, {}, maintenance::repair, 40, work<TypeParam>(60, 3));
}

TYPED_TEST(maintained_pagerank_on, teleport_to_sources) {
    using fixture = maintained_pagerank_on<TypeParam>;
    for (auto const& kind : kinds_of_graphs()) {
        SCOPED_TRACE(kind.directed);
        if (is_emulated<TypeParam> && kind.in_arcs) continue;
        maintained_pagerank_options const options{
            .tolerance = tolerance<TypeParam>(1e-6), .sources = {3, 150, 3}, .weights = {1, 5, 0.5}};
        auto const list = skewed_edges(200, 900, 5);
        auto kind_of_size = kind;
        kind_of_size.vertices = list.vertices;
        typename fixture::followed all(this->space_, kind_of_size, options, list.edges);
        this->expect_within_bound(all);
        for (std::size_t round = 0; round < (is_emulated<TypeParam> ? 2 : 4); ++round) {
            auto const first = list.edges.begin() + static_cast<std::ptrdiff_t>(100 * round);
            this->change(all, {first, first + 60}, true);
            if (round == 1) all.changed.add_vertices(100); // the teleport distribution grows too
            this->change(
                all, {{150, 7}, {199, 3}, {3, 160}, {static_cast<graph::vertex_id>(20 + round), 150}}, false);
        }
        std::vector<graph::vertex_id> const source{150};
        typename fixture::graph_type::changes_type changes(this->space_);
        all.changed.erase_vertices(source, &changes);
        EXPECT_THROW(all.ranks.update(all.changed.view(), changes), std::invalid_argument);
        EXPECT_FALSE(all.ranks.is_current());
        all.changed.insert_vertices(1);
        changes.clear();
        EXPECT_TRUE(all.ranks.update(all.changed.view(), changes).recomputed);
        this->expect_within_bound(all);
        this->change(all, {{150, 1}}, false);
    }
    typename fixture::graph_type none(this->space_, {});
    maintained_pagerank<TypeParam> of_none(this->space_, {.sources = {0}});
    EXPECT_THROW(of_none.start(none.view()), std::invalid_argument);
    none.add_vertices(2);
    none.erase_vertices(std::vector<graph::vertex_id>{0, 1});
    EXPECT_THROW(of_none.start(none.view()), std::invalid_argument);
}

/// Errors do not add up, neither those of residuals that are left nor those of rounding.
TYPED_TEST(maintained_pagerank_on, stay_within_their_bound_over_a_long_window) {
    using fixture = maintained_pagerank_on<TypeParam>;
    std::uint64_t const steps = work<TypeParam>(2000, 20);
    auto const stream = skewed_edges(150, 5 * steps, 8);
    std::uint64_t const window = is_emulated<TypeParam> ? 5 : 60;
    maintained_pagerank_options const options{.tolerance = 1e-9};
    typename fixture::followed all(this->space_, {.vertices = 150, .directed = true, .in_arcs = true},
                                   options, {});
    auto const batch = [&](std::uint64_t step) {
        auto const first = stream.edges.begin() + static_cast<std::ptrdiff_t>(5 * step);
        return std::vector<graph::edge>(first, first + 5);
    };
    std::uint64_t recomputed = 0; // because of rounding
    for (std::uint64_t step = 0; step < steps; ++step) {
        SCOPED_TRACE(step);
        for (bool const erasing : {true, false}) {
            if (erasing && step < window) continue;
            auto const& changes = all.changer.apply(batch(erasing ? step - window : step), erasing);
            recomputed += all.ranks.update(all.changed.view(), changes).recomputed ? 1 : 0;
            EXPECT_LE(all.ranks.error(), options.tolerance);
        }
        if (step % std::max<std::uint64_t>(steps / (is_emulated<TypeParam> ? 3 : 10), 1) == 0 ||
            step + 1 == steps)
            this->expect_within_bound(all);
        if (::testing::Test::HasFailure()) return;
    }
    EXPECT_LE(recomputed, steps / 50 + 1);
}

TYPED_TEST(maintained_pagerank_on, follow_vertices_that_lose_all_out_arcs) {
    using fixture = maintained_pagerank_on<TypeParam>;
    for (auto const& kind : kinds_of_graphs()) {
        SCOPED_TRACE(kind.directed);
        if (is_emulated<TypeParam> && !kind.directed) continue;
        auto kind_of_size = kind;
        kind_of_size.vertices = 60;
        std::vector<graph::edge> edges = ring_edges(60);
        std::vector<graph::edge> const spokes{{5, 6}, {5, 20}, {5, 30}, {5, 5}, {7, 5}};
        edges.insert(edges.end(), spokes.begin(), spokes.end());
        typename fixture::followed all(this->space_, kind_of_size, {.tolerance = tolerance<TypeParam>(1e-8)},
                                       edges);
        this->expect_within_bound(all);
        this->change(all, spokes, true); // 5 has no out-arcs in a directed graph
        this->change(all, {{5, 9}}, false);
        this->change(all, ring_edges(60), true);
        this->change(all, {{5, 9}}, true); // no edges at all
        this->change(all, edges, false);
        this->change(all, {}, false);
    }
}

TYPED_TEST(maintained_pagerank_on, follow_a_hub_that_comes_and_goes) {
    using fixture = maintained_pagerank_on<TypeParam>;
    // A row in several parts, for all blocks.
    std::uint64_t const vertices = is_emulated<TypeParam> ? 8400 : 20'000;
    for (auto const& kind : kinds_of_graphs()) {
        SCOPED_TRACE(kind.directed);
        SCOPED_TRACE(kind.in_arcs);
        if (is_emulated<TypeParam> && kind.directed) continue;
        auto kind_of_size = kind;
        kind_of_size.vertices = vertices;
        typename fixture::followed all(this->space_, kind_of_size, {.tolerance = tolerance<TypeParam>(1e-5)},
                                       ring_edges(vertices));
        auto const hub = hub_edges(vertices);
        this->change(all, hub, false);
        this->change(all, {{0, 5}, {0, 9}, {4, 8}}, true);
        std::vector<graph::vertex_id> const gone{0};
        typename fixture::graph_type::changes_type changes(this->space_);
        all.changed.erase_vertices(gone, &changes);
        EXPECT_FALSE(all.ranks.update(all.changed.view(), changes).recomputed);
        this->expect_within_bound(all);
        all.changed.insert_vertices(1);
        this->change(all, {{0, 1}}, false);
    }
}

TYPED_TEST(maintained_pagerank_on, follow_vertices_that_are_erased_and_used_again) {
    using fixture = maintained_pagerank_on<TypeParam>;
    auto const list = skewed_edges(120, 500, 4);
    typename fixture::followed all(this->space_, {.vertices = 120}, {}, list.edges);
    typename fixture::graph_type::changes_type changes(this->space_);
    for (graph::vertex_id round = 0; round < (is_emulated<TypeParam> ? 3u : 6u); ++round) {
        std::vector<graph::vertex_id> const gone{round, 2 * round + 30, 119};
        changes.clear();
        all.changed.erase_vertices(gone, &changes);
        // In one update, or in two.
        if (round % 2 == 0)
            all.ranks.update(all.changed.view(), std::exchange(changes, decltype(changes)(this->space_)));
        all.changed.insert_vertices(3 - round % 3);
        all.ranks.update(all.changed.view(), changes);
        this->expect_within_bound(all);
        this->change(all, {{round, 50}, {119, 118}, {2 * round + 30, round}}, false);
        all.changed.add_vertices(round == 2 ? 300 : 1);
        this->change(all, {}, false);
    }
}

TYPED_TEST(maintained_pagerank_on, follow_a_clique_in_one_batch_and_the_loss_of_everything) {
    using fixture = maintained_pagerank_on<TypeParam>;
    std::uint64_t const size = is_emulated<TypeParam> ? 140 : 300; // rows that are not light
    for (maintenance const way : {maintenance::repair, maintenance::cheaper}) {
        if (is_emulated<TypeParam> && way == maintenance::cheaper) continue;
        typename fixture::followed all(this->space_, {.vertices = size + 20}, {}, ring_edges(size + 20), way);
        auto const clique = complete_edges(size).edges;
        EXPECT_EQ(this->change(all, clique, false).recomputed, way == maintenance::cheaper);
        if (way == maintenance::cheaper) continue; // times decide
        EXPECT_FALSE(this->change(all, {{static_cast<graph::vertex_id>(size + 2), 5}}, false).recomputed);
        auto const report = this->change(all, clique, true);
        EXPECT_FALSE(report.recomputed);
        EXPECT_GE(report.work, 2 * clique.size());
    }
}

TYPED_TEST(maintained_pagerank_on, compute_residuals_anew_when_rounding_takes_its_share) {
    using fixture = maintained_pagerank_on<TypeParam>;
    auto const list = skewed_edges(100, 600, 9);
    typename fixture::followed all(this->space_, {.vertices = 100}, {.tolerance = 1e-14}, list.edges);
    auto const& changes = all.changer.apply({{1, 2}, {3, 90}}, false);
    EXPECT_TRUE(all.ranks.update(all.changed.view(), changes).recomputed);
    EXPECT_LT(all.ranks.error(), 1e-11);
    EXPECT_GT(all.ranks.error(), 1e-16);
}

TYPED_TEST(maintained_pagerank_on, say_how_far_they_are_after_too_few_rounds) {
    using fixture = maintained_pagerank_on<TypeParam>;
    auto const list = skewed_edges(100, 600, 9);
    typename fixture::followed all(this->space_, {.vertices = 100, .directed = true},
                                   {.tolerance = 1e-9, .max_rounds = 3}, list.edges);
    double before = 10;
    for (int round = 0; round < 60; ++round) {
        SCOPED_TRACE(round);
        EXPECT_LE(all.ranks.rounds(), 3u);
        EXPECT_LT(all.ranks.error(), before);
        before = all.ranks.error();
        auto const expected = this->template exact_ranks<false>(all.changed, all.options);
        auto const ranks = this->on_host(all.ranks);
        double distance = 0;
        for (std::size_t v = 0; v < ranks.size(); ++v)
            distance += std::abs(ranks[v] - expected[v]);
        EXPECT_LE(distance, all.ranks.error() + this->rounding);
        if (all.ranks.converged()) return;
        EXPECT_FALSE(update_after(all.ranks, all.changed, all.changer.apply({}, false)).recomputed);
    }
    FAIL() << "further updates go on";
}

TYPED_TEST(maintained_pagerank_on, follow_weights_that_change) {
    using fixture = maintained_pagerank_on<TypeParam>;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (auto const& kind : kinds_of_graphs()) {
        if (is_emulated<TypeParam> && kind.directed && !kind.in_arcs) continue;
        auto kind_of_size = kind;
        kind_of_size.vertices = 50;
        typename fixture::weighted_type changed(this->space_, kind_of_size);
        maintained_pagerank_options const options{.tolerance = tolerance<TypeParam>(1e-8)};
        typename fixture::weighted_ranks tested(this->space_, options, maintenance::repair);
        typename fixture::weighted_type::changes_type changes(this->space_);
        auto const ring = ring_edges(50);
        changed.insert_edges(ring, std::vector<double>(ring.size(), 0.3));
        tested.start(changed.view());
        auto const set = [&](std::vector<graph::edge> const& edges, std::vector<double> const& weights) {
            changes.clear();
            changed.insert_edges(edges, weights, &changes);
            return tested.update(changed.view(), changes);
        };
        auto const follow = [&](std::vector<graph::edge> const& edges, std::vector<double> const& weights) {
            EXPECT_FALSE(set(edges, weights).recomputed);
            this->expect_within_bound(tested, changed, options);
        };
        follow({{0, 20}, {0, 30}, {4, 4}}, {1e-3, 12, 2});
        follow({{0, 1}, {0, 20}, {7, 8}}, {0.7, 1e4, 0}); // 8 gets nothing from 7
        follow({{0, 20}, {8, 9}, {7, 8}}, {0.1, 0, 0});   // what was large is gone, also from the sum
        follow({{8, 9}, {7, 8}}, {5, 1e-3});
        // Corrections for so large a weight lose the others to rounding.
        EXPECT_TRUE(set({{3, 20}}, {1e14}).recomputed);
        this->expect_within_bound(tested, changed, options);
        follow({{3, 20}}, {1});
        set({{3, 4}}, {0.4});
        this->expect_within_bound(tested, changed, options);
        EXPECT_THROW(set({{1, 2}}, {-1.0}), std::invalid_argument);
        EXPECT_FALSE(tested.is_current());
        EXPECT_THROW(set({{1, 2}}, {infinity}), std::invalid_argument);
        EXPECT_TRUE(set({{1, 2}}, {2.0}).recomputed);
        this->expect_within_bound(tested, changed, options);
        EXPECT_THROW(set({{11, 40}}, {-1.0}), std::invalid_argument);
        EXPECT_TRUE(set({{11, 40}, {11, 10}, {11, 12}}, {3, 1, 1}).recomputed);
        EXPECT_THROW(set({{11, 40}, {11, 10}, {11, 12}}, {1e-320, 0, 0}), std::invalid_argument);
        EXPECT_TRUE(set({{11, 40}}, {3}).recomputed);
        this->expect_within_bound(tested, changed, options);
    }
}

TYPED_TEST(maintained_pagerank_on, rank_nothing_without_vertices_and_refuse_options_out_of_range) {
    using fixture = maintained_pagerank_on<TypeParam>;
    EXPECT_THROW(typename fixture::ranks_type(this->space_, {.damping = 1.0}), std::invalid_argument);
    EXPECT_THROW(typename fixture::ranks_type(this->space_, {.tolerance = 0}), std::invalid_argument);
    EXPECT_THROW(typename fixture::ranks_type(this->space_, {.max_rounds = 0}), std::invalid_argument);
    typename fixture::followed all(this->space_, {}, {}, {});
    EXPECT_TRUE(all.ranks.ranks().empty());
    EXPECT_EQ(all.ranks.error(), 0.0);
    all.changed.add_vertices(3);
    this->change(all, {{0, 1}}, false);
    typename fixture::graph_type::changes_type changes(this->space_);
    all.changed.erase_vertices(std::vector<graph::vertex_id>{0, 1, 2}, &changes);
    all.ranks.update(all.changed.view(), changes);
    EXPECT_EQ(this->on_host(all.ranks), std::vector<double>(3, 0.0));
    all.changed.insert_vertices(2);
    this->change(all, {{1, 2}, {0, 1}}, false);
}

// Each round then takes a two hundredth of the residual, which is progress all the same.
TYPED_TEST(maintained_pagerank_on, converge_with_a_damping_near_one) {
    using fixture = maintained_pagerank_on<TypeParam>;
    maintained_pagerank_options const options{
        .damping = 0.995, .tolerance = tolerance<TypeParam>(1e-6), .max_rounds = 20000};
    typename fixture::graph_type changed(this->space_, {.vertices = 8});
    graph_changer<typename fixture::graph_type> changer(changed, {"", 8, 0, 1, false}, 1);
    maintained_pagerank<TypeParam> tested(this->space_, options, maintenance::repair);
    tested.start(changed.view());
    // Residuals of two signs go to and fro between the sides of a star.
    static_cast<void>(update_after(
        tested, changed, changer.apply({{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, 7}}, false)));
    EXPECT_TRUE(tested.is_current());
    EXPECT_TRUE(tested.converged());
    EXPECT_LE(tested.error(), options.tolerance);
}

// Each round would take 15 % of their residuals.
TYPED_TEST(maintained_pagerank_on, solve_pairs_and_stars_at_once) {
    using fixture = maintained_pagerank_on<TypeParam>;
    for (bool const directed : {false, true}) {
        typename fixture::followed all(this->space_,
                                       {.vertices = 50, .directed = directed, .in_arcs = directed}, {},
                                       {{0, 1}, {1, 2}, {2, 0}});
        std::vector<graph::edge> const pairs{{48, 49}, {20, 30}, {49, 48}, {30, 20}, {40, 41},
                                             {40, 42}, {43, 40}, {41, 40}, {42, 40}, {40, 43}};
        for (bool const erasing : {false, true, false}) {
            this->change(all, pairs, erasing);
            EXPECT_LE(all.ranks.rounds(), erasing ? 1u : 0u) << directed << erasing;
        }
    }
}

// A star of vertices without edges comes, too large to be solved at once, beside a ring whose ranks are
// right. All residuals have one sign and stay in the star, so that the bound is reached but for the size of
// the star.
TYPED_TEST(maintained_pagerank_on, state_no_less_than_their_error) {
    using fixture = maintained_pagerank_on<TypeParam>;
    typename fixture::followed all(this->space_, {.vertices = 300}, {.tolerance = 0.5}, ring_edges(280));
    std::vector<graph::edge> star;
    for (graph::vertex_id leaf = 281; leaf < 300; ++leaf)
        star.push_back({280, leaf});
    this->change(all, star, false);
    EXPECT_EQ(all.ranks.rounds(), 0u);
    auto const expected = this->template exact_ranks<false>(all.changed, all.options);
    auto const ranks = this->on_host(all.ranks);
    double distance = 0;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        distance += std::abs(ranks[v] - expected[v]);
    EXPECT_GT(distance, 0.7 * all.ranks.error());
}

// Vertices without arcs pass nothing on. The bound must count all of what their ranks lack.
TYPED_TEST(maintained_pagerank_on, rank_new_vertices_without_edges_with_little_damping) {
    using fixture = maintained_pagerank_on<TypeParam>;
    graph::vertex_id const leaves = is_emulated<TypeParam> ? 300 : 2000;
    std::vector<graph::edge> star;
    for (graph::vertex_id leaf = 1; leaf <= leaves; ++leaf)
        star.push_back({0, leaf});
    for (maintenance const way : {maintenance::cheaper, maintenance::repair, maintenance::recompute})
        for (double const damping : {0.1, 0.3}) {
            typename fixture::followed all(this->space_, {.vertices = leaves + 1},
                                           {.damping = damping, .tolerance = 0.05}, star, way);
            all.changed.insert_vertices(leaves / 25);
            this->change(all, {{0, leaves + 1}}, false);
        }
}

TYPED_TEST(maintained_pagerank_on, wait_as_often_as_stated) {
    maintained_pagerank<TypeParam> tested(this->space_, {}, maintenance::repair);
    EXPECT_EQ(waits_of_updates<tested_graph<TypeParam>>(this->space_, tested), (counted_waits{1, 1}));
}

TYPED_TEST(maintained_pagerank_on, are_stale_when_memory_runs_out_and_then_computed_anew) {
    using fixture = maintained_pagerank_on<TypeParam>;
    maintained_pagerank_options const options{.sources = {4, 7}};
    typename fixture::graph_type changed(this->space_, {.vertices = 200});
    graph_changer<typename fixture::graph_type> changer(changed, {"skewed", 200, 600, 50, true}, 7);
    refuse_each_allocation(
        changed, changer,
        [&](exec::memory_resource* scratch) {
            return maintained_pagerank<TypeParam>(this->space_, options, maintenance::repair, scratch);
        },
        [&](std::uint64_t round) -> auto const& {
            changed.add_vertices(300); // scratch grows with them
            return changer.apply({*changer.present().begin()}, round % 2 == 0);
        },
        [&](auto const& tested) { this->expect_within_bound(tested, changed, options); }, 2);
}

} // namespace
} // namespace rhizome::tests
