// SPDX-License-Identifier: Apache-2.0
// Components that follow a graph, against those found anew, after every step of random streams.
#include "cases.hpp"
#include "maintained_streams.hpp"
#include "search_cases.hpp"

#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/maintained/components.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using algorithms::maintained_components;
using algorithms::maintenance;

template <class Space>
class maintained_components_on : public space_test {
protected:
    template <class Graph>
    void expect_exact(maintained_components<Space> const& tested, Graph const& changed) {
        auto const view = changed.view();
        exec::buffer<Space, graph::vertex_id> expected(space_, view.vertex_count());
        EXPECT_EQ(tested.count(), anew_.run(view, expected.data()));
        ASSERT_EQ(tested.components().size(), view.vertex_count());
        std::vector<graph::vertex_id> found(view.vertex_count());
        space_.copy_out(found.data(), tested.components().data(), found.size() * sizeof(graph::vertex_id));
        EXPECT_EQ(found, expected.to_host());
    }
    void run(stream_shape const& shape, graph::graph_options options, maintenance way, std::uint64_t seed,
             std::uint64_t steps) {
        using graph_type = tested_graph<Space>;
        maintained_components<Space> tested(space_, way);
        follow_stream<graph_type>(space_, tested, way, shape, options, seed, steps,
                                  [&](graph_type const& changed) { expect_exact(tested, changed); });
    }

    Space space_ = make_space<Space>();
    algorithms::connected_components<Space> anew_{space_};
};
TYPED_TEST_SUITE(maintained_components_on, maintained_spaces, space_names);

TYPED_TEST(maintained_components_on, agree_with_those_found_anew_after_every_step) {
    std::uint64_t const steps = work<TypeParam>(200, 25);
    // Few edges per vertex, so that most of them are in the forest.
    std::vector<stream_shape> shapes = stream_shapes();
    shapes.push_back({"forest", 500, 450, 25, false});
    for (auto const& shape : shapes) {
        this->run(shape, {}, maintenance::repair, 1, steps);
        this->run(shape, {.directed = true}, maintenance::repair, 2, steps / 2);
        this->run(shape, {.directed = true, .in_arcs = true}, maintenance::repair, 3, steps / 2);
    }
    this->run(shapes[0], {}, maintenance::cheaper, 4, steps);
    this->run(shapes[0], {}, maintenance::recompute, 5, 10);
}

TYPED_TEST(maintained_components_on, of_a_path_that_is_cut_and_mended) {
    for (auto const& list : long_cases()) {
        SCOPED_TRACE(list.name);
        tested_graph<TypeParam> changed(this->space_, {.vertices = list.vertices});
        graph_changer<tested_graph<TypeParam>> changer(changed, {"", list.vertices, 0, 1, false}, 1);
        maintained_components<TypeParam> tested(this->space_, maintenance::repair);
        tested.start(changed.view());
        EXPECT_EQ(tested.count(), list.vertices);
        update_after(tested, changed, changer.apply(list.edges, false));
        EXPECT_EQ(tested.count(), 1u);
        this->expect_exact(tested, changed);
        for (std::size_t const cut : {list.edges.size() / 2, std::size_t{0}, list.edges.size() - 1}) {
            std::vector<graph::edge> const one{list.edges[cut]};
            EXPECT_FALSE(update_after(tested, changed, changer.apply(one, true)).recomputed);
            this->expect_exact(tested, changed);
        }
        update_after(tested, changed, changer.apply(list.edges, false));
        EXPECT_EQ(tested.count(), 1u);
        this->expect_exact(tested, changed);
        update_after(tested, changed, changer.apply(list.edges, true));
        EXPECT_EQ(tested.count(), list.vertices);
        this->expect_exact(tested, changed);
    }
}

TYPED_TEST(maintained_components_on, wait_as_often_as_stated) {
    maintained_components<TypeParam> tested(this->space_, maintenance::repair);
    EXPECT_EQ(waits_of_updates<tested_graph<TypeParam>>(this->space_, tested), (counted_waits{1, 2}));
}

TYPED_TEST(maintained_components_on, are_stale_when_memory_runs_out_and_then_found_anew) {
    tested_graph<TypeParam> changed(this->space_, {.vertices = 200});
    graph_changer<tested_graph<TypeParam>> changer(changed, {"sparse", 200, 190, 50, false}, 7);
    refuse_each_allocation(
        changed, changer,
        [&](exec::memory_resource* scratch) {
            return maintained_components<TypeParam>(this->space_, maintenance::repair, scratch);
        },
        [&](std::uint64_t) -> auto const& { return changer.apply({*changer.present().begin()}, true); },
        [&](auto const& tested) { this->expect_exact(tested, changed); }, 1);
}

} // namespace
} // namespace rhizome::tests
