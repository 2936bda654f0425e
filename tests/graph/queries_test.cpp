// Questions about many edges and vertices: batches from the host, arrays in the space, users' own kernels.
#include "comparison.hpp"
#include "hub_graph.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/queries.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

/// Layouts give neighbours in orders of their own.
template <class Lists>
void sort_lists(Lists& lists) {
    using value_type = typename decltype(lists.values)::value_type;
    bool const with_values = !lists.values.empty();
    for (std::size_t i = 0; i + 1 < lists.offsets.size(); ++i) {
        std::vector<std::pair<graph::vertex_id, value_type>> list;
        for (std::uint64_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k)
            list.emplace_back(lists.targets[k], with_values ? lists.values[k] : value_type{});
        std::sort(list.begin(), list.end());
        for (std::uint64_t k = lists.offsets[i]; k < lists.offsets[i + 1]; ++k) {
            lists.targets[k] = list[k - lists.offsets[i]].first;
            if (with_values) lists.values[k] = list[k - lists.offsets[i]].second;
        }
    }
}

/// Every kind of graph, without heap to spare.
std::vector<graph::graph_options> kinds(std::uint64_t vertices) {
    return {{.vertices = vertices},
            {.vertices = vertices, .directed = true},
            {.vertices = vertices, .directed = true, .in_arcs = true}};
}

/// 2,500 neighbours: three pieces of a list that is copied in pieces.
constexpr std::uint32_t hub_vertices = 2'520;

template <class Case>
class graph_queries : public space_test {};
using query_plans = std::conditional_t<
    sanitized, type_list<plan<graph::contiguous, ouroboros_default>, plan<small_buckets, ouroboros_default>>,
    type_list<plan<graph::contiguous, ouroboros_default>, plan<small_pages, malloc_baseline>,
              plan<small_buckets, ouroboros_default>>>;
using query_cases = cross_types<planned_on, query_plans, space_list>;
TYPED_TEST_SUITE(graph_queries, query_cases, named_types);

TYPED_TEST(graph_queries, are_answered_as_a_set_of_arcs_would) {
    hub_graph const made(hub_vertices);
    edge_list const edges = edges_to_ask(made);
    id_list const ids = ids_to_ask(made);
    for (graph::graph_options const& options : kinds(made.vertices)) {
        SCOPED_TRACE(options.directed ? options.in_arcs ? "in_arcs" : "directed" : "undirected");
        graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), options);
        tested.insert_edges(made.edges);
        auto const arcs = made.arcs<std::uint32_t>(options.directed);
        EXPECT_TRUE(tested.has_edges(edges) == expected_presence(arcs, edges));
        auto const expected = expected_lists(arcs, ids);
        auto lists = tested.neighbours_of(ids);
        EXPECT_EQ(lists.offsets, expected.offsets);
        sort_lists(lists);
        EXPECT_TRUE(lists.targets == expected.targets);
        EXPECT_TRUE(lists.values.empty());
        EXPECT_EQ(lists.of(3).size(), lists.of(4).size());
        EXPECT_TRUE(tested.degrees(ids) == expected_degrees(expected.offsets, ids, made.vertices));
        // An answer is of its moment, and of what lives.
        if (!options.directed) {
            tested.erase_vertices(id_list{7});
            EXPECT_EQ(tested.degrees(id_list{7, 7}), (std::vector<std::uint32_t>(2, graph::no_degree)));
            EXPECT_EQ(tested.has_edges(edge_list{{3, 7}, {7, 3}}), (std::vector<std::uint8_t>{0, 0}));
            EXPECT_TRUE(tested.neighbours_of(id_list{7}).targets.empty());
        }
        tested.erase_edges(edge_list{{3, 5}});
        EXPECT_EQ(tested.has_edges(edge_list{{3, 5}, {3, 6}}), (std::vector<std::uint8_t>{0, 1}));
        expect_valid(tested);
    }
}

TYPED_TEST(graph_queries, may_be_empty_and_of_empty_graphs) {
    graph_over<TypeParam> tested(make_space<typename TypeParam::space>(), {.vertices = 0});
    for (int vertices : {0, 40}) {
        if (vertices != 0) tested.add_vertices(40);
        EXPECT_TRUE(tested.has_edges({}).empty());
        EXPECT_TRUE(tested.degrees({}).empty());
        EXPECT_EQ(tested.neighbours_of({}).offsets, std::vector<std::uint64_t>{0});
        EXPECT_EQ(tested.has_edges(edge_list{{0, 1}}), std::vector<std::uint8_t>{0});
        EXPECT_EQ(tested.degrees(id_list{1}),
                  std::vector<std::uint32_t>{vertices == 0 ? graph::no_degree : 0u});
        auto const lists = tested.neighbours_of(id_list{1, 2});
        EXPECT_EQ(lists.offsets, (std::vector<std::uint64_t>{0, 0, 0}));
        EXPECT_TRUE(lists.targets.empty());
    }
}

