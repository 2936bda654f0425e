// SPDX-License-Identifier: Apache-2.0
// A graph beside work on the default streams of CUDA: on one of them, or ordered with them by events.
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/find_edge.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <stream_gate.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests::on_default_streams {
namespace {

using exec::check_cuda;
using graph_type = graph::dynamic_graph<exec::cuda_space>;

constexpr std::uint32_t vertices = 1u << 14;
constexpr std::uint32_t block_threads = 256;

/// A ring through all vertices, v -> v + step, written some milliseconds late.
__global__ void write_ring_late(graph::edge* edges, std::uint32_t step) {
    for (int i = 0; i < 10'000; ++i)
        __nanosleep(256);
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) edges[v] = {v, (v + step) % vertices};
}
__global__ void count_arcs_of(graph_type::view_type view, std::uint32_t step, unsigned long long* found) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices && graph::has_edge(view, v, (v + step) % vertices)) atomicAdd(found, 1ull);
}

class default_stream : public space_test {};

/// Three batches whose edges a kernel in `users` writes before and another counts after each. `before` and
/// `after` stand between what the user's stream and the graph's are given.
template <class Before, class After>
void alternate(graph_type& tested, cudaStream_t users, Before const& before, After const& after) {
    exec::buffer<exec::cuda_space, graph::edge> edges(tested.space(), vertices);
    exec::buffer<exec::cuda_space, unsigned long long> found(tested.space(), 1);
    edges.fill_bytes(0);
    found.fill_bytes(0);
    tested.space().synchronize();
    for (std::uint32_t step = 1; step < 4; ++step) {
        write_ring_late<<<vertices / block_threads, block_threads, 0, users>>>(edges.data(), step);
        before();
        EXPECT_EQ(tested.insert_edges_in_space(edges.data(), vertices).applied, vertices) << step;
        after();
        count_arcs_of<<<vertices / block_threads, block_threads, 0, users>>>(tested.view(), step,
                                                                             found.data());
    }
    check_cuda(cudaStreamSynchronize(users), "cudaStreamSynchronize");
    EXPECT_EQ(found.to_host()[0], 3 * vertices);
    EXPECT_TRUE(tested.validate().empty());
}

TEST_F(default_stream, legacy_and_per_thread_are_taken_by_name) {
    for (cudaStream_t const stream : {cudaStreamLegacy, cudaStreamPerThread}) {
        graph_type tested(exec::cuda_space({.stream = stream}), {.vertices = vertices, .directed = true});
        alternate(
            tested, stream, [] {}, [] {});
    }
}

TEST_F(default_stream, legacy_is_that_of_plain_launches) {
    graph_type tested(exec::cuda_space({.stream = cudaStreamLegacy}),
                      {.vertices = vertices, .directed = true});
    alternate(
        tested, nullptr, [] {}, [] {});
}

TEST_F(default_stream, events_order_a_stream_of_the_spaces_own) {
    graph_type tested(exec::cuda_space(), {.vertices = vertices, .directed = true});
    exec::event<exec::cuda_space> written(tested.space());
    exec::event<exec::cuda_space> applied(tested.space());
    alternate(
        tested, nullptr,
        [&] {
            check_cuda(cudaEventRecord(written, nullptr), "cudaEventRecord");
            tested.space().wait_for(written);
        },
        [&] {
            tested.space().record(applied);
            check_cuda(cudaStreamWaitEvent(nullptr, applied, 0), "cudaStreamWaitEvent");
        });
}

/// What options say of nullptr: the space's own stream does not wait for the default stream.
TEST_F(default_stream, a_stream_of_the_spaces_own_does_not_wait_for_it) {
    graph_type tested(exec::cuda_space(), {.vertices = vertices, .directed = true, .heap_bytes = 16u << 20});
    std::vector<graph::edge> edges(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v)
        edges[v] = {v, (v + 1) % vertices};
    tested.insert_edges(edges); // memory and kernels are there
    tested.erase_edges(edges);
    stream_gate busy;
    busy.hold(nullptr);
    EXPECT_EQ(tested.insert_edges(edges).applied, vertices);
    EXPECT_FALSE(busy.gave_up());
}

} // namespace
} // namespace rhizome::tests::on_default_streams
