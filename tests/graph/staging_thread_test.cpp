// SPDX-License-Identifier: Apache-2.0
// A second thread may stage batches while the graph is changed and asked: what ThreadSanitizer looks at.
#include "edge_list.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
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

} // namespace
} // namespace rhizome::tests
