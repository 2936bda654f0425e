// SPDX-License-Identifier: Apache-2.0
// Core numbers against Boost.Graph, on every space, live and as a snapshot.
#include "cases.hpp"
#include "refused_scratch.hpp"
#include "scattered_view.hpp"
#include "search_cases.hpp"
#include "search_oracles.hpp"

#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::k_core_options;
using graph::vertex_id;

template <class Space>
class k_core_on : public space_test {};
TYPED_TEST_SUITE(k_core_on, all_spaces, space_names);

template <class Space, class View>
void expect_cores(Space& space, algorithms::k_core<Space>& tested, View const& view,
                  std::vector<std::uint32_t> const& expected, k_core_options const& options = {}) {
    exec::buffer<Space, std::uint32_t> cores(space, view.vertex_count() + 1);
    auto const report = tested.run(view, cores.data(), options);
    auto found = cores.to_host();
    found.resize(view.vertex_count());
    ASSERT_EQ(found, expected);
    std::uint32_t const largest = expected.empty() ? 0 : *std::max_element(expected.begin(), expected.end());
    EXPECT_EQ(report.largest, largest);
    EXPECT_EQ(report.rounds == 0, largest == 0);
}

/// From the default to limits so small that blocks pass vertices on in every wave.
[[nodiscard]] std::vector<k_core_options> core_options() {
    return {
        {.symmetrize = true}, {.symmetrize = true, .block_arcs = 0}, {.symmetrize = true, .block_arcs = 12}};
}

/// Chains of removals in one core number, and core numbers far apart.
[[nodiscard]] std::vector<named_edges> long_cases() {
    named_edges path{"path", 300, {}};
    for (vertex_id v = 0; v + 1 < 300; ++v)
        path.edges.push_back({v, v + 1});
    named_edges star{"star", 900, {}};
    for (vertex_id v = 0; v < 900; ++v)
        if (v != 300) star.edges.push_back({v, 300});
    named_edges grid{"grid with diagonals", 400, {}}; // 3 x 3 stencil: removed from the corners
    for (vertex_id v = 0; v < 400; ++v) {
        bool const right = v % 20 != 19;
        bool const below = v + 20 < 400;
        if (right) grid.edges.push_back({v, v + 1});
        if (below) grid.edges.push_back({v, v + 20});
        if (right && below) {
            grid.edges.push_back({v, v + 21});
            grid.edges.push_back({v + 1, v + 20});
        }
    }
    named_edges far{"core numbers 1, 2, 40 and 90", 500, {}};
    for (vertex_id u = 0; u < 91; ++u)
        for (vertex_id v = u + 1; v < 91; ++v)
            far.edges.push_back({u, v});
    for (vertex_id u = 100; u < 141; ++u)
        for (vertex_id v = u + 1; v < 141; ++v)
            far.edges.push_back({v, u});
    far.edges.push_back({90, 100});
    for (vertex_id v = 200; v + 1 < 300; ++v)
        far.edges.push_back({v, v + 1});
    far.edges.push_back({299, 200});
    far.edges.push_back({300, 140});
    return {path, star, grid, far};
}

TYPED_TEST(k_core_on, agrees_with_boost_live_and_snapshot) {
    std::uint64_t seed = 0;
    auto all = cases(is_emulated<TypeParam>);
    for (auto const& more : long_cases())
        all.push_back(more);
    for (auto const& list : all) {
        auto const expected = core_numbers_by_boost(plain(list.vertices, list.edges, false));
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            if (is_emulated<TypeParam> && way.directed && list.edges.size() > 3000) continue;
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto graph = build(space, list, way);
            auto const copy = graph.snapshot();
            algorithms::k_core<TypeParam> tested(space);
            for (auto const& options : core_options()) {
                expect_cores(space, tested, graph.view(), expected, options);
                if (way.directed) break;
                expect_cores(space, tested, copy.view(), expected, options);
            }
        }
    }
}

