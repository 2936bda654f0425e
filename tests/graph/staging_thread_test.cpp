// SPDX-License-Identifier: Apache-2.0
// A second thread may stage batches while the graph is changed and asked, and may do no more: what
// ThreadSanitizer looks at.
#include "edge_list.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>

namespace rhizome::tests {
namespace {

TEST(staging_thread, may_meet_refusals_and_reports) {
    exec::host_space const space({.threads = 1, .memory_limit_bytes = 4u << 20});
    graph::dynamic_graph<exec::host_space> tested(space, {.vertices = 100});
    edge_list const too_many(100'000, graph::edge{1, 2}); // equal edges cannot be applied in pieces
    std::atomic<bool> ended{false};
    std::thread other([&] {
        for (std::size_t edges = 1; !ended.load(); edges = edges % 5'000 + 500)
            static_cast<void>(tested.stage(edge_list(edges, graph::edge{1, 2})));
    });
    for (int round = 0; round < 5; ++round) {
        EXPECT_THROW(tested.insert_edges(too_many), exec::out_of_memory);
        static_cast<void>(tested.memory());
    }
    ended.store(true);
    other.join();
    static_cast<void>(tested.stage(edge_list(6'000, graph::edge{1, 2})));
    EXPECT_GE(tested.memory().scratch_bytes, 6'000u * sizeof(graph::edge));
}

/// A thread that finds another one inside the graph gets an exception, and has touched nothing.
TEST(two_callers, of_one_graph_are_refused) {
    constexpr graph::vertex_id vertices = 40;
    exec::host_space const space({.threads = 1});
    graph::dynamic_graph<exec::host_space> tested(space, {.vertices = vertices});
    edge_list batch;
    for (graph::vertex_id v = 0; v < vertices; ++v)
        batch.push_back({v, (v + 1) % vertices});
    exec::buffer<exec::host_space, graph::edge> const placed(space, batch);
    auto const report = tested.insert_edges_in_space_if(placed.data(), batch.size(), [&] {
        EXPECT_EQ(tested.has_edges(edge_list{{0, 1}}).size(), 1u) << "the same thread may ask";
        std::thread([&] {
            EXPECT_THROW(tested.insert_edges(edge_list{{3, 4}}), std::logic_error);
            EXPECT_THROW(static_cast<void>(tested.has_edges(edge_list{{0, 1}})), std::logic_error);
        }).join();
        return true;
    });
    EXPECT_TRUE(report && report->applied == tested.edge_count());
    EXPECT_FALSE(tested.broken());
    EXPECT_TRUE(tested.validate().empty());
    std::thread([&] { tested.insert_edges(edge_list{{3, 4}}); }).join(); // one after the other
}

/// What one thread changes is not recorded in the lists of another one.
TEST(two_callers, keep_their_changes_apart) {
    exec::host_space const space({.threads = 1});
    graph::dynamic_graph<exec::host_space> tested(space, {.vertices = 1000});
    std::atomic<bool> ended{false};
    std::thread other([&] {
        edge_list const edges{{900, 901}};
        while (!ended.load())
            try {
                tested.insert_edges(edges);
                tested.erase_edges(edges);
            } catch (std::logic_error const&) {
                std::this_thread::yield();
            }
    });
    edge_list batch;
    for (graph::vertex_id v = 0; v < 50; ++v)
        batch.push_back({v, v + 100});
    for (int done = 0; done < 300;) {
        graph::graph_changes<exec::host_space> changes(space);
        try {
            auto const report = tested.insert_edges(batch, &changes);
            EXPECT_EQ(changes.inserted().size(), report.applied);
            tested.erase_edges(batch);
            ++done;
        } catch (std::logic_error const&) {
            std::this_thread::yield();
        }
    }
    ended.store(true);
    other.join();
    EXPECT_FALSE(tested.broken());
    EXPECT_TRUE(tested.validate().empty());
}

} // namespace
} // namespace rhizome::tests
