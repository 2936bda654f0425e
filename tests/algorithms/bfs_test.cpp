// SPDX-License-Identifier: Apache-2.0
// Breadth-first search against a plain queue and the rules of Graph500, on every space, live and as a
// snapshot.
#include "cases.hpp"
#include "refused_scratch.hpp"
#include "scattered_view.hpp"
#include "search_cases.hpp"
#include "search_oracles.hpp"

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::bfs_options;
using algorithms::unreached;
using graph::vertex_id;

template <class Space>
class bfs_on : public space_test {};
TYPED_TEST_SUITE(bfs_on, all_spaces, space_names);

/// From the defaults to limits so small that every level is wide, or that bottom-up begins and ends often.
[[nodiscard]] std::vector<bfs_options> search_options() {
    return {{},
            {.top_down_only = true},
            {.top_down_only = true, .narrow_vertices = 0},
            {.alpha = 1e9, .beta = 1e9, .narrow_vertices = 0},
            {.alpha = 1e9, .beta = 2, .narrow_vertices = 4},
            {.narrow_vertices = 3, .narrow_arcs = 20}};
}

template <class Space, class View>
void expect_search(Space& space, algorithms::breadth_first_search<Space>& search, View const& view,
                   plain_graph const& expected, std::vector<vertex_id> const& sources,
                   bfs_options const& options) {
    exec::buffer<Space, std::uint32_t> levels(space, view.vertex_count() + 1);
    exec::buffer<Space, vertex_id> parents(space, view.vertex_count() + 1);
    auto const report = search.run(view, sources, levels.data(), parents.data(), options);
    auto found = levels.to_host();
    auto tree = parents.to_host();
    found.resize(view.vertex_count());
    tree.resize(view.vertex_count());
    auto const plainly = levels_plainly(expected, sources);
    ASSERT_EQ(found, plainly);
    EXPECT_EQ(broken_search_rule(expected, sources, found, tree), "");
    auto const reached = static_cast<std::uint64_t>(
        std::count_if(plainly.begin(), plainly.end(), [](auto level) { return level != unreached; }));
    EXPECT_EQ(report.reached, reached);
    std::uint32_t most = 0;
    for (auto const level : plainly)
        if (level != unreached) most = std::max(most, level + 1);
    EXPECT_EQ(report.levels, most);
    std::uint64_t arcs = 0;
    for (auto const arc : expected.arcs)
        arcs += plainly[arc.source] != unreached ? 1 : 0;
    EXPECT_EQ(report.arcs, arcs);
    if (options.top_down_only || !view.has_in_arcs()) {
        EXPECT_EQ(report.bottom_up, 0u);
    }
}

TYPED_TEST(bfs_on, agrees_with_a_queue_live_and_snapshot) {
    std::uint64_t seed = 0;
    auto all = cases(is_emulated<TypeParam>);
    for (auto const& more : long_cases())
        all.push_back(more);
    for (auto const& list : all) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto const expected = plain(list.vertices, list.edges, way.directed);
            auto graph = build(space, list, way);
            auto const copy = graph.snapshot();
            algorithms::breadth_first_search<TypeParam> search(space);
            auto const last = static_cast<vertex_id>(list.vertices - 1);
            auto const options = search_options();
            for (std::size_t i = 0; i < options.size(); ++i) {
                if (is_emulated<TypeParam> && (seed + i) % (sanitized ? 6 : 3) != 0) continue;
                SCOPED_TRACE(i);
                expect_search(space, search, graph.view(), expected, {0}, options[i]);
                expect_search(space, search, copy.view(), expected, {last}, options[i]);
                expect_search(space, search, graph.view(), expected, {last / 2, 0, last / 2}, options[i]);
            }
        }
    }
}

TYPED_TEST(bfs_on, goes_bottom_up_where_that_is_less_work) {
    auto space = make_space<TypeParam>();
    auto const list = complete_edges(200);
    auto const graph = build(space, list, directions()[0]);
    algorithms::breadth_first_search<TypeParam> search(space);
    exec::buffer<TypeParam, std::uint32_t> levels(space, 200);
    std::vector<vertex_id> const sources{7};
    auto const report = search.run(graph.view(), sources, levels.data());
    EXPECT_EQ(report.reached, 200u);
    EXPECT_EQ(report.levels, 2u);
    EXPECT_EQ(report.bottom_up, 1u); // the last level has nobody to find
}

