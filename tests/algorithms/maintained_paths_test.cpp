// SPDX-License-Identifier: Apache-2.0
// Levels and shortest paths that follow a graph, against those found anew, after every step of random
// streams.
#include "cases.hpp"
#include "maintained_streams.hpp"
#include "path_oracles.hpp"
#include "search_cases.hpp"
#include "search_oracles.hpp"

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/maintained/bfs.hpp>
#include <rhizome/algorithms/maintained/sssp.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::maintained_bfs;
using algorithms::maintained_shortest_paths;
using algorithms::maintenance;
using algorithms::shortest_paths_options;
using graph::vertex_id;

template <class Space, class Weight>
using graph_weighing =
    graph::dynamic_graph<Space, graph::contiguous, graph::default_allocator<Space>, Weight>;

/// Sources that the streams do not erase.
[[nodiscard]] std::vector<vertex_id> kept_sources() { return {2, 0, 2}; }
[[nodiscard]] std::vector<stream_shape> path_shapes() {
    std::vector<stream_shape> shapes = stream_shapes();
    shapes.push_back({"forest", 500, 450, 25, false}); // most edges are in the forest of parents
    shapes.push_back({"forest without weights", 300, 350, 25, false, 0, 2});
    for (auto& shape : shapes)
        shape.kept = 3;
    return shapes;
}

template <class Space>
class maintained_paths_on : public space_test {
protected:
    template <class View>
    [[nodiscard]] plain_graph arcs_of(View const& view) {
        plain_graph arcs{view.vertex_count(), {}};
        auto const offsets = on_host(view.offsets(), view.vertex_count() + 1);
        auto const targets = on_host(view.targets(), view.arc_count());
        for (vertex_id v = 0; v < view.vertex_count(); ++v)
            for (std::uint64_t i = offsets[v]; i < offsets[v + std::size_t{1}]; ++i)
                arcs.arcs.push_back({v, targets[i]});
        return arcs;
    }
    template <class T>
    [[nodiscard]] std::vector<T> on_host(T const* values, std::uint64_t count) {
        std::vector<T> copy(count);
        if (count != 0) space_.copy_out(copy.data(), values, count * sizeof(T));
        return copy;
    }
    template <class Weight, class Graph>
    void expect_exact(maintained_shortest_paths<Space, Weight> const& tested, Graph& changed) {
        auto const view = changed.view();
        exec::buffer<Space, algorithms::distance_of<Weight>> expected(space_, view.vertex_count());
        static_cast<void>(paths_anew_.run(view, tested.sources(), expected.data()));
        ASSERT_EQ(tested.distances().size(), view.vertex_count());
        auto const found = on_host(tested.distances().data(), view.vertex_count());
        ASSERT_EQ(found, expected.to_host());
        std::vector<vertex_id> const sources(tested.sources().begin(), tested.sources().end());
        auto const copy = changed.snapshot();
        weighted_graph<Weight> const weighted{arcs_of(copy.view()),
                                              on_host(copy.view().values(), copy.view().arc_count())};
        EXPECT_EQ(
            broken_path_rule(weighted, sources, found, on_host(tested.parents().data(), view.vertex_count())),
            "");
    }
    template <class Graph>
    void expect_exact(maintained_bfs<Space> const& tested, Graph& changed) {
        auto const view = changed.view();
        exec::buffer<Space, std::uint32_t> expected(space_, view.vertex_count());
        static_cast<void>(levels_anew_.run(view, tested.sources(), expected.data()));
        ASSERT_EQ(tested.levels().size(), view.vertex_count());
        auto const found = on_host(tested.levels().data(), view.vertex_count());
        ASSERT_EQ(found, expected.to_host());
        std::vector<vertex_id> const sources(tested.sources().begin(), tested.sources().end());
        EXPECT_EQ(broken_search_rule(arcs_of(changed.snapshot().view()), sources, found,
                                     on_host(tested.parents().data(), view.vertex_count())),
                  "");
    }
    template <class Graph, class Result>
    void follow(Result& tested, maintenance way, stream_shape const& shape,
                graph::graph_options const& options, std::uint64_t seed, std::uint64_t steps) {
        follow_stream<Graph>(space_, tested, way, shape, options, seed, steps,
                             [&](Graph& changed) { expect_exact(tested, changed); });
    }
    template <class Weight>
    void run(stream_shape const& shape, graph::graph_options const& options, std::uint64_t seed,
             std::uint64_t steps, shortest_paths_options const& searching = {},
             maintenance way = maintenance::repair) {
        maintained_shortest_paths<Space, Weight> tested(space_, kept_sources(), way, nullptr, searching);
        follow<graph_weighing<Space, Weight>>(tested, way, shape, options, seed, steps);
    }
    void run_bfs(stream_shape const& shape, graph::graph_options const& options, std::uint64_t seed,
                 std::uint64_t steps, algorithms::bfs_options const& searching = {},
                 maintenance way = maintenance::repair) {
        maintained_bfs<Space> tested(space_, kept_sources(), way, nullptr, searching);
        follow<tested_graph<Space>>(tested, way, shape, options, seed, steps);
    }
    /// Inserts the edges, cuts single ones, mends them, gives all edges other weights, and erases all.
    template <class Result, class Graph>
    void cut_and_mend(Result& tested, Graph& changed, named_edges const& list, std::uint64_t weights) {
        graph_changer<Graph> changer(changed, {"", list.vertices, 0, 1, false, 0, weights}, 1);
        tested.start(changed.view());
        auto const update = [&](std::vector<graph::edge> const& batch, bool erasing) {
            EXPECT_FALSE(update_after(tested, changed, changer.apply(batch, erasing)).recomputed);
            expect_exact(tested, changed);
        };
        update(list.edges, false);
        for (std::size_t const cut : {list.edges.size() / 2, std::size_t{0}, list.edges.size() - 1}) {
            update({list.edges[cut]}, true);
            if (cut != 0) update({list.edges[cut]}, false);
        }
        for (int k = 0; k < 3; ++k)
            update(list.edges, false);
        update(list.edges, true);
    }

