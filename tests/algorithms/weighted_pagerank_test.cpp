// SPDX-License-Identifier: Apache-2.0
// PageRank by weights against a sequential computation of the same equation, live and as compressed rows.
#include "pagerank_inputs.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/weighted_pagerank.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <atomic>
#include <cmath>
#include <functional>
#include <limits>
#include <set>
#include <stdexcept>

namespace rhizome::tests {
namespace {

template <class Space>
class weighted_pagerank_on : public space_test {
protected:
    Space space_ = make_space<Space>();
    algorithms::weighted_pagerank<Space> tested_{space_};
};
TYPED_TEST_SUITE(weighted_pagerank_on, all_spaces, space_names);

constexpr algorithms::pagerank_options nearly_exact{.tolerance = 1e-13, .max_iterations = 500};

/// The equation of weighted_pagerank, arc by arc, from `start` and with the teleport distribution `teleport`.
template <class Weight>
[[nodiscard]] std::vector<double>
ranks_plainly(weighted_graph<Weight> const& graph, algorithms::pagerank_options const& options,
              std::vector<double> const& start, std::vector<double> const& teleport) {
    std::uint64_t const vertices = graph.arcs.vertices;
    std::vector<double> outflow(vertices, 0);
    for (std::size_t i = 0; i < graph.weights.size(); ++i)
        outflow[graph.arcs.arcs[i].source] += static_cast<double>(graph.weights[i]);
    std::vector<double> ranks = start;
    for (unsigned iteration = 0; iteration < options.max_iterations; ++iteration) {
        double dangling = 0;
        for (std::uint64_t v = 0; v < vertices; ++v)
            if (outflow[v] == 0) dangling += ranks[v];
        std::vector<double> next(vertices, 0);
        for (std::uint64_t v = 0; v < vertices; ++v)
            next[v] = (1 - options.damping + options.damping * dangling) * teleport[v];
        for (std::size_t i = 0; i < graph.weights.size(); ++i) {
            auto const& arc = graph.arcs.arcs[i];
            if (outflow[arc.source] > 0)
                next[arc.target] += options.damping * ranks[arc.source] *
                                    static_cast<double>(graph.weights[i]) / outflow[arc.source];
        }
        double change = 0;
        for (std::uint64_t v = 0; v < vertices; ++v)
            change += std::abs(next[v] - ranks[v]);
        ranks = next;
        if (change <= options.tolerance) break;
    }
    return ranks;
}

/// All live vertices alike. `erased`: vertices that are not live.
template <class Weight>
[[nodiscard]] std::vector<double> ranks_plainly(weighted_graph<Weight> const& graph,
                                                algorithms::pagerank_options const& options,
                                                std::set<graph::vertex_id> const& erased = {}) {
    std::uint64_t const vertices = graph.arcs.vertices;
    std::vector<double> uniform(vertices, 1 / static_cast<double>(vertices - erased.size()));
    for (graph::vertex_id const v : erased)
        uniform[v] = 0;
    return ranks_plainly(graph, options, uniform, uniform);
}

template <class Found>
void expect_ranks(Found const& found, std::vector<double> const& expected) {
    EXPECT_TRUE(found.converged);
    auto const ranks = found.ranks_on_host();
    ASSERT_EQ(ranks.size(), expected.size());
    for (std::size_t v = 0; v < ranks.size(); ++v)
        ASSERT_NEAR(ranks[v], expected[v], 1e-11) << "vertex " << v;
}

TYPED_TEST(weighted_pagerank_on, agrees_with_the_equation_live_and_as_rows) {
    std::uint32_t range = 1; // all weights are 0 first
    for (auto const& list : cases(true)) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            weighing const weigher{range, !way.directed};
            auto const expected = weigh<double>(plain(list.vertices, list.edges, way.directed), weigher);
            weighted_live_graph<TypeParam> live(
                this->space_, {.vertices = list.vertices, .directed = way.directed, .in_arcs = way.in_arcs});
            insert_weighted(live, list.edges, weigher);
            auto const ranks = ranks_plainly(expected, nearly_exact);
            expect_ranks(this->tested_.run(live.view(), nearly_exact), ranks);
            weighted_rows<TypeParam, float> const rows(
                this->space_, weigh<float>(plain(list.vertices, list.edges, way.directed), weigher));
            expect_ranks(this->tested_.run(rows.view(), nearly_exact), ranks);
        }
        range = range == 1 ? 100 : range;
    }
}

