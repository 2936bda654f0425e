// SPDX-License-Identifier: Apache-2.0
// Triangle counts against Boost.Graph and plain sets, on every space, live and as a snapshot.
#include "cases.hpp"
#include "oracles.hpp"
#include "scattered_view.hpp"

#include <rhizome/algorithms/triangles.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <stdexcept>

namespace rhizome::tests {
namespace {

template <class Space>
class triangles_on : public space_test {};
TYPED_TEST_SUITE(triangles_on, all_spaces, space_names);

TYPED_TEST(triangles_on, agree_with_the_oracles_live_and_snapshot) {
    std::uint64_t seed = 0;
    for (auto const& list : cases(is_emulated<TypeParam>)) {
        SCOPED_TRACE(list.name);
        auto const arcs = plain(list.vertices, list.edges, false);
        auto const expected = triangles_by_sets(arcs);
        if (list.vertices <= 1000) { // a dense matrix
            ASSERT_EQ(triangles_by_boost(arcs), expected);
        }
        for (auto const& way : directions()) {
            SCOPED_TRACE(way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            algorithms::triangle_counter<TypeParam> counter(space);
            algorithms::triangle_options const options{.symmetrize = way.directed};
            auto graph = build(space, list, way);
            auto const copy = graph.snapshot();
            EXPECT_EQ(counter.count(graph.view(), options), expected);
            EXPECT_EQ(counter.count(copy.view(), options), expected);
        }
    }
}

TYPED_TEST(triangles_on, take_scattered_neighbours_and_dead_vertices) {
    std::uint64_t seed = 0;
    for (auto const& list :
         {skewed_edges(60, 800, 1), wheel_with_two_hubs(300), complete_edges(12), loops_only(5)}) {
        auto const expected = triangles_by_sets(plain(list.vertices, list.edges, false));
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto const space = make_space<TypeParam>({.seed = ++seed});
            scattered_graph<TypeParam> const scattered(space, plain(list.vertices, list.edges, way.directed),
                                                       5, !way.directed, way.in_arcs);
            algorithms::triangle_counter<TypeParam> counter(space);
            EXPECT_EQ(counter.count(scattered.view(), {.symmetrize = true}), expected);
        }
    }
}

/// Sets with bits for few ranks only, and tables that hold one or two: the others in many parts. Of short
/// rows, marks that clash.
TYPED_TEST(triangles_on, agree_whatever_the_size_of_the_sets) {
    graph::vertex_id const vertices = is_emulated<TypeParam> ? 134 : 300;
    for (auto const& list : {circulant_edges(vertices, 66), circulant_edges(vertices, 9)}) {
        auto const expected = triangles_by_sets(plain(list.vertices, list.edges, false));
        auto graph = build(make_space<TypeParam>({.seed = 5}), list, directions()[0]);
        algorithms::triangle_counter<TypeParam, 4> bits_for_128(graph.space());
        algorithms::triangle_counter<TypeParam, 8> bits_for_256(graph.space());
        EXPECT_EQ(bits_for_128.count(graph.view()), expected);
        EXPECT_EQ(bits_for_256.count(graph.view()), expected);
        EXPECT_EQ(bits_for_256.count(graph.view()), expected); // totals are kept
    }
}

TYPED_TEST(triangles_on, many_schedules_agree) {
    auto const list = skewed_edges(40, 200, 8);
    auto const expected = triangles_by_sets(plain(list.vertices, list.edges, false));
    ASSERT_GT(expected, 50u);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        for (auto const& way : directions()) {
            auto graph = build(make_space<TypeParam>({.seed = seed}), list, way);
            algorithms::triangle_counter<TypeParam> counter(graph.space());
            EXPECT_EQ(counter.count(graph.view(), {.symmetrize = true}), expected);
        }
    }
}

TYPED_TEST(triangles_on, are_refused_on_a_directed_view_unless_symmetrized) {
    for (auto const& way : directions()) {
        if (!way.directed) continue;
        SCOPED_TRACE(way.name);
        auto graph = build(make_space<TypeParam>(), named_edges{"cycle", 4, {{0, 1}, {1, 2}, {2, 0}}}, way);
        auto const copy = graph.snapshot();
        algorithms::triangle_counter<TypeParam> counter(graph.space());
        EXPECT_THROW((void)counter.count(graph.view()), std::invalid_argument);
        EXPECT_THROW((void)counter.count(copy.view()), std::invalid_argument);
        EXPECT_EQ(counter.count(graph.view(), {.symmetrize = true}), 1u);
        EXPECT_EQ(counter.count(copy.view(), {.symmetrize = true}), 1u);
    }
}

TYPED_TEST(triangles_on, of_an_empty_graph_are_none) {
    for (auto const& way : directions()) {
        tested_graph<TypeParam> graph(make_space<TypeParam>(),
                                      {.directed = way.directed, .in_arcs = way.in_arcs});
        algorithms::triangle_counter<TypeParam> counter(graph.space());
        EXPECT_EQ(counter.count(graph.view(), {.symmetrize = true}), 0u);
    }
}

TYPED_TEST(triangles_on, follow_a_graph_that_changes) {
    auto const space = make_space<TypeParam>();
    algorithms::triangle_counter<TypeParam> counter(space);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto list = skewed_edges(40, 60, 21);
        auto graph = build(space, list, way);
        for (std::uint64_t seed = 30; seed <= 33; ++seed) {
            auto const more = skewed_edges(40, 60, seed);
            graph.insert_edges(more.edges);
            list.edges.insert(list.edges.end(), more.edges.begin(), more.edges.end());
            EXPECT_EQ(counter.count(graph.view(), {.symmetrize = true}),
                      triangles_by_sets(plain(list.vertices, list.edges, false)));
        }
        graph.erase_edges(list.edges);
        EXPECT_EQ(counter.count(graph.view(), {.symmetrize = true}), 0u);
    }
}

} // namespace
} // namespace rhizome::tests
