// SPDX-License-Identifier: Apache-2.0
// Graphs and algorithms on a device that is not the caller's current one, and on two devices at the same
// time.
#include "cases.hpp"
#include "oracles.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::tests {
namespace {

class two_devices : public tests::space_test {
protected:
    void SetUp() override {
        tests::space_test::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        int devices = 0;
        ASSERT_EQ(cudaGetDeviceCount(&devices), cudaSuccess);
        if (devices < 2) tests::end_without(tests::gpus_are_required(2), "there is one GPU");
    }
    void TearDown() override { cudaSetDevice(0); }
};

int current_device() {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    return device;
}

/// Makes a graph on `device`, changes and asks it in every way, and compares it with the oracles. What it
/// calls leaves the thread's current device as it is.
void use_everything(int device, named_edges const& list) {
    int const current = current_device();
    auto const stays = [&](char const* call) { EXPECT_EQ(current_device(), current) << "after " << call; };
    {
        exec::cuda_space const space({.device = device});
        stays("the space");
        tested_graph<exec::cuda_space> tested(space, {.vertices = list.vertices, .heap_bytes = 4u << 20});
        stays("the graph");

        std::size_t const half = list.edges.size() / 2;
        auto const first = std::span(list.edges).first(half);
        auto const rest = std::span(list.edges).subspan(half);
        EXPECT_EQ(tested.insert_edges(first).rejected, 0u);
        stays("insert_edges");
        {
            graph::staged_batch const staged = tested.stage(rest);
            stays("stage");
            EXPECT_EQ(tested.insert_edges(staged).rejected, 0u);
            stays("insert_edges of a staged batch");
        }
        EXPECT_EQ(tested.erase_edges(first).rejected, 0u);
        stays("erase_edges");
        {
            exec::buffer<exec::cuda_space, graph::edge> const there(
                space, std::vector<graph::edge>(first.begin(), first.end()));
            stays("a buffer");
            EXPECT_EQ(tested.insert_edges_in_space(there.data(), there.size()).rejected, 0u);
            stays("insert_edges_in_space");
        }
        stays("the end of a buffer");
        auto const added = tested.insert_vertices(1);
        stays("insert_vertices");
        EXPECT_EQ(tested.insert_edges(std::vector<graph::edge>{{added[0], 0}, {1, added[0]}}).applied, 2u);
        EXPECT_EQ(tested.erase_vertices(added).edges, 2u);
        stays("erase_vertices");

        auto const arcs = plain(list.vertices, list.edges, false);
        EXPECT_EQ(tested.has_edges(list.edges), std::vector<std::uint8_t>(list.edges.size(), 1));
        stays("has_edges");
        EXPECT_EQ(
            tested.neighbours_of(std::vector<graph::vertex_id>{0}).targets.size(),
            static_cast<std::size_t>(std::count_if(arcs.arcs.begin(), arcs.arcs.end(),
                                                   [](graph::edge const& arc) { return arc.source == 0; })));
        stays("neighbours_of");
        auto const copy = tested.snapshot();
        stays("snapshot");
        EXPECT_EQ(copy.targets.to_host().size(), arcs.arcs.size());
        stays("to_host");
        EXPECT_TRUE(tested.validate().empty());
        stays("validate");
        EXPECT_EQ(tested.memory().edges, tested.edge_count());
        stays("memory");

        algorithms::triangle_counter<exec::cuda_space> counter(space);
        stays("the triangle counter");
        EXPECT_EQ(counter.count(tested.view()), triangles_by_sets(arcs));
        EXPECT_EQ(counter.count(copy.view()), triangles_by_sets(arcs));
        stays("counting triangles");
        algorithms::pagerank<double, exec::cuda_space> pagerank(space);
        stays("PageRank's scratch");
        algorithms::pagerank_options const fixed{.damping = 0.9, .tolerance = 0, .max_iterations = 12};
        // Of the snapshot's vertices the last one is erased: an oracle without it has the same ranks.
        auto const ranks = pagerank.run(copy.view(), fixed).ranks_on_host();
        stays("PageRank");
        auto const expected = rank_plainly(arcs, fixed);
        ASSERT_EQ(ranks.size(), expected.ranks.size() + 1);
        EXPECT_EQ(ranks.back(), 0.0);
        for (std::size_t v = 0; v < expected.ranks.size(); ++v)
            ASSERT_NEAR(ranks[v], expected.ranks[v], 1e-13) << v;

        tested.release_scratch();
        stays("release_scratch");
        auto moved = std::move(tested);
        EXPECT_EQ(moved.erase_edges(list.edges).rejected, 0u);
        EXPECT_EQ(moved.edge_count(), 0u);
        stays("a moved graph");
    }
    stays("the end of everything");
}

TEST_F(two_devices, graphs_live_on_one_that_is_not_current) {
    auto const list = skewed_edges(700, 30'000, 3);
    for (int const current : {0, 1})
        for (int const device : {1 - current, current}) {
            SCOPED_TRACE("device " + std::to_string(device) + " while " + std::to_string(current) +
                         " is current");
            ASSERT_EQ(cudaSetDevice(current), cudaSuccess);
            use_everything(device, list);
        }
}

TEST_F(two_devices, work_at_the_same_time) {
    auto const first = skewed_edges(700, 30'000, 3);
    auto const second = skewed_edges(900, 40'000, 4);
    // A new thread's current device is the first.
    std::thread other([&] {
        for (int round = 0; round < 3; ++round)
            use_everything(1, second);
    });
    for (int round = 0; round < 3; ++round)
        use_everything(0, first);
    other.join();
}

TEST_F(two_devices, take_batches_of_two_graphs_by_turns) {
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    auto const list = skewed_edges(3'000, 120'000, 5);
    exec::cuda_space const spaces[] = {exec::cuda_space({.device = 0}), exec::cuda_space({.device = 1})};
    std::vector<tested_graph<exec::cuda_space>> graphs;
    for (exec::cuda_space const& space : spaces)
        graphs.emplace_back(space, graph::graph_options{.vertices = list.vertices, .heap_bytes = 2u << 20});
    constexpr std::size_t batch = 5'000;
    for (std::size_t begin = 0; begin < list.edges.size(); begin += batch) {
        auto const edges = std::span(list.edges).subspan(begin, batch);
        graph::staged_batch const ahead[] = {graphs[0].stage(edges), graphs[1].stage(edges)};
        EXPECT_EQ(graphs[0].insert_edges(ahead[0]), graphs[1].insert_edges(ahead[1]));
        auto const some = edges.first(batch / 3);
        EXPECT_EQ(graphs[0].erase_edges(some), graphs[1].erase_edges(some));
        EXPECT_EQ(current_device(), 0);
    }
    auto const left = graphs[0].snapshot();
    auto const right = graphs[1].snapshot();
    EXPECT_GT(graphs[0].edge_count(), 1'000u);
    EXPECT_EQ(left.offsets.to_host(), right.offsets.to_host());
    EXPECT_EQ(left.targets.to_host(), right.targets.to_host());
    for (auto& each : graphs)
        EXPECT_TRUE(each.validate().empty());
    EXPECT_EQ(current_device(), 0);
}

} // namespace
} // namespace rhizome::tests