TYPED_TEST(weighted_pagerank_on, erased_vertices_have_no_rank) {
    auto const list = skewed_edges(80, 700, 3);
    weighing const weigher{9, true};
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = list.vertices});
    insert_weighted(live, list.edges, weigher);
    std::vector<graph::vertex_id> const gone{0, 7, 79};
    live.erase_vertices(gone);
    std::set<graph::vertex_id> const erased(gone.begin(), gone.end());
    auto edges = list.edges;
    std::erase_if(edges,
                  [&](graph::edge const& e) { return erased.count(e.source) + erased.count(e.target) != 0; });
    expect_ranks(
        this->tested_.run(live.view(), nearly_exact),
        ranks_plainly(weigh<double>(plain(list.vertices, edges, false), weigher), nearly_exact, erased));
}

TYPED_TEST(weighted_pagerank_on, equal_weights_give_the_ranks_of_pagerank) {
    auto const list = skewed_edges(300, 2000, 4);
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = list.vertices, .directed = true});
    insert_weighted(live, list.edges, [](graph::edge const&) { return 3.5; });
    expect_ranks(this->tested_.run(live.view(), nearly_exact),
                 rank_plainly(plain(list.vertices, list.edges, true), nearly_exact).ranks);
}

/// Twelve iterations, so that the start shows.
TYPED_TEST(weighted_pagerank_on, agrees_with_the_equation_from_other_ranks_and_personalised) {
    for (auto const& list : cases(true)) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            weighing const weigher{9, !way.directed};
            auto const expected = weigh<double>(plain(list.vertices, list.edges, way.directed), weigher);
            weighted_live_graph<TypeParam> live(
                this->space_, {.vertices = list.vertices, .directed = way.directed, .in_arcs = way.in_arcs});
            insert_weighted(live, list.edges, weigher);
            chosen_sources const chosen(list.vertices);
            auto const start = uneven_ranks(list.vertices);
            exec::buffer<TypeParam, double> const first(this->space_, start);
            auto const found = this->tested_.run(live.view(), twelve,
                                                 {.start = first.data(),
                                                  .start_count = first.size(),
                                                  .sources = chosen.sources,
                                                  .weights = chosen.weights});
            EXPECT_EQ(found.iterations, 12u);
            expect_near_ranks(found.ranks_on_host(), ranks_plainly(expected, twelve, start, chosen.teleport));
        }
    }
}

TYPED_TEST(weighted_pagerank_on, continues_an_earlier_run_in_more_vertices) {
    auto const list = skewed_edges(90, 500, 5);
    weighing const weigher{9, false};
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = list.vertices, .directed = true});
    insert_weighted(live, list.edges, weigher);
    auto const before = this->tested_.run(live.view(), {.tolerance = 0, .max_iterations = 7});
    auto start = before.ranks_on_host();
    std::uint64_t const vertices = 2000; // the ranks must move to larger memory
    live.add_vertices(vertices - list.vertices);
    live.erase_vertices(std::vector<graph::vertex_id>{1999});
    auto const found =
        this->tested_.run(live.view(), twelve, {.start = before.ranks, .start_count = before.vertices});
    double const uniform = 1 / static_cast<double>(vertices - 1);
    start.resize(vertices, uniform);
    start.back() = 0;
    double sum = 0;
    for (double const rank : start)
        sum += rank;
    for (double& rank : start)
        rank /= sum;
    std::vector<double> teleport(vertices, uniform);
    teleport.back() = 0;
    expect_near_ranks(
        found.ranks_on_host(),
        ranks_plainly(weigh<double>(plain(vertices, list.edges, true), weigher), twelve, start, teleport));
}

TYPED_TEST(weighted_pagerank_on, refuses_sources_that_are_none) {
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = 4, .directed = true});
    live.insert_edges(std::vector<graph::edge>{{0, 1}, {1, 2}}, std::vector<double>{1, 2});
    live.erase_vertices(std::vector<graph::vertex_id>{3});
    using ids = std::vector<graph::vertex_id>;
    using numbers = std::vector<double>;
    for (ids const& sources : {ids{3}, ids{4}}) // erased, and no vertex
        EXPECT_THROW((void)this->tested_.run(live.view(), {}, {.sources = sources}), std::invalid_argument);
    EXPECT_THROW((void)this->tested_.run(live.view(), {}, {.sources = ids{1}, .weights = numbers{0}}),
                 std::invalid_argument);
    EXPECT_THROW((void)this->tested_.run(live.view(), {}, {.weights = numbers{1}}), std::invalid_argument);
    weighted_live_graph<TypeParam> none(this->space_, {.vertices = 0});
    EXPECT_THROW((void)this->tested_.run(none.view(), {}, {.sources = ids{0}}), std::invalid_argument);
}