/// Rows for all blocks, which many vertices shorten at once.
TYPED_TEST(k_core_on, shares_rows_of_hubs) {
    named_edges hubs{"hubs", 20'000, {{0, 1}, {1, 2}, {2, 0}}};
    for (vertex_id v = 3; v < 20'000; ++v) {
        hubs.edges.push_back({v, v % 3});
        if (v % 2 == 0) hubs.edges.push_back({v, (v + 1) % 3});
        if (v + 1 < 10'000) hubs.edges.push_back({v, v + 1});
    }
    auto space = make_space<TypeParam>();
    auto const graph = build(space, hubs, directions()[0]);
    algorithms::k_core<TypeParam> tested(space);
    expect_cores(space, tested, graph.view(), core_numbers_by_boost(plain(hubs.vertices, hubs.edges, false)));
}

TYPED_TEST(k_core_on, takes_scattered_neighbours_and_dead_vertices) {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(60, 800, 1), wheel_with_two_hubs(300), loops_only(5)}) {
        SCOPED_TRACE(list.name);
        auto space = make_space<TypeParam>({.seed = ++seed});
        auto const arcs = plain(list.vertices, list.edges, false);
        scattered_graph<TypeParam> const scattered(space, arcs, 5, true, false);
        plain_graph moved{scattered.view().vertex_count(), {}};
        for (auto const [source, target] : arcs.arcs)
            moved.arcs.push_back({scattered.id_of(source), scattered.id_of(target)});
        algorithms::k_core<TypeParam> tested(space);
        for (auto const& options : core_options())
            expect_cores(space, tested, scattered.view(), core_numbers_by_boost(moved), options);
    }
}

TYPED_TEST(k_core_on, follows_batches_and_erased_vertices) {
    auto space = make_space<TypeParam>();
    changing_edges edges{skewed_edges(80, 260, 3), {}};
    auto graph = build(space, edges.list, directions()[0]);
    algorithms::k_core<TypeParam> tested(space);
    for (std::uint64_t seed = 10; seed <= 12; ++seed) {
        edges.change(graph, skewed_edges(80, 60, seed).edges,
                     {static_cast<vertex_id>(seed), static_cast<vertex_id>(2 * seed)});
        expect_cores(space, tested, graph.view(), core_numbers_by_boost(plain(80, edges.list.edges, false)));
    }
}

TYPED_TEST(k_core_on, refuses_directed_graphs_and_takes_empty_ones) {
    auto space = make_space<TypeParam>();
    algorithms::k_core<TypeParam> tested(space);
    exec::buffer<TypeParam, std::uint32_t> cores(space, 5);
    for (std::size_t const way : {1u, 2u}) {
        auto const directed = build(space, complete_edges(5), directions()[way]);
        EXPECT_THROW((void)tested.run(directed.view(), cores.data()), std::invalid_argument);
        EXPECT_EQ(tested.run(directed.view(), cores.data(), {.symmetrize = true}).largest, 4u);
    }
    tested_graph<TypeParam> empty(space, {.vertices = 0});
    EXPECT_EQ(tested.run(empty.view(), nullptr).largest, 0u);
    tested_graph<TypeParam> empty_directed(space, {.vertices = 0, .directed = true});
    EXPECT_THROW((void)tested.run(empty_directed.view(), nullptr), std::invalid_argument);
    EXPECT_EQ(tested.run(empty_directed.view(), nullptr, {.symmetrize = true}).largest, 0u);
}

TYPED_TEST(k_core_on, many_schedules_agree) {
    auto const list = skewed_edges(150, 500, 8);
    auto const expected = core_numbers_by_boost(plain(list.vertices, list.edges, false));
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        auto space = make_space<TypeParam>({.seed = seed});
        auto const graph = build(space, list, directions()[0]);
        algorithms::k_core<TypeParam> tested(space);
        expect_cores(space, tested, graph.view(), expected, core_options()[seed % 3]);
    }
}

TYPED_TEST(k_core_on, takes_scratch_from_a_resource_that_may_refuse) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(300);
    auto const expected = core_numbers_by_boost(plain(list.vertices, list.edges, false));
    for (std::size_t const way : {0u, 1u}) {
        auto const graph = build(space, list, directions()[way]);
        k_core_options const options{.symmetrize = true};
        expect_result_or_refusal<algorithms::k_core<TypeParam>>(
            space, 2, [&](auto& tested) { expect_cores(space, tested, graph.view(), expected, options); });
    }
}

} // namespace
} // namespace rhizome::tests