    Space space_ = make_space<Space>();
    algorithms::shortest_paths<Space> paths_anew_{space_};
    algorithms::breadth_first_search<Space> levels_anew_{space_};
};
TYPED_TEST_SUITE(maintained_paths_on, maintained_spaces, space_names);

TYPED_TEST(maintained_paths_on, shortest_paths_agree_with_those_found_anew_after_every_step) {
    std::uint64_t const steps = work<TypeParam>(200, 20);
    std::uint64_t seed = 0;
    for (auto const& shape : path_shapes()) {
        this->template run<double>(shape, {}, ++seed, steps);
        this->template run<double>(shape, {.directed = true}, ++seed, steps / 2);
        this->template run<double>(shape, {.directed = true, .in_arcs = true}, ++seed, steps / 2);
    }
    auto const shape = path_shapes()[0];
    this->template run<double>(shape, {}, 100, steps, {}, maintenance::cheaper);
    this->template run<double>(shape, {}, 101, 10, {}, maintenance::recompute);
}

TYPED_TEST(maintained_paths_on, shortest_paths_agree_with_limits_that_share_every_step) {
    std::uint64_t const steps = work<TypeParam>(100, 8);
    auto const shapes = path_shapes();
    shortest_paths_options const all[] = {{.narrow_vertices = 0},
                                          {.delta = 1e-3},
                                          {.narrow_vertices = 0, .marking_arcs = 1},
                                          {.delta = 1, .narrow_vertices = 3, .narrow_arcs = 20},
                                          {.delta = std::numeric_limits<double>::infinity()}};
    std::uint64_t seed = 20;
    for (auto const& options : all) {
        this->template run<double>(shapes[2], {}, ++seed, steps, options);
        this->template run<double>(shapes[3], {.directed = true, .in_arcs = true}, ++seed, steps, options);
        this->template run<double>(shapes[0], {.directed = true}, ++seed, steps, options);
    }
}

