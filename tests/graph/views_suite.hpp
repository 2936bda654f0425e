// SPDX-License-Identifier: Apache-2.0
// Questions to any view: one that no graph of ours gives, and those of users' own kernels.
#pragma once

#include "hub_graph.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/queries.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::tests {
namespace {

/// Neighbours that do not lie side by side, and do not ascend either where `Sorted` is false: as a row of
/// compressed sparse rows, from its end.
template <bool Sorted>
struct scattered_view {
    struct range {
        using id_type = graph::vertex_id;
        static constexpr bool contiguous = false;
        graph::vertex_id const* ids;
        std::uint64_t count;

        struct iterator {
            graph::vertex_id const* first;
            std::uint64_t count;
            std::uint64_t place;

            [[nodiscard]] RZ_HD graph::vertex_id operator*() const {
                return first[Sorted ? place : count - 1 - place];
            }
            RZ_HD iterator& operator++() {
                ++place;
                return *this;
            }
            [[nodiscard]] RZ_HD bool operator!=(iterator const& other) const { return place != other.place; }
        };
        [[nodiscard]] RZ_HD std::uint64_t size() const { return count; }
        [[nodiscard]] RZ_HD iterator begin() const { return {ids, count, 0}; }
        [[nodiscard]] RZ_HD iterator end() const { return {ids, count, count}; }
        template <class Group, class Function>
        RZ_HD void for_each(Group const& group, std::uint64_t first, std::uint64_t last,
                            Function&& function) const {
            for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
                function(i, ids[Sorted ? i : count - 1 - i]);
        }
    };

    static constexpr bool sorted = Sorted;
    using id_type = graph::vertex_id;
    graph::csr_view rows;
    bool in_arcs; ///< of a graph that is the same both ways

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return rows.vertex_count(); }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return rows.live_vertex_count(); }
    [[nodiscard]] RZ_HD bool is_live(graph::vertex_id v) const { return rows.is_live(v); }
    [[nodiscard]] RZ_HD bool symmetric() const { return in_arcs; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return in_arcs; }
    [[nodiscard]] RZ_HD std::uint64_t degree(graph::vertex_id v) const { return rows.degree(v); }
    [[nodiscard]] RZ_HD range neighbours(graph::vertex_id v) const {
        return {rows.neighbours(v).begin(), rows.degree(v)};
    }
    [[nodiscard]] RZ_HD range in_neighbours(graph::vertex_id v) const { return neighbours(v); }
};
static_assert(graph::graph_view<scattered_view<true>> && graph::graph_view<scattered_view<false>>);

template <class Space>
class view_queries : public space_test {
protected:
    template <class View>
    static void expect_answers(Space& space, View const& view, arc_map<std::uint32_t> const& arcs,
                               edge_list const& edges, id_list const& ids, bool ascending) {
        exec::buffer<Space, graph::edge> const asked_edges(space, std::span<graph::edge const>(edges));
        exec::buffer<Space, std::uint8_t> present(space, edges.size());
        present.fill_bytes(9);
        graph::has_edges(space, view, asked_edges.data(), edges.size(), present.data());
        EXPECT_TRUE(present.to_host() == expected_presence(arcs, edges));

        exec::buffer<Space, graph::vertex_id> const asked(space, std::span<graph::vertex_id const>(ids));
        exec::workspace<Space> scratch(space);
        exec::buffer<Space, std::uint64_t> offsets(space, ids.size() + 1);
        std::uint64_t const total =
            graph::neighbour_offsets(space, scratch, view, asked.data(), ids.size(), offsets.data());
        auto expected = expected_lists(arcs, ids);
        ASSERT_EQ(total, expected.targets.size());
        ASSERT_EQ(offsets.to_host(), expected.offsets);
        exec::buffer<Space, graph::vertex_id> targets(space, total);
        targets.fill_bytes(0xff);
        graph::neighbours_of(space, view, asked.data(), ids.size(), offsets.data(), total, targets.data());
        if (!ascending)
            for (std::size_t i = 0; i < ids.size(); ++i)
                std::reverse(expected.targets.begin() + static_cast<std::ptrdiff_t>(expected.offsets[i]),
                             expected.targets.begin() + static_cast<std::ptrdiff_t>(expected.offsets[i + 1]));
        EXPECT_TRUE(targets.to_host() == expected.targets);
    }
};
using view_spaces = all_spaces;
TYPED_TEST_SUITE(view_queries, view_spaces, space_names);

TYPED_TEST(view_queries, take_any_view) {
    TypeParam space = make_space<TypeParam>();
    hub_graph const made(hub_vertices);
    edge_list const edges = edges_to_ask(made);
    id_list const ids = ids_to_ask(made);
    for (bool const directed : {false, true}) {
        graph::dynamic_graph<TypeParam> graph(space, {.vertices = made.vertices, .directed = directed});
        graph.insert_edges(made.edges);
        auto const copy = graph.snapshot();
        auto const arcs = made.arcs<std::uint32_t>(directed);
        this->expect_answers(space, copy.view(), arcs, edges, ids, true);
        // A walk over a hub for each edge: on the emulator a few are enough.
        edge_list const few(edges.begin(), edges.begin() + (is_emulated<TypeParam> ? 300 : 2'000));
        this->expect_answers(space, scattered_view<true>{copy.view(), !directed}, arcs, few, ids, true);
        this->expect_answers(space, scattered_view<false>{copy.view(), !directed}, arcs, few, ids, false);
    }
}

/// What a user would write: for each edge asked for, the neighbours that its ends have in common, by one lane
/// and by a tile.
template <class View>
struct count_common {
    View view;
    graph::edge const* edges;
    std::uint64_t count;
    std::uint32_t* by_lane;
    std::uint32_t* by_tile;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            std::uint32_t common = 0;
            for (graph::vertex_id const id : view.neighbours(edges[i].source))
                if (graph::has_edge(view, edges[i].target, id)) ++common;
            by_lane[i] = common;
        });
        auto const tile = thread.tile(exec::width<4>);
        exec::for_each_group_item(tile, count, [&](std::uint64_t i) {
            std::uint32_t common = 0;
            for (graph::vertex_id const id : view.neighbours(edges[i].source))
                if (graph::has_edge(tile, view, edges[i].target, id)) ++common;
            if (tile.rank() == 0) by_tile[i] = common;
        });
    }
};

