// SPDX-License-Identifier: Apache-2.0
// Batches of a graph whose device has no memory left, and beside errors that the user has not read yet.
#include <rhizome/exec/cuda.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <used_up_memory.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::tests::on_full_memory {
namespace {

using graph_type = graph::dynamic_graph<exec::cuda_space>;

constexpr std::uint32_t vertices = 1u << 16;

/// A ring through all vertices, v -> v + step.
std::vector<graph::edge> ring(std::uint32_t step) {
    std::vector<graph::edge> edges(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v)
        edges[v] = {v, (v + step) % vertices};
    return edges;
}

class full_memory : public space_test {};

// Loading sorts; nothing that small batches launch has run before memory is used up.
TEST_F(full_memory, small_batches_need_none) {
    graph_type tested(exec::cuda_space(), {.vertices = vertices, .heap_bytes = 64u << 20});
    std::vector<graph::edge> const edges = ring(1);
    std::vector<graph::edge> const others = ring(2);
    ASSERT_EQ(tested.insert_edges(edges).applied, vertices);
    std::size_t const some = vertices / 8;
    {
        used_up_memory const full;
        ASSERT_GT(full.pieces(), 0u);
        EXPECT_EQ(tested.erase_edges(std::span(edges).first(some)).applied, some);
        EXPECT_EQ(tested.insert_edges(std::span(others).first(some)).applied, some);
        EXPECT_EQ(tested.erase_edges(std::span(others).first(some)).applied, some);
    }
    EXPECT_EQ(tested.edge_count(), vertices - some);
    EXPECT_TRUE(tested.validate().empty());
}

/// A batch that is refused for lack of memory leaves the graph whole, and the next one works.
TEST_F(full_memory, a_refused_batch_breaks_nothing) {
    graph_type tested(exec::cuda_space(), {.vertices = vertices, .heap_bytes = 4u << 20});
    ASSERT_EQ(tested.insert_edges(ring(1)).applied, vertices);
    std::vector<graph::edge> large;
    for (std::uint32_t step = 2; step < 100; ++step) {
        auto const more = ring(step);
        large.insert(large.end(), more.begin(), more.end());
    }
    {
        used_up_memory const full;
        EXPECT_THROW(tested.insert_edges(large), exec::out_of_memory);
        EXPECT_EQ(tested.edge_count(), vertices);
    }
    EXPECT_TRUE(tested.validate().empty());
    EXPECT_EQ(tested.insert_edges(large).applied, large.size());
    EXPECT_TRUE(tested.validate().empty());
}

TEST_F(full_memory, unread_errors_of_the_user_break_no_batch_and_stay) {
    graph_type tested(exec::cuda_space(), {.vertices = vertices});
    void* never = nullptr;
    ASSERT_EQ(cudaMalloc(&never, std::size_t{1} << 60), cudaErrorMemoryAllocation);
    std::vector<graph::edge> const edges = ring(1);
    EXPECT_EQ(tested.insert_edges(edges).applied, vertices); // sorts
    EXPECT_EQ(tested.insert_edges(ring(2)).applied, vertices);
    EXPECT_EQ(tested.erase_edges(std::span(edges).first(1000)).applied, 1000u);
    EXPECT_EQ(tested.snapshot().view().vertex_count(), vertices);
    EXPECT_TRUE(tested.validate().empty());
    EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
}

} // namespace
} // namespace rhizome::tests::on_full_memory