/// On more graph types, which take long to compile: not on the emulator.
template <class Space>
class maintained_paths_on_many_graphs : public maintained_paths_on<Space> {};
TYPED_TEST_SUITE(maintained_paths_on_many_graphs, detail::as_types<fast_space_list>::type, space_names);

TYPED_TEST(maintained_paths_on_many_graphs, take_other_weights) {
    for (auto const& shape : path_shapes()) {
        this->template run<float>(shape, {.directed = true, .in_arcs = true}, 31, scaled(100));
        this->template run<std::int32_t>(shape, {}, 32, scaled(100));
    }
}

TYPED_TEST(maintained_paths_on_many_graphs, follow_rows_that_do_not_ascend) {
    using graph_type = graph::dynamic_graph<TypeParam, graph::linked_pages<128>,
                                            graph::default_allocator<TypeParam>, double>;
    auto const shape = path_shapes()[2];
    for (bool const directed : {false, true}) {
        maintained_shortest_paths<TypeParam, double> tested(this->space_, kept_sources(),
                                                            maintenance::repair);
        this->template follow<graph_type>(tested, maintenance::repair, shape,
                                          {.directed = directed, .in_arcs = directed}, 41, scaled(60));
    }
}

TYPED_TEST(maintained_paths_on, levels_agree_with_those_found_anew_after_every_step) {
    std::uint64_t const steps = work<TypeParam>(200, 20);
    std::uint64_t seed = 50;
    for (auto const& shape : path_shapes()) {
        this->run_bfs(shape, {}, ++seed, steps);
        this->run_bfs(shape, {.directed = true}, ++seed, steps / 2);
        this->run_bfs(shape, {.directed = true, .in_arcs = true}, ++seed, steps / 2, {.narrow_vertices = 0});
    }
    auto const shape = path_shapes()[0];
    this->run_bfs(shape, {}, 100, steps, {}, maintenance::cheaper);
    this->run_bfs(shape, {}, 101, 10, {}, maintenance::recompute);
    maintained_bfs<TypeParam> of_weighted(this->space_, kept_sources(), maintenance::repair);
    this->template follow<graph_weighing<TypeParam, double>>(of_weighted, maintenance::repair, shape, {}, 102,
                                                             steps / 2);
}

TYPED_TEST(maintained_paths_on, of_a_path_that_is_cut_and_mended) {
    for (auto const& list : long_cases()) {
        SCOPED_TRACE(list.name);
        for (std::uint64_t const weights : {10u, 1u}) {
            SCOPED_TRACE(weights);
            graph_weighing<TypeParam, double> changed(this->space_, {.vertices = list.vertices});
            maintained_shortest_paths<TypeParam, double> tested(this->space_, {0}, maintenance::repair);
            this->cut_and_mend(tested, changed, list, weights);
        }
        tested_graph<TypeParam> changed(this->space_, {.vertices = list.vertices});
        maintained_bfs<TypeParam> tested(this->space_, {0}, maintenance::repair);
        this->cut_and_mend(tested, changed, list, 1);
    }
}

