// SPDX-License-Identifier: Apache-2.0
// Frontiers: advance() and filter() against loops over a list of arcs, on every space, live and as a
// snapshot.
#include "cases.hpp"
#include "frontier_search.hpp"
#include "scattered_view.hpp"
#include "search_cases.hpp"
#include "search_oracles.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/frontier.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::frontier;
using graph::vertex_id;

template <class Space>
class frontier_on : public space_test {};
TYPED_TEST_SUITE(frontier_on, all_spaces, space_names);

struct keep_even {
    RZ_HD bool operator()(vertex_id v) const { return v % 2 == 0; }
};
struct keep_odd {
    RZ_HD bool operator()(vertex_id v) const { return v % 2 == 1; }
};

/// Vertices without order, some of them repeated.
[[nodiscard]] std::vector<vertex_id> some_vertices(std::uint64_t vertices, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<vertex_id> chosen{0, static_cast<vertex_id>(vertices - 1), 0};
    for (std::uint64_t i = 0; i < vertices / 2; ++i)
        chosen.push_back(static_cast<vertex_id>(random() % vertices));
    return chosen;
}

template <class Space, class Graph>
void expect_advance(Space& space, Graph const& graph, plain_graph const& plainly,
                    std::vector<vertex_id> const& list, frontier<Space>& out) {
    frontier<Space> const in(space, list);
    exec::buffer<Space, std::uint32_t> calls(space, std::vector<std::uint32_t>(plainly.vertices));
    advance(graph, in, out, accept_some{calls.data()});
    auto const expected = advance_plainly(plainly, list);
    EXPECT_EQ(sorted_ids(out), expected.found);
    EXPECT_EQ(calls.to_host(), expected.calls);
    EXPECT_EQ(in.to_host(), list) << "the input is unchanged";
}

TYPED_TEST(frontier_on, advance_visits_each_arc_of_the_frontier_once) {
    std::uint64_t seed = 0;
    for (auto const& list : cases(is_emulated<TypeParam>)) {
        for (auto const& way : directions()) {
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            auto const arcs = plain(list.vertices, list.edges, way.directed);
            auto graph = build(space, list, way);
            frontier<TypeParam> out(space, std::vector<vertex_id>{7, 7, 7}); // what it holds is replaced
            expect_advance(space, graph, arcs, some_vertices(list.vertices, seed), out);
            expect_advance(space, graph.view(), arcs, {0}, out);
            expect_advance(space, graph.snapshot(), arcs, some_vertices(list.vertices, seed + 100), out);
        }
    }
}

TYPED_TEST(frontier_on, advance_takes_scattered_neighbours_and_dead_vertices) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(300);
    auto const arcs = plain(list.vertices, list.edges, true);
    scattered_graph<TypeParam> const scattered(space, arcs, 5, false, false);
    plain_graph moved{scattered.view().vertex_count(), {}};
    for (auto const [source, target] : arcs.arcs)
        moved.arcs.push_back({scattered.id_of(source), scattered.id_of(target)});
    std::sort(moved.arcs.begin(), moved.arcs.end());
    frontier<TypeParam> out(space);
    expect_advance(space, scattered.view(), moved, some_vertices(moved.vertices, 4), out);
    EXPECT_EQ(levels_by_advance(space, scattered.view(), moved.vertices, {scattered.id_of(1)}),
              levels_plainly(moved, {scattered.id_of(1)}));
}

TYPED_TEST(frontier_on, search_by_advance_has_the_levels_of_breadth_first_search) {
    std::uint64_t seed = 0;
    auto lists = long_cases();
    lists.push_back(skewed_edges(300, 700, 9));
    lists.push_back(wheel_with_two_hubs(is_emulated<TypeParam> ? 500 : 5000));
    for (auto const& list : lists) {
        SCOPED_TRACE(list.name);
        auto const way = directions()[seed % 3];
        auto space = make_space<TypeParam>({.seed = ++seed});
        auto const graph = build(space, list, way);
        auto const last = static_cast<vertex_id>(list.vertices - 1);
        for (auto const& sources : {std::vector<vertex_id>{0}, {last / 2, 0, last}}) {
            algorithms::breadth_first_search<TypeParam> search(space);
            exec::buffer<TypeParam, std::uint32_t> levels(space, list.vertices);
            (void)search.run(graph.view(), sources, levels.data());
            EXPECT_EQ(levels_by_advance(space, graph, list.vertices, sources), levels.to_host());
        }
    }
}