TYPED_TEST(graph_queries, leave_the_graph_alone_when_memory_runs_out) {
    using space_type = typename TypeParam::space;
    space_type space = make_space<space_type>({.memory_limit_bytes = 64u << 20});
    graph_over<TypeParam> tested(space, {.vertices = 3'000});
    hub_graph const made(hub_vertices);
    tested.insert_edges(made.edges);
    id_list const hubs(10'000, 3); // an answer of 100 MB
    EXPECT_THROW((void)tested.neighbours_of(hubs), exec::out_of_memory);
    EXPECT_THROW((void)tested.has_edges(edge_list(10u << 20)), exec::out_of_memory);
    EXPECT_THROW((void)tested.degrees(id_list(20u << 20)), exec::out_of_memory);
    expect_valid(tested);
    EXPECT_EQ(tested.degrees(id_list{3})[0], tested.neighbours_of(id_list{3}).targets.size());
    EXPECT_EQ(tested.has_edges(edge_list{{3, 5}}), std::vector<std::uint8_t>{1});
    EXPECT_GT(tested.memory().scratch_bytes, 0u);
}

template <class Layout, class Value>
struct valued {
    using layout = Layout;
    using value = Value;
};
template <class Case, class Space>
struct value_case {
    using space = Space;
    using value = typename Case::value;
    using layout = typename Case::layout;
    static std::string name() {
        return layout::name + std::string(sizeof(value) == 8 ? "_int64_on_" : "_float_on_") +
               std::string(Space::name);
    }
};
template <class Case>
class graph_value_queries : public space_test {};
using value_query_cases = cross_types<
    value_case,
    std::conditional_t<sanitized, type_list<valued<small_pages, std::int64_t>>,
                       type_list<valued<graph::contiguous, float>, valued<small_pages, std::int64_t>,
                                 valued<small_buckets, float>>>,
    space_list>;
TYPED_TEST_SUITE(graph_value_queries, value_query_cases, named_types);

/// What a lane of a user's kernel finds, wherever the layout keeps it.
template <class View, class Value>
struct find_values_by_lane {
    View view;
    graph::edge const* edges;
    std::uint64_t count;
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            graph::edge const edge = edges[i];
            graph::edge_place const found = graph::find_edge(view, edge.source, edge.target);
            if (found.present) values[i] = graph::value_of_edge(view, edge.source, edge.target, found);
        });
    }
};

TYPED_TEST(graph_value_queries, are_answered_by_a_lane) {
    using space_type = typename TypeParam::space;
    using number = typename TypeParam::value;
    using graph_type = graph::dynamic_graph<space_type, typename TypeParam::layout,
                                            graph::default_allocator<space_type>, number>;
    hub_graph const made(hub_vertices);
    graph_type tested(make_space<space_type>(), {.vertices = made.vertices, .directed = true});
    auto const values = made.values<number>();
    tested.insert_edges(made.edges, values);
    std::uint64_t const count = is_emulated<space_type> ? 500 : made.edges.size();
    exec::buffer<space_type, graph::edge> const edges(tested.space(),
                                                      std::span<graph::edge const>(made.edges));
    exec::buffer<space_type, number> found(tested.space(), count);
    launch(tested.space(), cover_threads(tested.space(), count),
           find_values_by_lane<typename graph_type::view_type, number>{tested.view(), edges.data(), count,
                                                                       found.data()});
    EXPECT_TRUE(found.to_host() ==
                std::vector<number>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count)));
}

TYPED_TEST(graph_value_queries, find_the_values_of_edges) {
    using space_type = typename TypeParam::space;
    using number = typename TypeParam::value;
    hub_graph const made(hub_vertices);
    edge_list const edges = edges_to_ask(made);
    id_list const ids = ids_to_ask(made);
    for (graph::graph_options const& options : kinds(made.vertices)) {
        SCOPED_TRACE(options.directed ? options.in_arcs ? "in_arcs" : "directed" : "undirected");
        graph::dynamic_graph<space_type, typename TypeParam::layout, graph::default_allocator<space_type>,
                             number>
            tested(make_space<space_type>(), options);
        tested.insert_edges(made.edges, made.values<number>());
        auto const arcs = made.arcs<number>(options.directed);
        auto const found = tested.edge_values(edges);
        EXPECT_TRUE(found.present == expected_presence(arcs, edges));
        EXPECT_TRUE(tested.has_edges(edges) == found.present);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            auto const arc = arcs.find(edges[i]);
            ASSERT_EQ(found.values[i], arc == arcs.end() ? number{} : arc->second) << i;
        }
        auto const expected = expected_lists(arcs, ids);
        auto lists = tested.neighbours_of(ids);
        EXPECT_EQ(lists.offsets, expected.offsets);
        sort_lists(lists);
        EXPECT_TRUE(lists.targets == expected.targets);
        EXPECT_TRUE(lists.values == expected.values);
        EXPECT_EQ(lists.values_of(1).size(), lists.of(1).size());
        EXPECT_TRUE(tested.edge_values({}).present.empty());
    }
}

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
using view_spaces = detail::as_types<space_list>::type;
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
    graph::dynamic_graph<TypeParam, graph::contiguous, graph::default_allocator<TypeParam>, float> graph(
        space, {.vertices = 10, .directed = true});
    graph.insert_edges(edge_list{{1, 2}, {1, 3}, {4, 1}}, std::vector<float>{1.5f, 2.5f, 3.5f});
    edge_list const edges{{1, 3}, {3, 1}, {4, 1}, {1, 10}};
    id_list const ids{4, 10, 1};
    exec::buffer<TypeParam, graph::edge> const asked(space, std::span<graph::edge const>(edges));
    exec::buffer<TypeParam, graph::vertex_id> const vertices(space, std::span<graph::vertex_id const>(ids));
    exec::buffer<TypeParam, std::uint8_t> present(space, 4);
    exec::buffer<TypeParam, float> values(space, 4);
    exec::buffer<TypeParam, std::uint32_t> degrees(space, 3);
    exec::buffer<TypeParam, std::uint64_t> offsets(space, 4);
    exec::buffer<TypeParam, graph::vertex_id> targets(space, 3);
    graph.edge_values_in_space(asked.data(), 4, values.data(), present.data());
    EXPECT_EQ(values.to_host(), (std::vector<float>{2.5f, 0, 3.5f, 0}));
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
    EXPECT_EQ(values.to_host()[0], 3.5f);
    EXPECT_EQ(values.to_host()[2], 2.5f);
}

} // namespace
} // namespace rhizome::tests