TYPED_TEST(maintained_paths_on, of_hubs_that_come_and_go) {
    // Rows of several parts, both as in-arcs and as out-arcs.
    auto const list = wheel_with_two_hubs(is_emulated<TypeParam> ? 1200 : 20'000);
    std::vector<graph::edge> hub;
    for (auto const& e : list.edges)
        if (e.source == 0 || e.target == 0) hub.push_back(e);
    for (auto const& way : directions()) {
        SCOPED_TRACE(way.name);
        graph_weighing<TypeParam, double> changed(
            this->space_, {.vertices = list.vertices, .directed = way.directed, .in_arcs = way.in_arcs});
        graph_changer<graph_weighing<TypeParam, double>> changer(
            changed, {"", list.vertices, 0, 1, false, 0, 1000}, 3);
        maintained_shortest_paths<TypeParam, double> tested(this->space_, {1, 5}, maintenance::repair);
        static_cast<void>(changer.apply(list.edges, false));
        tested.start(changed.view());
        for (bool const erasing : {true, false, false, true, false}) {
            update_after(tested, changed, changer.apply(hub, erasing));
            this->expect_exact(tested, changed);
        }
        update_after(tested, changed, changer.apply(list.edges, true));
        this->expect_exact(tested, changed);
    }
}

TYPED_TEST(maintained_paths_on, give_up_when_they_expect_too_much_work) {
    auto const list = long_cases()[1];
    tested_graph<TypeParam> changed(this->space_, {.vertices = list.vertices});
    graph_changer<tested_graph<TypeParam>> changer(changed, {"", list.vertices, 0, 1, false}, 1);
    static_cast<void>(changer.apply(list.edges, false));
    algorithms::detail::path_follower<TypeParam, algorithms::detail::unit_weight> tested(
        this->space_, {0}, {.narrow_vertices = 0}, nullptr);
    using changes_type = algorithms::detail::path_changes<algorithms::detail::unit_weight>;
    tested.find(graph::untyped(changed.view()));
    auto const repair = [&](auto const& changes, algorithms::detail::repair_limits const& limits) {
        return tested.repair(graph::untyped(changed.view()), changes_type::of(changes), limits);
    };
    // The corner loses both of its edges, and with them all vertices their paths.
    std::vector<graph::edge> const corner{{0, 1}, {0, 20}};
    std::uint64_t const no_limit = ~std::uint64_t{0};
    auto const stopped = repair(changer.apply(corner, true), {10, 1000, no_limit});
    EXPECT_EQ(stopped.done, 0u);
    EXPECT_LT(stopped.work, 1000u); // passes over 400 vertices: no arc of those that lost their paths
    tested.find(graph::untyped(changed.view()));
    auto const searched = repair(changer.apply(corner, false), {10, no_limit, 300});
    EXPECT_EQ(searched.done, 0u);
    EXPECT_GT(searched.work, 300u);
    tested.find(graph::untyped(changed.view()));
    auto const cut = repair(changer.apply({{0, 1}}, true), {10, no_limit, no_limit});
    EXPECT_EQ(cut.done, 1u);
}

TYPED_TEST(maintained_paths_on, are_stale_while_a_source_is_erased) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 10});
    typename tested_graph<TypeParam>::changes_type changes(this->space_);
    changed.insert_edges(complete_edges(9).edges);
    maintained_bfs<TypeParam> tested(this->space_, {3, 9}, maintenance::repair);
    EXPECT_FALSE(tested.is_current());
    tested.start(changed.view());
    this->expect_exact(tested, changed);
    for (vertex_id const source : {3u, 9u}) { // with edges, and without
        changes.clear();
        changed.erase_vertices(std::vector<vertex_id>{source}, &changes);
        EXPECT_THROW(tested.update(changed.view(), changes), std::invalid_argument);
        EXPECT_FALSE(tested.is_current());
        EXPECT_THROW(tested.update(changed.view(), changes), std::invalid_argument);
        changes.clear();
        changed.insert_vertices(1);
        EXPECT_TRUE(tested.update(changed.view(), changes).recomputed);
        this->expect_exact(tested, changed);
    }
    EXPECT_THROW(maintained_bfs<TypeParam>(this->space_, {10}).start(changed.view()), std::invalid_argument);
    maintained_bfs<TypeParam> nowhere(this->space_, {}, maintenance::repair);
    nowhere.start(changed.view());
    EXPECT_FALSE(nowhere.update(changed.view(), changes).recomputed);
    this->expect_exact(nowhere, changed);
}