TYPED_TEST(frontier_on, advance_follows_batches_and_erased_vertices) {
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        auto space = make_space<TypeParam>();
        changing_edges edges{skewed_edges(80, 300, 3), {}};
        auto graph = build(space, edges.list, way);
        frontier<TypeParam> out(space);
        frontier<TypeParam> alive(space);
        for (std::uint64_t seed = 10; seed <= 12; ++seed) {
            std::vector<vertex_id> const gone{static_cast<vertex_id>(seed), static_cast<vertex_id>(2 * seed)};
            edges.change(graph, skewed_edges(80, 40, seed).edges, gone);
            auto list = some_vertices(80, seed);
            list.insert(list.end(), gone.begin(), gone.end());
            expect_advance(space, graph, plain(80, edges.list.edges, way.directed), list, out);

            std::vector<vertex_id> expected;
            for (vertex_id v = 1; v < 80; v += 2)
                if (!edges.erased.contains(v)) expected.push_back(v);
            filter_vertices(graph, alive, keep_odd{});
            EXPECT_EQ(sorted_ids(alive), expected);
        }
    }
}

/// Accepts arcs by their value; needs no thread.
struct accept_light {
    RZ_HD bool operator()(vertex_id, vertex_id, double value) const { return value < 20; }
};

TYPED_TEST(frontier_on, advance_gives_the_values_of_edges) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(400);
    weighing const weigher{40, true};
    weighted_live_graph<TypeParam> graph(space, {.vertices = list.vertices});
    insert_weighted(graph, list.edges, weigher);
    std::vector<vertex_id> const sources{0, 5, 399};
    std::vector<vertex_id> expected;
    for (auto const& arc : plain(list.vertices, list.edges, false).arcs)
        if (std::count(sources.begin(), sources.end(), arc.source) != 0 && weigher(arc) < 20)
            expected.push_back(arc.target);
    std::sort(expected.begin(), expected.end());
    frontier<TypeParam> out(space);
    advance(graph, frontier<TypeParam>(space, sources), out, accept_light{});
    EXPECT_EQ(sorted_ids(out), expected);
    auto const copy = graph.snapshot();
    advance(copy, frontier<TypeParam>(space, sources), out, accept_light{});
    EXPECT_EQ(sorted_ids(out), expected);
}

/// Keeps each id once: its first claim.
struct keep_once {
    std::uint32_t* claimed;

    template <class Thread>
    RZ_HD bool operator()(Thread const& thread, vertex_id v) const {
        return thread.device(claimed[v]).exchange(1u, exec::order::relaxed) == 0;
    }
};

