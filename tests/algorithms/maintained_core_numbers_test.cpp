// SPDX-License-Identifier: Apache-2.0
// Core numbers that follow a graph, against those found anew, after every step of random streams.
#include "cases.hpp"
#include "maintained_streams.hpp"
#include "search_cases.hpp"

#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/maintained/core_numbers.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::maintained_core_numbers;
using algorithms::maintenance;
using algorithms::update_size;

/// Always tries to repair, with little work: few arcs on the host, few steps elsewhere.
template <class Space>
struct little_work {
    [[nodiscard]] static std::uint64_t most_work(update_size const&) {
        return exec::threads_take_runs<Space> ? 400 : 15 * algorithms::tuning::core_step_work + 400;
    }
    static void repaired(update_size const&, std::uint64_t work, double, double) {
        EXPECT_LE(work, 2 * most_work({})); // with the step at which it gives up
    }
    static void recomputed(std::uint64_t, double) {}
};

/// Computing anew takes a millisecond, and a repair as long as a test says.
struct made_up_times : algorithms::maintenance_choice {
    static inline double repair_ms = 1;

    void repaired(update_size const& update, std::uint64_t work, double, double) {
        maintenance_choice::repaired(update, work, repair_ms, repair_ms);
    }
    void recomputed(std::uint64_t graph, double) { maintenance_choice::recomputed(graph, 1); }
};

template <class Space>
class maintained_core_numbers_on : public space_test {
protected:
    template <class Result, class Graph>
    void expect_exact(Result const& tested, Graph const& changed) {
        auto const view = changed.view();
        exec::buffer<Space, std::uint32_t> expected(space_, view.vertex_count());
        EXPECT_EQ(tested.largest(), anew_.run(view, expected.data()).largest);
        ASSERT_EQ(tested.core_numbers().size(), view.vertex_count());
        std::vector<std::uint32_t> found(view.vertex_count());
        space_.copy_out(found.data(), tested.core_numbers().data(), found.size() * sizeof(std::uint32_t));
        EXPECT_EQ(found, expected.to_host());
    }
    template <class Graph>
    void run(stream_shape const& shape, maintenance way, std::uint64_t seed, std::uint64_t steps) {
        maintained_core_numbers<Space> tested(space_, way);
        follow_stream<Graph>(space_, tested, way, shape, {}, seed, steps,
                             [&](Graph const& changed) { expect_exact(tested, changed); });
    }

    using graph_type = tested_graph<Space>;
    /// A graph, and its core numbers after changes that are always repaired.
    struct followed {
        followed(maintained_core_numbers_on& of, named_edges const& first)
            : on(of), changed(of.space_, {.vertices = first.vertices}),
              changer(changed, {"", first.vertices, 0, 1, false}, 1), tested(of.space_, maintenance::repair) {
            tested.start(changed.view());
            change(first.edges, false);
        }
        void change(std::vector<graph::edge> const& edges, bool erasing) {
            EXPECT_FALSE(update_after(tested, changed, changer.apply(edges, erasing)).recomputed);
            on.expect_exact(tested, changed);
        }

        maintained_core_numbers_on& on;
        graph_type changed;
        graph_changer<graph_type> changer;
        maintained_core_numbers<Space> tested;
    };

    Space space_ = make_space<Space>();
    algorithms::k_core<Space> anew_{space_};
};
TYPED_TEST_SUITE(maintained_core_numbers_on, maintained_spaces, space_names);

TYPED_TEST(maintained_core_numbers_on, agree_with_those_found_anew_after_every_step) {
    std::uint64_t const steps = work<TypeParam>(200, 25);
    std::vector<stream_shape> shapes = stream_shapes();
    shapes.push_back({"dense", 60, 700, 60, false});
    for (auto const& shape : shapes)
        for (std::uint64_t seed = 1; seed <= 2; ++seed)
            this->template run<tested_graph<TypeParam>>(shape, maintenance::repair, seed, steps);
    this->template run<tested_graph<TypeParam>>(shapes[0], maintenance::cheaper, 3, steps);
    this->template run<tested_graph<TypeParam>>(shapes[0], maintenance::recompute, 4, 10);
}