TYPED_TEST(view_queries, serve_kernels_of_users) {
    TypeParam space = make_space<TypeParam>();
    hub_graph const made(hub_vertices);
    auto const arcs = made.arcs<std::uint32_t>(false);
    graph::dynamic_graph<TypeParam> graph(space, {.vertices = made.vertices});
    graph.insert_edges(made.edges);
    edge_list asked;
    for (std::size_t i = 0; i < made.edges.size(); i += 37)
        if (made.edges[i].source != 3 && made.edges[i].target != 3) asked.push_back(made.edges[i]);
    asked.resize(is_emulated<TypeParam> ? 60 : 200);
    std::vector<std::uint32_t> expected;
    for (graph::edge const& edge : asked) {
        std::uint32_t common = 0;
        for (auto arc = arcs.lower_bound({edge.source, 0}); arc->first.source == edge.source; ++arc)
            common += arcs.count({edge.target, arc->first.target}) != 0 ? 1 : 0;
        expected.push_back(common);
    }
    exec::buffer<TypeParam, graph::edge> const edges(space, std::span<graph::edge const>(asked));
    exec::buffer<TypeParam, std::uint32_t> by_lane(space, asked.size());
    exec::buffer<TypeParam, std::uint32_t> by_tile(space, asked.size());
    auto const expect_counts = [&](auto const& view) {
        by_lane.fill_bytes(0xff);
        by_tile.fill_bytes(0xff);
        using view_type = std::remove_cvref_t<decltype(view)>;
        launch(space, cover_threads(space, asked.size()),
               count_common<view_type>{view, edges.data(), asked.size(), by_lane.data(), by_tile.data()});
        EXPECT_EQ(by_lane.to_host(), expected);
        EXPECT_EQ(by_tile.to_host(), expected);
    };
    expect_counts(graph.view());
    auto const copy = graph.snapshot();
    expect_counts(scattered_view<true>{copy.view(), true});
    expect_counts(scattered_view<false>{copy.view(), false});
}

TYPED_TEST(view_queries, fill_arrays_in_the_space) {
    TypeParam space = make_space<TypeParam>();
    graph::dynamic_graph<TypeParam, graph::contiguous, graph::default_allocator<TypeParam>, double> graph(
        space, {.vertices = 10, .directed = true});
    graph.insert_edges(edge_list{{1, 2}, {1, 3}, {4, 1}}, std::vector<double>{1.5, 2.5, 3.5});
    edge_list const edges{{1, 3}, {3, 1}, {4, 1}, {1, 10}};
    id_list const ids{4, 10, 1};
    exec::buffer<TypeParam, graph::edge> const asked(space, std::span<graph::edge const>(edges));
    exec::buffer<TypeParam, graph::vertex_id> const vertices(space, std::span<graph::vertex_id const>(ids));
    exec::buffer<TypeParam, std::uint8_t> present(space, 4);
    exec::buffer<TypeParam, double> values(space, 4);
    exec::buffer<TypeParam, std::uint32_t> degrees(space, 3);
    exec::buffer<TypeParam, std::uint64_t> offsets(space, 4);
    exec::buffer<TypeParam, graph::vertex_id> targets(space, 3);
    graph.edge_values_in_space(asked.data(), 4, values.data(), present.data());
    EXPECT_EQ(values.to_host(), (std::vector<double>{2.5, 0, 3.5, 0}));
    EXPECT_EQ(present.to_host(), (std::vector<std::uint8_t>{1, 0, 1, 0}));
    present.fill_bytes(7);
    graph.has_edges_in_space(asked.data(), 4, present.data());
    EXPECT_EQ(present.to_host(), (std::vector<std::uint8_t>{1, 0, 1, 0}));
    graph.degrees_in_space(vertices.data(), 3, degrees.data());
    EXPECT_EQ(degrees.to_host(), (std::vector<std::uint32_t>{1, graph::no_degree, 2}));
    ASSERT_EQ(graph.neighbour_offsets_in_space(vertices.data(), 3, offsets.data()), 3u);
    EXPECT_EQ(offsets.to_host(), (std::vector<std::uint64_t>{0, 1, 1, 3}));
    graph.neighbours_in_space(vertices.data(), 3, offsets.data(), 3, targets.data());
    EXPECT_EQ(targets.to_host(), (id_list{1, 2, 3}));
    targets.fill_bytes(0);
    graph.neighbours_in_space(vertices.data(), 3, offsets.data(), 3, targets.data(), values.data());
    EXPECT_EQ(targets.to_host(), (id_list{1, 2, 3}));
    EXPECT_EQ(values.to_host()[0], 3.5);
    EXPECT_EQ(values.to_host()[2], 2.5);
}

} // namespace
} // namespace rhizome::tests
