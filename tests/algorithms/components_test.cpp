// SPDX-License-Identifier: Apache-2.0
// Connected components against a plain search, on every space, live and as a snapshot.
#include "cases.hpp"
#include "refused_scratch.hpp"
#include "scattered_view.hpp"
#include "search_cases.hpp"
#include "search_oracles.hpp"

#include <rhizome/algorithms/components.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace rhizome::tests {
namespace {

using graph::vertex_id;

template <class Space>
class components_on : public space_test {};
TYPED_TEST_SUITE(components_on, all_spaces, space_names);

/// `expected`: no_vertex for ids of erased vertices.
template <class Space, class View>
void expect_components(Space& space, algorithms::connected_components<Space>& tested, View const& view,
                       std::vector<vertex_id> const& expected) {
    exec::buffer<Space, vertex_id> labels(space, view.vertex_count() + 1);
    std::uint64_t const count = tested.run(view, labels.data());
    auto found = labels.to_host();
    found.resize(view.vertex_count());
    ASSERT_EQ(found, expected);
    std::set<vertex_id> different(expected.begin(), expected.end());
    different.erase(graph::no_vertex);
    EXPECT_EQ(count, different.size());
}

/// Paths of which each is a component, and a large one beside small ones.
[[nodiscard]] std::vector<named_edges> many_components() {
    named_edges paths{"paths", 600, {}};
    for (vertex_id v = 0; v + 1 < 600; ++v)
        if (v % 7 != 6) paths.edges.push_back({v + 1, v});
    named_edges hubs{"stars", 900, {}};
    for (vertex_id v = 0; v < 700; ++v)
        if (v != 300 && v != 500) hubs.edges.push_back({v, v < 400 ? 300u : 500u});
    named_edges late{"an edge that samples miss", 700, {}};
    for (vertex_id v = 0; v < 299; ++v)
        late.edges.push_back({v, v + 1});
    for (vertex_id v = 300; v < 599; ++v)
        late.edges.push_back({v, v + 1});
    late.edges.push_back({150, 450});
    return {paths, hubs, late};
}

TYPED_TEST(components_on, agree_with_a_search_live_and_snapshot) {
    std::uint64_t seed = 0;
    auto all = cases(is_emulated<TypeParam>);
    for (auto const& more : many_components())
        all.push_back(more);
    for (auto const& list : all) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto const expected = components_plainly(plain(list.vertices, list.edges, way.directed));
            auto graph = build(space, list, way);
            auto const copy = graph.snapshot();
            algorithms::connected_components<TypeParam> tested(space);
            expect_components(space, tested, graph.view(), expected);
            expect_components(space, tested, copy.view(), expected);
        }
    }
}

TYPED_TEST(components_on, take_scattered_neighbours_and_dead_vertices) {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(60, 40, 1), wheel_with_two_hubs(300), loops_only(5)}) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto const arcs = plain(list.vertices, list.edges, way.directed);
            scattered_graph<TypeParam> const scattered(space, arcs, 5, !way.directed, way.in_arcs);
            std::vector<vertex_id> expected(scattered.view().vertex_count(), graph::no_vertex);
            auto const plainly = components_plainly(arcs);
            for (std::uint64_t v = 0; v < list.vertices; ++v)
                expected[scattered.id_of(v)] = scattered.id_of(plainly[v]); // ids keep their order
            algorithms::connected_components<TypeParam> tested(space);
            expect_components(space, tested, scattered.view(), expected);
        }
    }
}

TYPED_TEST(components_on, follow_batches_and_erased_vertices) {
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto space = make_space<TypeParam>();
        changing_edges edges{skewed_edges(80, 30, 3), {}};
        auto graph = build(space, edges.list, way);
        algorithms::connected_components<TypeParam> tested(space);
        for (std::uint64_t seed = 10; seed <= 12; ++seed) {
            edges.change(graph, skewed_edges(80, 20, seed).edges, {static_cast<vertex_id>(seed - 10)});
            auto expected = components_plainly(plain(80, edges.list.edges, way.directed));
            for (auto const v : edges.erased)
                expected[v] = graph::no_vertex;
            expect_components(space, tested, graph.view(), expected);
        }
    }
    auto space = make_space<TypeParam>();
    algorithms::connected_components<TypeParam> tested(space);
    tested_graph<TypeParam> empty(space, {.vertices = 0});
    EXPECT_EQ(tested.run(empty.view(), nullptr), 0u);
}

TYPED_TEST(components_on, many_schedules_agree) {
    auto const list = skewed_edges(150, 90, 8);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE(seed);
        auto const way = directions()[seed % 3];
        auto space = make_space<TypeParam>({.seed = seed});
        auto const graph = build(space, list, way);
        algorithms::connected_components<TypeParam> tested(space);
        expect_components(space, tested, graph.view(),
                          components_plainly(plain(list.vertices, list.edges, way.directed)));
    }
}

/// Arcs that only the last joins look at make a chain of trees, so that threads walk the same paths while
/// they write the labels at the end.
TYPED_TEST(components_on, chains_of_late_joins_agree) {
    constexpr vertex_id groups = 60;
    named_edges list{"a chain of complete graphs", 4 * groups, {}};
    for (vertex_id group = 0; group < groups; ++group) {
        for (vertex_id a = 0; a < 4; ++a)
            for (vertex_id b = 0; b < 4; ++b)
                if (a != b) list.edges.push_back({4 * group + a, 4 * group + b});
        if (group + 1 < groups) list.edges.push_back({4 * group + 3, 4 * group + 4}); // its fourth neighbour
    }
    direction const way{"directed", true, false};
    auto const expected = components_plainly(plain(list.vertices, list.edges, true));
    for (std::uint64_t seed = 1; seed <= (is_emulated<TypeParam> ? 100u : 5u); ++seed) {
        SCOPED_TRACE(seed);
        auto space = make_space<TypeParam>({.seed = seed});
        auto const graph = build(space, list, way);
        algorithms::connected_components<TypeParam> tested(space);
        expect_components(space, tested, graph.view(), expected);
    }
}

TYPED_TEST(components_on, take_scratch_from_a_resource_that_may_refuse) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(300);
    auto const expected = components_plainly(plain(list.vertices, list.edges, false));
    auto const graph = build(space, list, directions()[0]);
    expect_result_or_refusal<algorithms::connected_components<TypeParam>>(
        space, 1, [&](auto& tested) { expect_components(space, tested, graph.view(), expected); });
}

} // namespace
} // namespace rhizome::tests