TYPED_TEST(maintained_core_numbers_on, follow_graphs_with_values) {
    this->template run<graph::weighted_graph<TypeParam>>(stream_shapes()[2], maintenance::repair, 5,
                                                         work<TypeParam>(60, 10));
}

TYPED_TEST(maintained_core_numbers_on, follow_rows_that_do_not_ascend) {
    using linked_graph = graph::dynamic_graph<TypeParam, graph::linked_pages<128>>;
    this->template run<linked_graph>(stream_shapes()[2], maintenance::repair, 6, work<TypeParam>(60, 10));
}

TYPED_TEST(maintained_core_numbers_on, of_long_graphs_that_are_cut_and_mended) {
    auto lists = long_cases();
    lists[0].edges.push_back({299, 0}); // a cycle
    for (auto const& list : lists) {
        SCOPED_TRACE(list.name);
        typename TestFixture::followed graph(*this, list);
        for (std::size_t const cut : {list.edges.size() / 2, std::size_t{0}, list.edges.size() - 1}) {
            graph.change({list.edges[cut]}, true);
            graph.change({list.edges[cut]}, false);
        }
        graph.change({list.edges.front(), list.edges.back()}, true);
        graph.change(list.edges, false);
        graph.change(list.edges, true);
        EXPECT_EQ(graph.tested.largest(), 0u);
    }
}

TYPED_TEST(maintained_core_numbers_on, of_a_clique_that_comes_and_goes) {
    auto const clique = complete_edges(std::max<std::uint64_t>(20, work<TypeParam>(150, 60)));
    named_edges path{"path", 200, {}};
    for (graph::vertex_id v = 0; v + 1 < 200; ++v)
        path.edges.push_back({v, v + 1});
    typename TestFixture::followed graph(*this, path);
    graph.change(clique.edges, false);
    EXPECT_EQ(graph.tested.largest(), clique.vertices - 1);
    std::vector<graph::edge> some(clique.edges.begin(), clique.edges.begin() + clique.edges.size() / 3);
    graph.change(some, true);
    graph.change(some, false);
    graph.change(clique.edges, true);
    graph.change(path.edges, false);
    EXPECT_EQ(graph.tested.largest(), 1u);
}

// Rows for a block, and for all blocks.
TYPED_TEST(maintained_core_numbers_on, of_hubs_that_come_and_go) {
    std::uint64_t const leaves = work<TypeParam>(9000, 300);
    named_edges cycle{"cycle", leaves + 2, {}};
    for (graph::vertex_id v = 0; v < leaves; ++v)
        cycle.edges.push_back({v, static_cast<graph::vertex_id>((v + 1) % leaves)});
    typename TestFixture::followed graph(*this, cycle);
    for (std::uint64_t hub = leaves; hub < leaves + 2; ++hub) {
        std::vector<graph::edge> spokes;
        for (graph::vertex_id v = 0; v < leaves; ++v)
            spokes.push_back({static_cast<graph::vertex_id>(hub), v});
        graph.change(spokes, false);
        EXPECT_EQ(graph.tested.largest(), 3u + hub - leaves);
        graph.change({spokes[7], cycle.edges[7]}, true);
        graph.change({spokes[7], cycle.edges[7]}, false);
        graph.change(spokes, true);
        EXPECT_EQ(graph.tested.largest(), 2u + hub - leaves);
        graph.change(spokes, false);
    }
}

// All vertices have the same core number, or nearly all, and few changes reach many of them.
TYPED_TEST(maintained_core_numbers_on, of_a_mesh_with_random_changes) {
    constexpr graph::vertex_id side = 30;
    named_edges mesh{"mesh", side * side, {}};
    for (graph::vertex_id v = 0; v < side * side; ++v) {
        bool const right = v % side != side - 1;
        bool const below = v + side < side * side;
        if (right) mesh.edges.push_back({v, v + 1});
        if (below) mesh.edges.push_back({v, v + side});
        if (right && below) mesh.edges.push_back({v, v + side + 1});
    }
    typename TestFixture::followed graph(*this, mesh);
    std::mt19937_64 random(1);
    auto const any = [&] { return static_cast<graph::vertex_id>(random() % mesh.vertices); };
    for (std::uint64_t round = 0; round < work<TypeParam>(40, 5); ++round) {
        std::vector<graph::edge> gone;
        std::vector<graph::edge> fresh;
        for (std::uint64_t i = 0; i < 1 + round % 7; ++i) {
            gone.push_back(mesh.edges[random() % mesh.edges.size()]);
            fresh.push_back({any(), any()});
        }
        graph.change(fresh, false);
        graph.change(gone, true);
        graph.change(gone, false);
    }
}

