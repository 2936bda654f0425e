// SPDX-License-Identifier: Apache-2.0
// Triangles that follow a graph, against those counted anew, after every step of random streams.
#include "cases.hpp"
#include "maintained_streams.hpp"

#include <rhizome/algorithms/local_triangles.hpp>
#include <rhizome/algorithms/maintained/triangles.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::maintained_triangles;
using algorithms::maintenance;

/// A clique of some vertices, others in each round.
[[nodiscard]] std::vector<graph::edge> clique_of(std::uint64_t size, std::uint64_t round) {
    auto edges = complete_edges(size).edges;
    for (graph::edge& e : edges)
        e = {static_cast<graph::vertex_id>(e.source * 7 + round),
             static_cast<graph::vertex_id>(e.target * 7 + round)};
    return edges;
}

template <class Space>
class maintained_triangles_on : public space_test {
protected:
    template <class Graph>
    void expect_exact(maintained_triangles<Space> const& tested, Graph const& changed) {
        auto const view = changed.view();
        exec::buffer<Space, std::uint64_t> expected(space_, view.vertex_count());
        EXPECT_EQ(tested.total(), anew_.count(view, expected.data()));
        ASSERT_EQ(tested.counts().size(), view.vertex_count());
        std::vector<std::uint64_t> found(view.vertex_count());
        space_.copy_out(found.data(), tested.counts().data(), found.size() * sizeof(std::uint64_t));
        EXPECT_EQ(found, expected.to_host());
    }
    template <class Graph>
    void run(stream_shape const& shape, maintenance way, std::uint64_t seed, std::uint64_t steps) {
        maintained_triangles<Space> tested(space_, way);
        follow_stream<Graph>(space_, tested, way, shape, {}, seed, steps,
                             [&](Graph const& changed) { expect_exact(tested, changed); });
    }

    Space space_ = make_space<Space>();
    algorithms::local_triangles<Space> anew_{space_};
};
TYPED_TEST_SUITE(maintained_triangles_on, maintained_spaces, space_names);

TYPED_TEST(maintained_triangles_on, agree_with_those_counted_anew_after_every_step) {
    std::uint64_t const steps = work<TypeParam>(200, 25);
    for (auto const& shape : stream_shapes())
        for (std::uint64_t seed = 1; seed <= 2; ++seed)
            this->template run<tested_graph<TypeParam>>(shape, maintenance::repair, seed, steps);
    this->template run<tested_graph<TypeParam>>(stream_shapes()[0], maintenance::cheaper, 3, steps);
    this->template run<tested_graph<TypeParam>>(stream_shapes()[0], maintenance::recompute, 4, 10);
}

TYPED_TEST(maintained_triangles_on, follow_graphs_with_values) {
    this->template run<graph::weighted_graph<TypeParam>>(stream_shapes()[2], maintenance::repair, 5,
                                                         work<TypeParam>(60, 10));
}

TYPED_TEST(maintained_triangles_on, follow_rows_that_do_not_ascend) {
    using graph_type = graph::dynamic_graph<TypeParam, graph::linked_pages<128>>;
    this->template run<graph_type>(stream_shapes()[2], maintenance::repair, 6, work<TypeParam>(60, 10));
}

TYPED_TEST(maintained_triangles_on, of_a_clique_that_comes_and_goes_are_counted_once) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 200});
    stream_shape const empty{"empty", 200, 0, 1, false};
    graph_changer<tested_graph<TypeParam>> changer(changed, empty, 1);
    maintained_triangles<TypeParam> tested(this->space_, maintenance::repair);
    tested.start(changed.view());
    auto const clique = complete_edges(150).edges; // rows of more than one piece
    EXPECT_FALSE(update_after(tested, changed, changer.apply(clique, false)).recomputed);
    EXPECT_EQ(tested.total(), 150u * 149 * 148 / 6);
    this->expect_exact(tested, changed);
    std::vector<graph::edge> some(clique.begin(), clique.begin() + 2000);
    update_after(tested, changed, changer.apply(some, true));
    this->expect_exact(tested, changed);
    update_after(tested, changed, changer.apply(clique, true));
    EXPECT_EQ(tested.total(), 0u);
    this->expect_exact(tested, changed);
}

TYPED_TEST(maintained_triangles_on, refuse_directed_graphs_and_say_that_they_are_stale) {
    auto directed = build(this->space_, complete_edges(4), directions()[1]);
    maintained_triangles<TypeParam> tested(this->space_);
    EXPECT_FALSE(tested.is_current());
    EXPECT_THROW(tested.start(directed.view()), std::invalid_argument);
    EXPECT_FALSE(tested.is_current());
    auto undirected = build(this->space_, complete_edges(5), directions()[0]);
    typename decltype(undirected)::changes_type const nothing(this->space_);
    EXPECT_TRUE(tested.update(undirected.view(), nothing).recomputed); // never started
    EXPECT_EQ(tested.total(), 10u);
    EXPECT_FALSE(tested.update(undirected.view(), nothing).recomputed);
    EXPECT_TRUE(tested.is_current());
}

TYPED_TEST(maintained_triangles_on, wait_as_often_as_stated) {
    maintained_triangles<TypeParam> tested(this->space_, maintenance::repair);
    EXPECT_EQ(waits_of_updates<tested_graph<TypeParam>>(this->space_, tested), (counted_waits{1, 1}));
}

TYPED_TEST(maintained_triangles_on, are_stale_when_memory_runs_out_and_then_counted_anew) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 200});
    stream_shape const shape{"skewed", 200, 600, 50, true};
    graph_changer<tested_graph<TypeParam>> changer(changed, shape, 7);
    refuse_each_allocation(
        changed, changer,
        [&](exec::memory_resource* scratch) {
            return maintained_triangles<TypeParam>(this->space_, maintenance::repair, scratch);
        },
        [&](std::uint64_t round) -> auto const& {
            return changer.apply(clique_of(20, round), round % 2 == 0);
        },
        [&](auto const& tested) { this->expect_exact(tested, changed); }, 2);
}

} // namespace
} // namespace rhizome::tests
