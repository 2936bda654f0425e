// SPDX-License-Identifier: Apache-2.0
// A graph over ranks with ids of 64 bits, beyond 2^32.
#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

TEST(partitioned_wide_ids, reach_beyond_32_bits) {
    constexpr std::uint64_t vertices = std::uint64_t{1} << 33;
    std::vector<exec::host_space> const spaces(2, exec::host_space({.threads = 1}));
    comm::run_ranks(spaces, [&](comm::communicator<exec::host_space>& self) {
        graph::partitioned_graph<exec::host_space, graph::modulo_owners, void, graph::wide_vertex_id> tested(
            self, graph::modulo_owners(2), {.vertices = vertices});
        std::vector<graph::wide_edge> edges;
        for (std::uint64_t v = 1; v < 40; ++v)
            edges.push_back({vertices - 1, vertices - 1 - (v << 26)});
        edges.push_back({vertices, 0}); // no vertex
        edges.push_back({0, vertices - 1});
        auto const mine =
            self.rank() == 0 ? std::span<graph::wide_edge const>(edges) : std::span<graph::wide_edge const>();
        EXPECT_EQ(tested.insert_edges(mine), (graph::batch_report{.applied = 40, .rejected = 1}));
        EXPECT_EQ(tested.edge_count(), 40u);
        std::uint64_t const hub = vertices - 1; // odd: of rank 1
        std::uint64_t const leaf = self.rank() == 0 ? 0 : hub - (std::uint64_t{5} << 26);
        std::vector<std::uint64_t> const leaves{leaf};
        EXPECT_EQ(tested.neighbours_of(leaves).targets, std::vector<std::uint64_t>{hub});
        if (self.rank() == 1) {
            std::vector<std::uint64_t> const hubs{hub};
            EXPECT_EQ(tested.degrees(hubs), std::vector<std::uint32_t>{40});
            std::vector<graph::wide_edge> const asked{{hub, 0}, {hub, 1}};
            EXPECT_EQ(tested.has_edges(asked), (std::vector<std::uint8_t>{1, 0}));
        }
        EXPECT_EQ(tested.erase_edges(mine).applied, 40u);
        EXPECT_EQ(tested.edge_count(), 0u);
    });
}

} // namespace
} // namespace rhizome::tests