template <class Space>
void expect_update_refuses(Space& space, double bad) {
    double const usual = 3;
    graph_weighing<Space, double> changed(space, {.vertices = 6, .directed = true});
    typename graph_weighing<Space, double>::changes_type changes(space);
    std::vector<graph::edge> const path{{0, 1}, {1, 2}, {2, 3}, {4, 5}};
    changed.insert_edges(path, std::vector<double>(4, usual));
    maintained_shortest_paths<Space, double> tested(space, {0}, maintenance::repair);
    tested.start(changed.view());
    auto const give = [&](graph::edge edge, double weight) {
        changes.clear();
        changed.insert_edges(std::vector<graph::edge>{edge}, std::vector<double>{weight}, &changes);
        return tested.update(changed.view(), changes).recomputed;
    };
    EXPECT_FALSE(give({4, 5}, bad)); // out of reach it does not matter
    EXPECT_THROW(give({3, 4}, usual), std::invalid_argument);
    EXPECT_FALSE(tested.is_current());
    EXPECT_TRUE(give({4, 5}, 1.0));
    for (graph::edge const edge : {graph::edge{1, 2}, graph::edge{1, 3}}) {
        EXPECT_THROW(give(edge, bad), std::invalid_argument);
        EXPECT_TRUE(give(edge, usual));
    }
}
TYPED_TEST(maintained_paths_on, refuse_weights_as_the_static_search_does) {
    expect_update_refuses(this->space_, -1.0);
    expect_update_refuses(this->space_, std::nan(""));
}
TYPED_TEST(maintained_paths_on, notice_distances_that_overflow) {
    auto const most = std::numeric_limits<double>::max();
    graph_weighing<TypeParam, double> changed(this->space_, {.vertices = 3});
    typename graph_weighing<TypeParam, double>::changes_type changes(this->space_);
    maintained_shortest_paths<TypeParam, double> tested(this->space_, {0}, maintenance::repair);
    changed.insert_edges(std::vector<graph::edge>{{0, 1}}, std::vector<double>{most});
    tested.start(changed.view());
    changed.insert_edges(std::vector<graph::edge>{{1, 2}}, std::vector<double>{most}, &changes);
    EXPECT_THROW(tested.update(changed.view(), changes), std::overflow_error);
    changes.clear();
    changed.insert_edges(std::vector<graph::edge>{{0, 2}}, std::vector<double>{2.0}, &changes);
    EXPECT_TRUE(tested.update(changed.view(), changes).recomputed);
    this->expect_exact(tested, changed);
    // Vertex 2 loses the short way.
    changes.clear();
    changed.erase_edges(std::vector<graph::edge>{{0, 2}}, &changes);
    EXPECT_THROW(tested.update(changed.view(), changes), std::overflow_error);
}

TYPED_TEST(maintained_paths_on, wait_as_often_as_stated) {
    maintained_shortest_paths<TypeParam, double> paths(this->space_, kept_sources(), maintenance::repair);
    EXPECT_EQ((waits_of_updates<graph_weighing<TypeParam, double>>(this->space_, paths)),
              (counted_waits{1, 1}));
    maintained_bfs<TypeParam> levels(this->space_, kept_sources(), maintenance::repair);
    EXPECT_EQ(waits_of_updates<tested_graph<TypeParam>>(this->space_, levels), (counted_waits{1, 1}));
}

TYPED_TEST(maintained_paths_on, are_stale_when_memory_runs_out_and_then_found_anew) {
    using graph_type = graph_weighing<TypeParam, double>;
    graph_type changed(this->space_, {.vertices = 200});
    graph_changer<graph_type> changer(changed, {"sparse", 200, 190, 50, false}, 7);
    refuse_each_allocation(
        changed, changer,
        [&](exec::memory_resource* scratch) {
            return maintained_shortest_paths<TypeParam, double>(this->space_, {0}, maintenance::repair,
                                                                scratch);
        },
        [&](std::uint64_t) -> auto const& { return changer.apply({*changer.present().begin()}, true); },
        [&](auto const& tested) { this->expect_exact(tested, changed); }, 1);
}

} // namespace
} // namespace rhizome::tests
