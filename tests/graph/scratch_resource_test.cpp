// SPDX-License-Identifier: Apache-2.0
// Scratch from memory that the caller lends: all of it comes from there and goes back, it is charged as any
// other, and a resource that has none left refuses a batch as a space does.
#include "comparison.hpp"
#include "edge_list.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/tuning.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class scratch_resources : public space_test {};
TYPED_TEST_SUITE(scratch_resources, all_spaces, space_names);

TYPED_TEST(scratch_resources, serve_the_scratch_of_a_graph_and_get_it_back) {
    counting_resource resource;
    auto space = make_space<TypeParam>();
    edge_list const edges = random_edges(3'000, 300, 1);
    graph::dynamic_graph<TypeParam> plain(space, {.vertices = 300});
    {
        graph::dynamic_graph<TypeParam> tested(space, {.vertices = 300, .scratch = &resource});
        EXPECT_EQ(tested.insert_edges(edges), plain.insert_edges(edges));
        static_cast<void>(tested.neighbours_of(id_list{1, 2, 3}));
        EXPECT_GT(resource.held_bytes(), 0u);
        EXPECT_LE(resource.held_bytes(), tested.memory().scratch_bytes);
        EXPECT_EQ(arcs_of(tested.snapshot()), arcs_of(plain.snapshot()));

        std::uint64_t const calls = resource.calls();
        edge_list const some(edges.begin(), edges.begin() + 100);
        tested.erase_edges(some);
        tested.insert_edges(some);
        std::uint64_t const settled = resource.calls();
        EXPECT_LE(settled, calls + 8);
        for (int round = 0; round < 3; ++round) {
            tested.erase_edges(some);
            tested.insert_edges(some);
        }
        EXPECT_EQ(resource.calls(), settled) << "in the steady state a batch allocates nothing";

        std::uint64_t const charged = space.budget().held_bytes();
        std::uint64_t const lent = resource.held_bytes();
        tested.release_scratch();
        EXPECT_EQ(resource.held_bytes(), 0u);
        EXPECT_GE(charged, space.budget().held_bytes() + lent) << "the budget counts what was lent";
        tested.insert_edges(edges);
        expect_valid(tested);
        EXPECT_GT(resource.held_bytes(), 0u);
    }
    EXPECT_EQ(resource.held_bytes(), 0u);
}

/// After a large batch, what it took stays for a while and then goes back.
TYPED_TEST(scratch_resources, get_it_back_when_batches_become_small) {
    counting_resource resource;
    graph::dynamic_graph<TypeParam> tested(make_space<TypeParam>(), {.vertices = 300, .scratch = &resource});
    edge_list const edges = random_edges(is_emulated<TypeParam> ? 2'000 : 20'000, 300, 1);
    edge_list const some(edges.begin(), edges.begin() + 20);
    tested.insert_edges(edges);
    std::uint64_t const large = resource.held_bytes();
    for (std::uint64_t batch = 1; batch < graph::tuning::small_batches; ++batch)
        batch % 2 == 0 ? tested.insert_edges(some) : tested.erase_edges(some);
    EXPECT_EQ(resource.held_bytes(), large);
    tested.insert_edges(some);
    EXPECT_LT(resource.held_bytes(), large / 7);
    tested.erase_edges(some);
    EXPECT_LT(resource.held_bytes(), large / 7);
    std::uint64_t const settled = resource.calls();
    for (std::uint64_t batch = 0; batch < 2 * graph::tuning::small_batches; ++batch)
        batch % 2 == 0 ? tested.insert_edges(some) : tested.erase_edges(some);
    EXPECT_LE(resource.calls(), settled + 8) << "the scratch has the size of these batches";
    tested.erase_edges(edges);
    EXPECT_EQ(tested.edge_count(), 0u);
    expect_valid(tested);
}

/// The lists of edges in columns, of staged edges and of erased vertices go back too, and empty batches do
/// not count.
TYPED_TEST(scratch_resources, give_up_the_lists_of_large_batches) {
    constexpr std::uint32_t vertices = 3'000;
    graph::dynamic_graph<TypeParam> tested(make_space<TypeParam>(), {.vertices = vertices});
    std::vector<graph::vertex_id> sources;
    std::vector<graph::vertex_id> targets;
    std::vector<graph::vertex_id> ids;
    for (graph::vertex_id v = 0; v + 1 < vertices; v += 2) {
        sources.push_back(v);
        targets.push_back(v + 1);
        ids.push_back(v);
    }
    edge_list const some{{0, 5}, {1, 7}};
    auto const small_batches = [&] {
        for (std::uint64_t batch = 0; batch < graph::tuning::small_batches; ++batch)
            batch % 2 == 0 ? tested.insert_edges(some) : tested.erase_edges(some);
    };
    small_batches();
    tested.release_scratch();
    small_batches();
    std::uint64_t const settled = tested.memory().scratch_bytes;
    std::uint64_t const list_bytes = ids.size() * sizeof(graph::vertex_id);

    tested.insert_edges(graph::edge_columns{sources, targets});
    tested.erase_vertices(ids);
    EXPECT_GT(tested.memory().scratch_bytes, settled + list_bytes);
    for (std::uint64_t batch = 0; batch < 2 * graph::tuning::small_batches; ++batch)
        tested.insert_edges(edge_list{});
    EXPECT_GT(tested.memory().scratch_bytes, settled + list_bytes) << "empty batches say nothing";
    small_batches();
    EXPECT_LT(tested.memory().scratch_bytes, settled + list_bytes);

    static_cast<void>(tested.insert_edges(tested.stage(random_edges(4'000, vertices, 1))));
    EXPECT_GT(tested.memory().scratch_bytes, settled + list_bytes);
    small_batches(); // a large batch came soon after the last return: the next one waits twice as long
    small_batches();
    EXPECT_LT(tested.memory().scratch_bytes, settled + list_bytes);
    expect_valid(tested);
}

TYPED_TEST(scratch_resources, that_refuse_leave_the_graph_as_it_was) {
    for (refusal const how : {refusal::bad_alloc, refusal::null_pointer, refusal::out_of_memory}) {
        counting_resource resource;
        auto space = make_space<TypeParam>();
        edge_list const first = random_edges(200, 60, 2);
        edge_list const second = random_edges(2'000, 60, 3);
        bool refused_one = false;
        for (std::uint64_t from = 1;; ++from) {
            SCOPED_TRACE(::testing::Message() << "from call " << from);
            graph::dynamic_graph<TypeParam> tested(space, {.vertices = 60, .scratch = &resource});
            resource.refuse_no_more();
            tested.insert_edges(first);
            auto const before = arcs_of(tested.snapshot());
            tested.release_scratch();
            std::uint64_t const charged = space.budget().held_bytes();
            resource.refuse_from(from, how);
            try {
                tested.insert_edges(second);
            } catch (exec::out_of_memory const& error) {
                refused_one = true;
                EXPECT_GT(error.needed_bytes(), error.available_bytes());
                EXPECT_NE(std::string(error.what()).find("graph unchanged"), std::string::npos)
                    << error.what();
                resource.refuse_no_more();
                EXPECT_EQ(arcs_of(tested.snapshot()), before);
                expect_valid(tested);
                tested.release_scratch();
                EXPECT_LE(space.budget().held_bytes(), charged + 4096);
                EXPECT_GT(tested.insert_edges(second).applied, 0u) << "the memory is there again";
                expect_valid(tested);
            }
            if (resource.refused() == 0) break;
        }
        EXPECT_TRUE(refused_one);
    }
}

TYPED_TEST(scratch_resources, are_held_to_the_limit_of_the_space) {
    counting_resource resource;
    auto space = make_space<TypeParam>({.memory_limit_bytes = 1u << 20});
    exec::workspace<TypeParam> scratch(space, &resource);
    std::uint64_t const held = space.budget().held_bytes();
    EXPECT_NE(scratch.at_least(1000), nullptr);
    EXPECT_EQ(space.budget().held_bytes(), held + 1000);
    EXPECT_EQ(resource.held_bytes(), 1000u);
    std::uint64_t const calls = resource.calls();
    EXPECT_THROW(static_cast<void>(scratch.at_least(2u << 20)), exec::out_of_memory);
    EXPECT_EQ(resource.calls(), calls) << "the budget is asked first";
    EXPECT_EQ(space.budget().held_bytes(), held);
    EXPECT_NE(scratch.at_least(2000), nullptr);
    exec::workspace<TypeParam> moved(std::move(scratch));
    EXPECT_EQ(moved.held_bytes(), 2000u);
    moved.give_back();
    EXPECT_EQ(resource.held_bytes(), 0u);
    EXPECT_EQ(space.budget().held_bytes(), held);
}

} // namespace
} // namespace rhizome::tests
