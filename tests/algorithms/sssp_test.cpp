// SPDX-License-Identifier: Apache-2.0
// Shortest paths against Boost.Graph's Dijkstra, on every space, live and as a snapshot.
#include "cases.hpp"
#include "refused_scratch.hpp"
#include "search_cases.hpp"
#include "weighted_graphs.hpp"

#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::shortest_paths_options;
using algorithms::unreached_distance;
using graph::vertex_id;

static_assert(algorithms::weighted_view<graph::row_view<graph::contiguous::format<vertex_id, double>>>);
static_assert(algorithms::weighted_view<graph::basic_csr_view<vertex_id, float>>);
static_assert(!algorithms::weighted_view<graph::default_view>, "an edge without a value does not weigh 1");
static_assert(!algorithms::weighted_view<graph::csr_view>);
static_assert(!algorithms::weighted_view<graph::basic_csr_view<vertex_id, std::uint64_t>>);

template <class Space>
class shortest_paths_on : public space_test {};
TYPED_TEST_SUITE(shortest_paths_on, all_spaces, space_names);

/// From the defaults to one vertex after another, all in one range, limits so small that all blocks share
/// each step, and steps that mark what the next one lists.
[[nodiscard]] std::vector<shortest_paths_options> path_options() {
    return {{},
            {.narrow_vertices = 0},
            {.delta = 1e-3},
            {.delta = 1e-3, .narrow_vertices = 0},
            {.delta = 1e300},
            {.delta = 5, .narrow_vertices = 3, .narrow_arcs = 20},
            {.narrow_vertices = 0, .marking_arcs = 1},
            {.delta = 5, .narrow_vertices = 3, .narrow_arcs = 20, .marking_arcs = 40},
            {.delta = std::numeric_limits<double>::infinity(), .narrow_vertices = 0}};
}

