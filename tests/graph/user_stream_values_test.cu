// SPDX-License-Identifier: Apache-2.0
// A graph on a stream of its user's: edges with values, and vertices that come and go, between kernels of the
// user.
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/find_edge.hpp>

#include <gtest/gtest.h>
#include <user_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::tests::of_values_on_user_streams {
namespace {

using weighted_graph = graph::dynamic_graph<exec::cuda_space, graph::contiguous,
                                            graph::default_allocator<exec::cuda_space>, double>;
using plain_graph = graph::dynamic_graph<exec::cuda_space>;

constexpr std::uint32_t vertices = 1u << 15;
constexpr std::uint32_t block_threads = 256;
constexpr std::uint32_t blocks = vertices / block_threads;

__host__ __device__ double value_of(std::uint32_t v, std::uint32_t step) {
    return static_cast<double>(v % 1000 + 1000 * step);
}
__global__ void write_ring(graph::edge* edges, double* values, std::uint32_t step) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    edges[v] = {v, (v + 1) % vertices};
    if (values != nullptr) values[v] = value_of(v, step);
}
/// Arcs of the ring that have the value of this step.
__global__ void count_values(weighted_graph::view_type view, std::uint32_t step, unsigned long long* found) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    auto const row = view.neighbours(v);
    auto const values = view.values(v);
    for (std::uint64_t i = 0; i < row.size(); ++i)
        if (row[i] == (v + 1) % vertices && values[i] == value_of(v, step)) atomicAdd(found, 1ull);
}
/// Live vertices, and edges of the ring.
__global__ void count_ring(plain_graph::view_type view, unsigned long long* live, unsigned long long* edges) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= vertices) return;
    if (view.is_live(v)) atomicAdd(live, 1ull);
    if (graph::has_edge(view, v, (v + 1) % vertices)) atomicAdd(edges, 1ull);
}

class user_stream_values : public on_user_stream {};
class user_stream_vertices : public on_user_stream {};

TEST_F(user_stream_values, are_ordered_between_kernels_of_the_user) {
    constexpr unsigned rounds = 6;
    weighted_graph tested(space(), {.vertices = vertices, .directed = true, .heap_bytes = 64u << 20});
    exec::buffer<exec::cuda_space, graph::edge> edges(tested.space(), vertices);
    exec::buffer<exec::cuda_space, double> values(tested.space(), vertices);
    exec::buffer<exec::cuda_space, unsigned long long> found(tested.space(), 2 * rounds);
    found.fill_bytes(0);
    hold_the_default_stream(rounds, [&](unsigned round) {
        delay();
        write_ring<<<blocks, block_threads, 0, stream>>>(edges.data(), values.data(), 2 * round);
        EXPECT_EQ(tested.insert_edges_in_space(edges.data(), values.data(), vertices).applied, vertices);
        count_values<<<blocks, block_threads, 0, stream>>>(tested.view(), 2 * round,
                                                           found.data() + 2 * round);
        delay();
        write_ring<<<blocks, block_threads, 0, stream>>>(edges.data(), values.data(), 2 * round + 1);
        EXPECT_EQ(tested.insert_edges_in_space(edges.data(), values.data(), vertices).updated, vertices);
        count_values<<<blocks, block_threads, 0, stream>>>(tested.view(), 2 * round + 1,
                                                           found.data() + 2 * round + 1);
        EXPECT_EQ(tested.erase_edges_in_space(edges.data(), vertices).applied, vertices);
    });
    EXPECT_EQ(found.to_host(), std::vector<unsigned long long>(2 * rounds, vertices));
    EXPECT_EQ(tested.edge_count(), 0u);
    EXPECT_TRUE(tested.validate().empty());
}

TEST_F(user_stream_values, come_from_the_host_and_go_there) {
    weighted_graph tested(space(), {.vertices = vertices, .heap_bytes = 64u << 20});
    exec::buffer<exec::cuda_space, unsigned long long> found(tested.space(), 1);
    hold_the_default_stream(6, [&](unsigned round) {
        std::vector<graph::edge> edges;
        std::vector<double> values;
        for (std::uint32_t v = 0; v < vertices; ++v) {
            edges.push_back({v, (v + 1) % vertices});
            values.push_back(value_of(v, round));
        }
        found.fill_bytes(0);
        delay();
        if (round % 2 == 0) {
            EXPECT_EQ(tested.insert_edges(edges, values).applied, vertices);
        } else {
            EXPECT_EQ(tested.insert_edges(tested.stage(edges, values)).updated, vertices);
        }
        count_values<<<blocks, block_threads, 0, stream>>>(tested.view(), round, found.data());
        EXPECT_EQ(found.to_host()[0], vertices);
        auto const there = tested.edge_values(edges);
        EXPECT_TRUE(there.values == values);
        EXPECT_TRUE(there.present == std::vector<std::uint8_t>(vertices, 1));
        if (round % 2 == 1) {
            EXPECT_EQ(tested.erase_edges(edges).applied, vertices);
        }
    });
    EXPECT_TRUE(tested.validate().empty());
}

TEST_F(user_stream_vertices, come_and_go_between_kernels_of_the_user) {
    constexpr unsigned rounds = 6;
    constexpr std::uint32_t step = 8; // no two of those erased are neighbours
    constexpr std::uint64_t gone = vertices / step;
    plain_graph tested(space(), {.vertices = vertices, .heap_bytes = 64u << 20});
    std::vector<graph::vertex_id> ids;
    for (std::uint32_t v = 3; v < vertices; v += step)
        ids.push_back(v);
    exec::buffer<exec::cuda_space, graph::edge> edges(tested.space(), vertices);
    exec::buffer<exec::cuda_space, unsigned long long> counts(tested.space(), 4 * rounds);
    counts.fill_bytes(0);
    hold_the_default_stream(rounds, [&](unsigned round) {
        unsigned long long* const at = counts.data() + std::size_t{4} * round;
        delay();
        write_ring<<<blocks, block_threads, 0, stream>>>(edges.data(), nullptr, 0);
        // What is left of the last round is there already.
        EXPECT_EQ(tested.insert_edges_in_space(edges.data(), vertices).applied,
                  round == 0 ? vertices : 2 * gone);
        delay();
        EXPECT_EQ(tested.erase_vertices(ids), (graph::vertex_report{gone, 0, 0, 2 * gone}));
        count_ring<<<blocks, block_threads, 0, stream>>>(tested.view(), at, at + 1);
        delay();
        EXPECT_EQ(tested.insert_vertices(gone).size(), gone);
        count_ring<<<blocks, block_threads, 0, stream>>>(tested.view(), at + 2, at + 3);
    });
    std::vector<unsigned long long> wanted;
    for (unsigned round = 0; round < rounds; ++round)
        wanted.insert(wanted.end(), {vertices - gone, vertices - 2 * gone, vertices, vertices - 2 * gone});
    EXPECT_EQ(counts.to_host(), wanted);
    EXPECT_EQ(tested.vertex_count(), vertices) << "the ids were used again";
    EXPECT_TRUE(tested.validate().empty());
}

} // namespace
} // namespace rhizome::tests::of_values_on_user_streams
