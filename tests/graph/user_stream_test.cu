// SPDX-License-Identifier: Apache-2.0
// A graph on a stream of its user's: everything is ordered there, nothing waits for other streams, and the
// next batch is copied while the stream is at work.
#include "runtime_calls.hpp"

#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/find_edge.hpp>

#include <gtest/gtest.h>
#include <user_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace rhizome::tests::on_user_streams {
namespace {

using exec::check_cuda;
using graph_type = graph::dynamic_graph<exec::cuda_space>;

constexpr std::uint32_t vertices = 1u << 17;

/// A ring through all vertices, v -> v + step.
__global__ void write_ring(graph::edge* edges, std::uint32_t step) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices) edges[v] = {v, (v + step) % vertices};
}
__global__ void count_ring(graph_type::view_type view, std::uint32_t step, unsigned long long* found) {
    std::uint32_t const v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < vertices && graph::has_edge(view, v, (v + step) % vertices)) atomicAdd(found, 1ull);
}
std::vector<graph::edge> ring(std::uint32_t step) {
    std::vector<graph::edge> edges(vertices);
    for (std::uint32_t v = 0; v < vertices; ++v)
        edges[v] = {v, (v + step) % vertices};
    return edges;
}

class user_stream : public on_user_stream {};

TEST_F(user_stream, orders_batches_between_kernels_of_the_user) {
    constexpr std::uint32_t blocks = vertices / 256;
    graph_type tested(space(), {.vertices = vertices, .directed = true, .heap_bytes = 64u << 20});
    exec::buffer<exec::cuda_space, graph::edge> edges(tested.space(), vertices);
    exec::buffer<exec::cuda_space, unsigned long long> found(tested.space(), 8);
    found.fill_bytes(0);
    stream_gate busy;
    for (std::uint32_t step = 1; step < 6; ++step) {
        // From the second batch on the default stream is held: by then kernels are loaded and memory is
        // there.
        if (step == 2) busy.hold(nullptr);
        delay();
        write_ring<<<blocks, 256, 0, stream>>>(edges.data(), step);
        EXPECT_EQ(tested.insert_edges_in_space(edges.data(), vertices).applied, vertices) << step;
        count_ring<<<blocks, 256, 0, stream>>>(tested.view(), step, found.data() + step);
        count_ring<<<blocks, 256, 0, stream>>>(tested.view(), step + 1, found.data());
        delay();
    }
    std::vector<unsigned long long> const counts = found.to_host();
    EXPECT_EQ(counts[0], 0u) << "an edge that was inserted later";
    for (std::uint32_t step = 1; step < 6; ++step)
        EXPECT_EQ(counts[step], vertices) << step;
    EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady) << "the default stream was not busy";
    static_cast<void>(cudaGetLastError());
    EXPECT_FALSE(busy.gave_up()) << "something waited for the default stream";
}

TEST_F(user_stream, copies_the_next_batch_while_it_is_at_work) {
    graph_type tested(space(), {.vertices = vertices});
    // 9 MiB: more than the pinned memory holds at once.
    std::vector<graph::edge> large;
    for (std::uint32_t step = 10; step < 19; ++step) {
        auto const more = ring(step);
        large.insert(large.end(), more.begin(), more.end());
    }
    { // places are as large as they have to be
        graph::staged_batch const first = tested.stage(large);
        graph::staged_batch const second = tested.stage(large);
    }
    stream_gate busy;
    busy.hold(stream);
    graph::staged_batch const ahead = tested.stage(large); // would wait for ever if it were behind the gate
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    static_cast<void>(cudaGetLastError());
    EXPECT_FALSE(busy.gave_up()) << "staging waited for the space";
    busy.open();
    EXPECT_EQ(tested.insert_edges(ahead).applied, large.size());
    auto const present = tested.has_edges(large);
    EXPECT_EQ(std::accumulate(present.begin(), present.end(), std::size_t{0}), large.size());
    EXPECT_TRUE(tested.validate().empty());
}

TEST_F(user_stream, keeps_a_place_until_those_who_read_it_are_done) {
    exec::cuda_space own = space();
    exec::staging<exec::cuda_space> places(own);
    std::vector<std::uint32_t> const first(100'000, 1);
    std::vector<std::uint32_t> const second(100'000, 2);
    std::uint64_t const bytes = first.size() * sizeof(first[0]);
    exec::buffer<exec::cuda_space, std::uint32_t> read(own, first.size());
    auto const put = [&](std::vector<std::uint32_t> const& values) {
        places.open(0, bytes);
        places.put(0, 0, values.data(), bytes);
        places.close(0);
    };
    auto const take = [&] {
        own.copy(read.data(), places.use(0), bytes);
        places.used(0);
    };
    put(first);
    take();
    stream_gate busy;
    busy.hold(stream);
    take();
    put(second); // the copy waits, the host does not
    EXPECT_FALSE(busy.gave_up());
    detail::take_a_millisecond<<<1, 1>>>();
    check_cuda(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    busy.open();
    EXPECT_TRUE(read.to_host() == first) << "overwritten too early";
    take();
    EXPECT_TRUE(read.to_host() == second) << "read too early";
}

TEST_F(user_stream, asks_the_runtime_for_one_wait_a_batch_and_for_no_memory) {
    graph_type tested(space(), {.vertices = vertices, .heap_bytes = 64u << 20});
    auto const some = ring(3);
    auto const others = ring(5);
    graph::edge* pinned = nullptr;
    check_cuda(cudaMallocHost(reinterpret_cast<void**>(&pinned), vertices * sizeof(graph::edge)),
               "cudaMallocHost");
    std::copy(some.begin(), some.end(), pinned);
    std::span<graph::edge const> const from_pinned(pinned, vertices);
    auto const round = [&] { // six batches
        {
            graph::staged_batch const staged = tested.stage(some);
            graph::staged_batch const ahead = tested.stage(others);
            tested.insert_edges(staged);
            tested.erase_edges(ahead);
        }
        tested.insert_edges(others);
        tested.erase_edges(others);
        tested.insert_edges(from_pinned);
        tested.erase_edges(from_pinned);
    };
    for (unsigned warming = 0; warming < 4; ++warming)
        round();
    std::uint64_t const charges = tested.space().budget().charges();
    std::uint64_t const waits = tested.space().waits();
    runtime_calls const before = runtime_calls_so_far();
    constexpr unsigned rounds = 10;
    for (unsigned number = 0; number < rounds; ++number)
        round();
    runtime_calls const after = runtime_calls_so_far();
    EXPECT_EQ(after.waits - before.waits, rounds * 6);
    EXPECT_EQ(tested.space().waits() - waits, rounds * 6) << "the space's own count";
    EXPECT_EQ(after.allocations - before.allocations, 0u);
    EXPECT_EQ(after.frees - before.frees, 0u);
    EXPECT_EQ(tested.space().budget().charges() - charges, 0u);
    EXPECT_TRUE(tested.validate().empty());
    cudaFreeHost(pinned);
}

} // namespace
} // namespace rhizome::tests::on_user_streams