TYPED_TEST(frontier_on, filter_keeps_what_the_predicate_accepts) {
    auto space = make_space<TypeParam>();
    frontier<TypeParam> kept(space, std::vector<vertex_id>{1, 2});
    for (std::uint64_t const vertices : {1u, 31u, 500u, is_emulated<TypeParam> ? 2000u : 100'000u}) {
        SCOPED_TRACE(vertices);
        auto list = some_vertices(vertices, vertices);
        frontier<TypeParam> const in(space, list);
        filter(in, kept, keep_even{});
        std::sort(list.begin(), list.end());
        auto expected = list;
        std::erase_if(expected, [](vertex_id v) { return v % 2 != 0; });
        EXPECT_EQ(sorted_ids(kept), expected);

        exec::buffer<TypeParam, std::uint32_t> claimed(space, std::vector<std::uint32_t>(vertices));
        filter(in, kept, keep_once{claimed.data()});
        expected = list;
        expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
        EXPECT_EQ(sorted_ids(kept), expected);
    }
}

TYPED_TEST(frontier_on, an_empty_frontier_has_nothing_to_visit) {
    auto space = make_space<TypeParam>();
    auto const graph = build(space, {"loose", 5, {{0, 1}}}, directions()[1]);
    frontier<TypeParam> const nothing(space);
    EXPECT_TRUE(nothing.empty());
    EXPECT_TRUE(nothing.to_host().empty());
    exec::buffer<TypeParam, std::uint32_t> calls(space, std::vector<std::uint32_t>(5));
    frontier<TypeParam> out(space, std::vector<vertex_id>{3, 4});
    advance(graph, nothing, out, accept_some{calls.data()});
    EXPECT_EQ(out.size(), 0u);
    out.assign(std::vector<vertex_id>{3, 4});
    filter(nothing, out, keep_even{});
    EXPECT_EQ(out.size(), 0u);
    out.assign(std::vector<vertex_id>{3, 4});
    advance(graph, frontier<TypeParam>(space, std::vector<vertex_id>{1, 2}), out, accept_some{calls.data()});
    EXPECT_EQ(out.size(), 0u) << "vertices without arcs";
    EXPECT_EQ(calls.to_host(), std::vector<std::uint32_t>(5));
    tested_graph<TypeParam> empty(space, {.vertices = 0});
    out.assign(std::vector<vertex_id>{3, 4});
    filter_vertices(empty, out, keep_even{});
    EXPECT_EQ(out.size(), 0u);
}

TYPED_TEST(frontier_on, frontiers_move_swap_and_keep_their_memory) {
    auto space = make_space<TypeParam>();
    std::vector<vertex_id> const two{2, 1};
    std::vector<vertex_id> const three{9, 8, 7};
    frontier<TypeParam> a(space, two);
    frontier<TypeParam> b(space, three);
    swap(a, b);
    EXPECT_EQ(a.to_host(), three);
    EXPECT_EQ(b.to_host(), two);
    frontier<TypeParam> moved(std::move(a));
    EXPECT_EQ(moved.to_host(), three);
    a = std::move(b);
    EXPECT_EQ(a.to_host(), two);
    auto const bytes = moved.held_bytes();
    moved.clear();
    EXPECT_TRUE(moved.empty());
    EXPECT_EQ(moved.held_bytes(), bytes);
}

TYPED_TEST(frontier_on, refuses_what_makes_no_sense) {
    auto space = make_space<TypeParam>();
    auto const graph = build(space, complete_edges(40), directions()[0]);
    frontier<TypeParam> list(space, std::vector<vertex_id>{0, 1});
    exec::buffer<TypeParam, std::uint32_t> calls(space, std::vector<std::uint32_t>(40));
    accept_some const function{calls.data()};
    EXPECT_THROW(advance(graph, list, list, function), std::invalid_argument);
    EXPECT_THROW(filter(list, list, keep_even{}), std::invalid_argument);
    EXPECT_EQ(list.size(), 2u);
    EXPECT_EQ(calls.to_host(), std::vector<std::uint32_t>(40));

    frontier<TypeParam> out(space);
    advance(graph, list, out, function);
    auto const accepted = out.size();
    EXPECT_GT(accepted, 40u) << "an id per arc, since the function claims no vertex";
    EXPECT_THROW(advance(graph, list, out, function, {.most_accepted = accepted - 1}), std::length_error);
    EXPECT_TRUE(out.empty());
    advance(graph, list, out, function, {.most_accepted = accepted});
    EXPECT_EQ(out.size(), accepted);
}

TYPED_TEST(frontier_on, out_of_memory_calls_no_function) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(600);
    auto const arcs = plain(list.vertices, list.edges, false);
    auto const graph = build(space, list, directions()[0]);
    frontier<TypeParam> const in(space, std::vector<vertex_id>{0, 3});
    exec::buffer<TypeParam, std::uint32_t> calls(space, std::vector<std::uint32_t>(600));
    std::uint64_t refused = 0;
    for (std::uint64_t from = 1; from < 10; ++from) {
        SCOPED_TRACE(from);
        counting_resource resource;
        resource.refuse_from(from, refusal::out_of_memory);
        frontier<TypeParam> out(space, &resource);
        calls.fill_bytes(0);
        try {
            advance(graph, in, out, accept_some{calls.data()});
            EXPECT_EQ(sorted_ids(out), advance_plainly(arcs, {0, 3}).found);
            EXPECT_EQ(refused, from - 1) << "each allocation was refused once";
            EXPECT_GE(refused, 4u); // totals, pieces, count and ids
            return;
        } catch (exec::out_of_memory const&) {
            ++refused;
        }
        EXPECT_TRUE(out.empty());
        EXPECT_EQ(calls.to_host(), std::vector<std::uint32_t>(600));
        EXPECT_THROW(out.assign(std::vector<vertex_id>(5000)), exec::out_of_memory);
        EXPECT_TRUE(out.empty());
        EXPECT_TRUE(out.to_host().empty());
        resource.refuse_no_more();
        advance(graph, in, out, accept_some{calls.data()});
        EXPECT_EQ(sorted_ids(out), advance_plainly(arcs, {0, 3}).found);
    }
    ADD_FAILURE() << "advance() needs ten allocations";
}

TYPED_TEST(frontier_on, many_schedules_agree) {
    auto const list = skewed_edges(150, 600, 8);
    auto const arcs = plain(list.vertices, list.edges, false);
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        auto space = make_space<TypeParam>({.seed = seed});
        auto const graph = build(space, list, directions()[0]);
        EXPECT_EQ(levels_by_advance(space, graph, list.vertices, {2}), levels_plainly(arcs, {2}));
        frontier<TypeParam> out(space);
        expect_advance(space, graph, arcs, some_vertices(list.vertices, seed), out);
    }
}

} // namespace
} // namespace rhizome::tests