TYPED_TEST(shortest_paths_on, agree_with_dijkstra_live_and_snapshot) {
    std::uint64_t seed = 0;
    auto all = long_cases();
    for (auto const& more : cases(is_emulated<TypeParam>))
        if (more.edges.size() < 10'000) all.push_back(more);
    for (auto const& list : all) {
        for (auto const& way : directions()) {
            if (is_emulated<TypeParam> && way.in_arcs) continue; // they are not looked at
            SCOPED_TRACE(list.name + ", " + way.name);
            auto space = make_space<TypeParam>({.seed = ++seed});
            // Few different weights, of which many are 0, and the usual ones.
            weighing const weigher{seed % 2 == 0 ? 3u : 256u, !way.directed};
            auto const expected = weigh<double>(plain(list.vertices, list.edges, way.directed), weigher);
            weighted_live_graph<TypeParam> graph(
                space, {.vertices = list.vertices, .directed = way.directed, .in_arcs = way.in_arcs});
            insert_weighted(graph, list.edges, weigher);
            auto const copy = graph.snapshot();
            algorithms::shortest_paths<TypeParam> tested(space);
            auto const last = static_cast<vertex_id>(list.vertices - 1);
            auto const options = path_options();
            for (std::size_t i = 0; i < options.size(); ++i) {
                if ((seed + i) % ((is_emulated<TypeParam> ? 5 : 2) * (sanitized ? 2 : 1)) != 0) continue;
                SCOPED_TRACE(i);
                expect_paths(space, tested, graph.view(), expected, {0}, options[i]);
                expect_paths(space, tested, copy.view(), expected, {last}, options[i]);
                expect_paths(space, tested, graph.view(), expected, {last / 2, 0, last / 2}, options[i]);
            }
        }
    }
}

template <class Weight, class Space>
void expect_weights_of_type() {
    std::uint64_t seed = 0;
    for (auto const& list : {skewed_edges(300, 2000, 3), long_cases()[1], wheel_with_two_hubs(200)}) {
        SCOPED_TRACE(list.name);
        auto space = make_space<Space>({.seed = ++seed});
        auto expected = weigh<Weight>(plain(list.vertices, list.edges, true), weighing{1000, false});
        if constexpr (std::is_floating_point_v<Weight>)
            for (auto& weight : expected.weights)
                weight /= Weight{7}; // sums are rounded
        weighted_rows<Space, Weight> const rows(space, expected);
        algorithms::shortest_paths<Space> tested(space);
        for (auto const& options : path_options())
            expect_paths(space, tested, rows.view(), expected, {2, 5}, options);
    }
}

TYPED_TEST(shortest_paths_on, take_unsigned_weights) { expect_weights_of_type<std::uint32_t, TypeParam>(); }
TYPED_TEST(shortest_paths_on, take_signed_weights) { expect_weights_of_type<std::int32_t, TypeParam>(); }
TYPED_TEST(shortest_paths_on, take_float_weights) { expect_weights_of_type<float, TypeParam>(); }
TYPED_TEST(shortest_paths_on, take_double_weights) { expect_weights_of_type<double, TypeParam>(); }

/// A path with the same weight everywhere, and a way back.
template <class Weight>
[[nodiscard]] weighted_graph<Weight> path_of(vertex_id vertices, Weight weight) {
    weighted_graph<Weight> made{{vertices, {}}, {}};
    for (vertex_id v = 0; v + 1 < vertices; ++v) {
        made.arcs.arcs.push_back({v, v + 1});
        made.weights.push_back(weight);
    }
    made.arcs.arcs.push_back({vertices - 1, 0});
    made.weights.push_back(weight);
    return made;
}

TYPED_TEST(shortest_paths_on, sum_integers_beyond_32_bits) {
    auto space = make_space<TypeParam>();
    auto const expected = path_of<std::uint32_t>(200, 0xffff'ffffu);
    weighted_rows<TypeParam, std::uint32_t> const rows(space, expected);
    algorithms::shortest_paths<TypeParam> tested(space);
    for (auto const& options : path_options())
        if (options.delta != 1e-3) expect_paths(space, tested, rows.view(), expected, {0}, options);
    exec::buffer<TypeParam, std::uint64_t> distances(space, 200);
    std::vector<vertex_id> const sources{1};
    (void)tested.run(rows.view(), sources, distances.data());
    EXPECT_EQ(distances.to_host()[0], 199ull * 0xffff'ffffull);
}

template <class Weight, class Space>
void expect_overflow_is_noticed() {
    auto space = make_space<Space>();
    Weight const most = std::numeric_limits<Weight>::max();
    algorithms::shortest_paths<Space> tested(space);
    exec::buffer<Space, Weight> distances(space, 5);
    exec::buffer<Space, vertex_id> parents(space, 5);
    std::vector<vertex_id> const sources{0};
    auto expected = path_of<Weight>(5, most / 2);
    {
        weighted_rows<Space, Weight> const rows(space, expected);
        for (auto const& options : path_options()) {
            EXPECT_THROW((void)tested.run(rows.view(), sources, distances.data(), nullptr, options),
                         std::overflow_error);
            EXPECT_THROW((void)tested.run(rows.view(), sources, distances.data(), parents.data(), options),
                         std::overflow_error);
        }
    }
    // Another way leads there, so that no distance overflows.
    expected.arcs.arcs.insert(expected.arcs.arcs.begin() + 1, {{0, 3}, {0, 4}});
    expected.weights.insert(expected.weights.begin() + 1, {Weight{1}, Weight{2}});
    weighted_rows<Space, Weight> const rows(space, expected);
    for (auto const& options : path_options())
        expect_paths(space, tested, rows.view(), expected, {0}, options);
    // An arc of infinite weight is no arc.
    expected = path_of<Weight>(5, Weight{1});
    expected.weights[2] = std::numeric_limits<Weight>::infinity();
    weighted_rows<Space, Weight> const cut(space, expected);
    expect_paths(space, tested, cut.view(), expected, {0});
}
TYPED_TEST(shortest_paths_on, notice_overflow_of_double) { expect_overflow_is_noticed<double, TypeParam>(); }
TYPED_TEST(shortest_paths_on, notice_overflow_of_float) { expect_overflow_is_noticed<float, TypeParam>(); }

template <class Weight, class Space>
void expect_refused(Weight bad) {
    auto space = make_space<Space>();
    algorithms::shortest_paths<Space> tested(space);
    exec::buffer<Space, algorithms::distance_of<Weight>> distances(space, 60);
    auto expected = path_of<Weight>(60, Weight{3});
    expected.weights[40] = bad;
    expected.arcs.arcs.erase(expected.arcs.arcs.end() - 1); // no way back
    expected.weights.pop_back();
    weighted_rows<Space, Weight> const rows(space, expected);
    std::vector<vertex_id> const before{0};
    for (auto const& options : path_options()) {
        try {
            (void)tested.run(rows.view(), before, distances.data(), nullptr, options);
            FAIL() << "a weight was not refused";
        } catch (std::invalid_argument const& error) {
            EXPECT_STREQ(error.what(), "shortest paths: the weight of the arc from vertex 40 to vertex 41 is "
                                       "negative or not a number");
        }
    }
    std::vector<vertex_id> const behind{41}; // the arc is out of reach
    EXPECT_EQ(tested.run(rows.view(), behind, distances.data()).reached, 19u);
}
TYPED_TEST(shortest_paths_on, refuse_negative_weights_and_nan) {
    expect_refused<std::int32_t, TypeParam>(-1);
    expect_refused<float, TypeParam>(-1e-30f);
    expect_refused<double, TypeParam>(-std::numeric_limits<double>::infinity());
    expect_refused<double, TypeParam>(std::nan(""));
}

TYPED_TEST(shortest_paths_on, find_forests_where_weights_are_0) {
    for (std::uint32_t const range : {1u, 2u}) {
        for (auto const& list : {long_cases()[1], skewed_edges(100, 400, 2)}) {
            SCOPED_TRACE(list.name + ", weights below " + std::to_string(range));
            auto space = make_space<TypeParam>({.seed = range});
            auto const expected =
                weigh<std::uint32_t>(plain(list.vertices, list.edges, false), weighing{range, true});
            weighted_rows<TypeParam, std::uint32_t> const rows(space, expected);
            algorithms::shortest_paths<TypeParam> tested(space);
            for (auto const& options :
                 {shortest_paths_options{}, shortest_paths_options{.narrow_vertices = 0}}) {
                expect_paths(space, tested, rows.view(), expected, {0}, options);
                expect_paths(space, tested, rows.view(), expected, {7, 20}, options);
            }
        }
    }
}

TYPED_TEST(shortest_paths_on, share_rows_of_hubs) {
    named_edges hubs{"hubs", 20'000, {}};
    for (vertex_id v = 3; v < 20'000; ++v) {
        hubs.edges.push_back({v % 3, v});
        hubs.edges.push_back({v, (v + 1) % 3});
        if (v % 50 == 0)
            for (vertex_id i = 1; i < 200; ++i)
                hubs.edges.push_back({v, (v + 7 * i) % 20'000});
    }
    auto space = make_space<TypeParam>();
    auto const expected = weigh<float>(plain(hubs.vertices, hubs.edges, true), weighing{200, false});
    weighted_rows<TypeParam, float> const rows(space, expected);
    algorithms::shortest_paths<TypeParam> tested(space);
    expect_paths(space, tested, rows.view(), expected, {50});
}

TYPED_TEST(shortest_paths_on, follow_batches_and_erased_vertices) {
    auto space = make_space<TypeParam>();
    changing_edges edges{skewed_edges(80, 260, 3), {}};
    weighing const weigher{20, true};
    weighted_live_graph<TypeParam> graph(space, {.vertices = 80});
    insert_weighted(graph, edges.list.edges, weigher);
    algorithms::shortest_paths<TypeParam> tested(space);
    exec::buffer<TypeParam, double> distances(space, 80);
    for (std::uint64_t seed = 10; seed <= 12; ++seed) {
        auto const more = skewed_edges(80, 60, seed);
        std::vector<vertex_id> const gone{static_cast<vertex_id>(seed), static_cast<vertex_id>(2 * seed)};
        insert_weighted(graph, more.edges, weigher);
        graph.erase_vertices(gone);
        edges.follow(more.edges, gone);
        auto const expected = weigh<double>(plain(80, edges.list.edges, false), weigher);
        expect_paths(space, tested, graph.view(), expected, {0, 1});
        EXPECT_THROW((void)tested.run(graph.view(), gone, distances.data()), std::invalid_argument);
    }
}

TYPED_TEST(shortest_paths_on, refuse_what_makes_no_sense) {
    auto space = make_space<TypeParam>();
    auto const expected = path_of<float>(5, 1.0f);
    weighted_rows<TypeParam, float> const rows(space, expected);
    algorithms::shortest_paths<TypeParam> tested(space);
    exec::buffer<TypeParam, float> distances(space, 5);
    std::vector<vertex_id> const beyond{1, 5};
    std::vector<vertex_id> const one{1};
    EXPECT_THROW((void)tested.run(rows.view(), beyond, distances.data()), std::invalid_argument);
    for (double const delta : {-1.0, std::nan("")})
        EXPECT_THROW((void)tested.run(rows.view(), one, distances.data(), nullptr, {.delta = delta}),
                     std::invalid_argument);
    EXPECT_EQ(tested.run(rows.view(), {}, distances.data()).reached, 0u);
    EXPECT_EQ(distances.to_host(), std::vector<float>(5, unreached_distance<float>));
    weighted_rows<TypeParam, float> const empty(space, {});
    EXPECT_EQ(tested.run(empty.view(), {}, nullptr).reached, 0u);
    EXPECT_THROW((void)tested.run(empty.view(), one, nullptr), std::invalid_argument);
}

TYPED_TEST(shortest_paths_on, many_schedules_agree) {
    auto const list = skewed_edges(150, 500, 8);
    auto const expected = weigh<std::uint32_t>(plain(list.vertices, list.edges, false), weighing{9, true});
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        auto space = make_space<TypeParam>({.seed = seed});
        weighted_rows<TypeParam, std::uint32_t> const rows(space, expected);
        algorithms::shortest_paths<TypeParam> tested(space);
        expect_paths(space, tested, rows.view(), expected, {2}, path_options()[seed % path_options().size()]);
    }
}

TYPED_TEST(shortest_paths_on, take_scratch_from_a_resource_that_may_refuse) {
    auto space = make_space<TypeParam>();
    auto const list = wheel_with_two_hubs(300);
    auto const expected = weigh<double>(plain(list.vertices, list.edges, false), weighing{50, true});
    weighted_rows<TypeParam, double> const rows(space, expected);
    expect_result_or_refusal<algorithms::shortest_paths<TypeParam>>(
        space, 3, [&](auto& tested) { expect_paths(space, tested, rows.view(), expected, {0}); });
}

} // namespace
} // namespace rhizome::tests
