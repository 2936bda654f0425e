// SPDX-License-Identifier: Apache-2.0
// Graphs over ranks: how they begin, and lambdas over what a rank owns. More of them: tests/graph/partition.
#include "failing_space.hpp"

#include <rhizome/comm/threads.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/for_each.hpp>
#include <rhizome/graph/partition/partitioned_graph.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Graph>
concept sets_ids_of_whole = requires(Graph& graph) {
    graph.set_ids_of_whole(1);
};
static_assert(!sets_ids_of_whole<graph::dynamic_graph<exec::host_space>>,
              "only a part of a graph has a whole");

using failing_host = failing_space<exec::host_space>;

/// A rank that cannot reserve address space for the table of erased vertices refuses at once; the others need
/// not wait for it until the time limit.
TEST(graph_over_ranks, that_one_rank_cannot_begin_begins_on_none) {
    constexpr int ranks = 3;
    std::vector<failing_host> spaces;
    for (int rank = 0; rank < ranks; ++rank)
        spaces.emplace_back(exec::host_space({.threads = 1}));
    spaces[1].plan().refuse_region("erased vertices");
    std::atomic<int> refused = 0;
    comm::run_ranks(spaces,
                    [&](comm::communicator<failing_host>& self) {
                        using graph_type = graph::partitioned_graph<failing_host>;
                        try {
                            graph_type const graph(self, graph::modulo_owners(ranks), {.vertices = 10});
                            ADD_FAILURE() << "rank " << self.rank() << " has begun";
                        } catch (exec::out_of_memory const&) {
                            EXPECT_EQ(self.rank(), 1);
                            ++refused;
                        } catch (graph::refused_by_rank const& error) {
                            EXPECT_NE(self.rank(), 1);
                            EXPECT_EQ(error.rank(), 1);
                            ++refused;
                        }
                    },
                    {.time_limit = std::chrono::milliseconds(2000)});
    EXPECT_EQ(refused, ranks);
}

template <class EdgeValue>
void expect_each_rank_visits_what_it_owns() {
    constexpr int ranks = 2;
    constexpr graph::vertex_id vertices = 30;
    std::vector<std::atomic<int>> visits(vertices);
    std::vector<std::atomic<int>> arcs(vertices); // by target
    std::vector<exec::host_space> spaces;
    for (int rank = 0; rank < ranks; ++rank)
        spaces.emplace_back(exec::host_options{.threads = 1});
    comm::run_ranks(spaces, [&](comm::communicator<exec::host_space>& self) {
        graph::partitioned_graph<exec::host_space, graph::modulo_owners, EdgeValue> graph(
            self, graph::modulo_owners(ranks), {.vertices = vertices, .directed = true});
        std::vector<graph::edge> path;
        if (self.rank() == 0)
            for (graph::vertex_id v = 0; v + 1 < vertices; ++v)
                path.push_back({v, v + 1});
        if constexpr (std::is_void_v<EdgeValue>)
            graph.insert_edges(path);
        else
            graph.insert_edges(path, std::vector<EdgeValue>(path.size(), 7));
        graph.erase_vertices(self.rank() == 0 ? std::vector<graph::vertex_id>{20}
                                              : std::vector<graph::vertex_id>{});
        graph::for_each_vertex(graph, [&](graph::vertex_id v) {
            EXPECT_TRUE(graph.owns(v));
            ++visits[v];
        });
        auto const visit = [&](graph::vertex_id u, graph::vertex_id v) {
            EXPECT_TRUE(graph.owns(u));
            EXPECT_EQ(u + 1, v);
            ++arcs[v];
        };
        if constexpr (std::is_void_v<EdgeValue>)
            graph::for_each_arc(graph, visit);
        else
            graph::for_each_arc(graph, [&](graph::vertex_id u, graph::vertex_id v, EdgeValue value) {
                EXPECT_EQ(value, 7);
                visit(u, v);
            });
        graph.space().synchronize();
    });
    for (graph::vertex_id v = 0; v < vertices; ++v) {
        EXPECT_EQ(visits[v], v == 20 ? 0 : 1) << v;
        EXPECT_EQ(arcs[v], v == 0 || v == 20 || v == 21 ? 0 : 1) << v;
    }
}

TEST(graph_over_ranks, lambdas_visit_what_the_rank_owns) {
    expect_each_rank_visits_what_it_owns<void>();
    expect_each_rank_visits_what_it_owns<double>();
}

} // namespace
} // namespace rhizome::tests