TYPED_TEST(weighted_pagerank_on, refuses_weights_that_are_none) {
    std::vector<graph::edge> const edges{{0, 1}, {1, 2}};
    for (double const bad :
         {-1.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        weighted_live_graph<TypeParam> live(this->space_, {.vertices = 4, .directed = true});
        live.insert_edges(edges, std::vector<double>{1, bad});
        EXPECT_THROW((void)this->tested_.run(live.view()), std::invalid_argument);
    }
    for (double const extreme : {1.7e308, 1e-305}) { // their sums
        weighted_live_graph<TypeParam> live(this->space_, {.vertices = 4, .directed = true});
        live.insert_edges(std::vector<graph::edge>{{0, 1}, {0, 2}}, std::vector<double>{extreme, extreme});
        EXPECT_THROW((void)this->tested_.run(live.view()), std::invalid_argument);
    }
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = 4});
    EXPECT_THROW((void)this->tested_.run(live.view(), {.damping = 1}), std::invalid_argument);
}

#if !defined(__CUDACC__)
/// Compressed sparse rows that count how often the rows of vertex 0 are walked.
struct counted_rows : graph::basic_csr_view<graph::vertex_id, double> {
    std::atomic<int>* walks;

    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, graph::vertex_id v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        if (v == 0) ++*walks;
        graph::basic_csr_view<graph::vertex_id, double>::for_each_edge(group, v, first, last, function);
    }
};

/// An iteration would divide by such a sum and get infinite ranks.
TEST(weighted_pagerank, refuses_sums_of_weights_before_the_first_iteration) {
    exec::host_space const space({.threads = 1});
    std::vector<std::uint64_t> const offsets{0, 1, 2, 2};
    std::vector<graph::vertex_id> const targets{1, 2};
    for (double const extreme : {1e-305, 1e-310, 1.7e308}) {
        std::vector<double> const weights{extreme, 1};
        std::atomic<int> walks = 0;
        counted_rows const view{{{offsets.data(), targets.data(), 3, 2, false}, weights.data()}, &walks};
        algorithms::weighted_pagerank<exec::host_space> tested(space);
        EXPECT_THROW((void)tested.run(view), std::invalid_argument);
        EXPECT_EQ(walks, 1) << "once to add up the weights";
    }
}
#endif

TYPED_TEST(weighted_pagerank_on, without_a_tolerance_waits_for_the_last_iteration_only) {
    auto const list = skewed_edges(60, 300, 5);
    weighing const weigher{9, false};
    weighted_live_graph<TypeParam> live(this->space_, {.vertices = list.vertices, .directed = true});
    insert_weighted(live, list.edges, weigher);
    std::vector<unsigned> told;
    std::function<void(unsigned, double)> const tell = [&](unsigned done, double) { told.push_back(done); };
    algorithms::pagerank_options const twenty{.tolerance = 0, .max_iterations = 20, .progress = &tell};
    auto const ranks = this->tested_.run(live.view(), twenty).ranks_on_host();
    EXPECT_EQ(told, std::vector<unsigned>{20});
    auto const expected = ranks_plainly(weigh<double>(plain(list.vertices, list.edges, true), weigher),
                                        {.tolerance = 0, .max_iterations = 20});
    for (std::size_t v = 0; v < ranks.size(); ++v)
        ASSERT_NEAR(ranks[v], expected[v], 1e-11) << "vertex " << v;
}

TYPED_TEST(weighted_pagerank_on, graphs_without_vertices_or_without_live_ones_have_no_ranks) {
    weighted_live_graph<TypeParam> none(this->space_, {.vertices = 0});
    EXPECT_TRUE(this->tested_.run(none.view()).ranks_on_host().empty());
    weighted_live_graph<TypeParam> erased(this->space_, {.vertices = 2});
    erased.erase_vertices(std::vector<graph::vertex_id>{0, 1});
    EXPECT_EQ(this->tested_.run(erased.view()).ranks_on_host(), (std::vector<double>{0, 0}));
}

} // namespace
} // namespace rhizome::tests