TYPED_TEST(maintained_core_numbers_on, are_found_anew_where_repairing_is_too_much_work) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 300});
    graph_changer<tested_graph<TypeParam>> changer(changed, {"sparse", 300, 500, 20, false}, 3);
    maintained_core_numbers<TypeParam, little_work<TypeParam>> tested(this->space_);
    tested.start(changed.view());
    std::uint64_t const steps = 60; // at any scale: each way is to be taken several times
    std::uint64_t stopped = 0;      // and then computed anew
    std::uint64_t repaired = 0;     // with changes
    for (std::uint64_t step = 0; step < steps; ++step) {
        auto const& changes = changer.step();
        auto const report = tested.update(changed.view(), changes);
        stopped += report.recomputed && report.work != 0;
        repaired += !report.recomputed && changes.size() != 0;
        this->expect_exact(tested, changed);
    }
    EXPECT_GT(stopped, 2u);
    EXPECT_GT(repaired, 2u);
}

TYPED_TEST(maintained_core_numbers_on, are_found_anew_while_repairing_takes_longer) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 40});
    graph_changer<tested_graph<TypeParam>> changer(changed, {"", 40, 0, 1, false}, 1);
    maintained_core_numbers<TypeParam, made_up_times> tested(this->space_);
    tested.start(changed.view());
    graph::vertex_id next = 0;
    auto const repairs_of_ten = [&](double ms) {
        made_up_times::repair_ms = ms;
        std::uint64_t repairs = 0;
        for (int i = 0; i < 10; ++i, ++next) {
            std::vector<graph::edge> const one{{next, next + 1}};
            repairs += update_after(tested, changed, changer.apply(one, false)).recomputed ? 0 : 1;
            this->expect_exact(tested, changed);
        }
        return repairs;
    };
    EXPECT_EQ(repairs_of_ten(0.01), 10u);
    // Between both, computing anew is measured. Then repairs have exceeded it by more than was saved before.
    EXPECT_EQ(repairs_of_ten(4), 2u);
    EXPECT_EQ(repairs_of_ten(0.01), 0u);
}

TYPED_TEST(maintained_core_numbers_on, refuse_directed_graphs_and_say_that_they_are_stale) {
    auto directed = build(this->space_, complete_edges(4), directions()[1]);
    maintained_core_numbers<TypeParam> tested(this->space_);
    EXPECT_THROW(tested.start(directed.view()), std::invalid_argument);
    EXPECT_FALSE(tested.is_current());
    auto undirected = build(this->space_, complete_edges(5), directions()[0]);
    typename decltype(undirected)::changes_type const nothing(this->space_);
    EXPECT_TRUE(tested.update(undirected.view(), nothing).recomputed); // never started
    EXPECT_EQ(tested.largest(), 4u);
    EXPECT_TRUE(tested.is_current());
}

TYPED_TEST(maintained_core_numbers_on, wait_as_often_as_stated) {
    maintained_core_numbers<TypeParam> tested(this->space_, maintenance::repair);
    EXPECT_EQ(waits_of_updates<tested_graph<TypeParam>>(this->space_, tested), (counted_waits{1, 1}));
}

TYPED_TEST(maintained_core_numbers_on, are_stale_when_memory_runs_out_and_then_found_anew) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 200});
    graph_changer<tested_graph<TypeParam>> changer(changed, {"sparse", 200, 300, 50, false}, 7);
    refuse_each_allocation(
        changed, changer,
        [&](exec::memory_resource* scratch) {
            return maintained_core_numbers<TypeParam>(this->space_, maintenance::repair, scratch);
        },
        [&](std::uint64_t) -> auto const& { return changer.apply({*changer.present().begin()}, true); },
        [&](auto const& tested) { this->expect_exact(tested, changed); }, 1);
}

} // namespace
} // namespace rhizome::tests