TYPED_TEST(bfs_on, takes_scattered_neighbours_and_dead_vertices) {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(60, 800, 1), wheel_with_two_hubs(300), loops_only(5)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto const arcs = plain(list.vertices, list.edges, way.directed);
            scattered_graph<TypeParam> const scattered(space, arcs, 5, !way.directed, way.in_arcs);
            plain_graph moved{scattered.view().vertex_count(), {}};
            for (auto const [source, target] : arcs.arcs)
                moved.arcs.push_back({scattered.id_of(source), scattered.id_of(target)});
            std::sort(moved.arcs.begin(), moved.arcs.end());
            algorithms::breadth_first_search<TypeParam> search(space);
            for (auto const& options : search_options())
                expect_search(space, search, scattered.view(), moved, {scattered.id_of(1)}, options);
        }
    }
}

TYPED_TEST(bfs_on, follows_batches_and_erased_vertices) {
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto space = make_space<TypeParam>();
        changing_edges edges{skewed_edges(80, 160, 3), {}};
        auto graph = build(space, edges.list, way);
        algorithms::breadth_first_search<TypeParam> search(space);
        for (std::uint64_t seed = 10; seed <= 12; ++seed) {
            std::vector<vertex_id> const gone{static_cast<vertex_id>(seed), static_cast<vertex_id>(2 * seed)};
            edges.change(graph, skewed_edges(80, 40, seed).edges, gone);
            expect_search(space, search, graph.view(), plain(80, edges.list.edges, way.directed), {0, 1}, {});
            exec::buffer<TypeParam, std::uint32_t> levels(space, 80);
            EXPECT_THROW((void)search.run(graph.view(), gone, levels.data()), std::invalid_argument);
        }
    }
}

TYPED_TEST(bfs_on, refuses_what_makes_no_sense) {
    auto space = make_space<TypeParam>();
    auto const graph = build(space, complete_edges(5), directions()[0]);
    algorithms::breadth_first_search<TypeParam> search(space);
    exec::buffer<TypeParam, std::uint32_t> levels(space, 5);
    std::vector<vertex_id> const beyond{1, 5};
    std::vector<vertex_id> const one{1};
    EXPECT_THROW((void)search.run(graph.view(), beyond, levels.data()), std::invalid_argument);
    EXPECT_THROW((void)search.run(graph.view(), one, levels.data(), nullptr, {.alpha = 0}),
                 std::invalid_argument);
    EXPECT_THROW((void)search.run(graph.view(), one, levels.data(), nullptr, {.beta = -1}),
                 std::invalid_argument);
    EXPECT_EQ(search.run(graph.view(), {}, levels.data()).reached, 0u);
    EXPECT_EQ(levels.to_host(), std::vector<std::uint32_t>(5, unreached));
    tested_graph<TypeParam> empty(space, {.vertices = 0});
    EXPECT_EQ(search.run(empty.view(), {}, nullptr).reached, 0u);
    EXPECT_THROW((void)search.run(empty.view(), one, nullptr), std::invalid_argument);
}

TYPED_TEST(bfs_on, many_schedules_agree) {
    auto const list = skewed_edges(150, 300, 8);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        auto const way = directions()[seed % 3];
        auto space = make_space<TypeParam>({.seed = seed});
        auto const graph = build(space, list, way);
        algorithms::breadth_first_search<TypeParam> search(space);
        expect_search(space, search, graph.view(), plain(list.vertices, list.edges, way.directed), {2},
                      search_options()[seed % search_options().size()]);
    }
}

TYPED_TEST(bfs_on, takes_scratch_from_a_resource_that_may_refuse) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(300);
    auto const expected = plain(list.vertices, list.edges, false);
    auto const graph = build(space, list, directions()[0]);
    expect_result_or_refusal<algorithms::breadth_first_search<TypeParam>>(
        space, 3, [&](auto& search) { expect_search(space, search, graph.view(), expected, {0}, {}); });
}

} // namespace
} // namespace rhizome::tests
