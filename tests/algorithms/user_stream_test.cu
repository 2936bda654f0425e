// SPDX-License-Identifier: Apache-2.0
// Algorithms on a stream of the user's, between kernels of the user.
#include "cases.hpp"
#include "oracles.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>

#include <gtest/gtest.h>
#include <user_stream.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

constexpr std::uint32_t block_threads = 256;

__global__ void copy_edges(graph::edge const* from, graph::edge* to, std::uint32_t count) {
    std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}
__global__ void add_ranks(double const* ranks, std::uint64_t count, double* sum) {
    if (blockIdx.x == 0 && threadIdx.x == 0)
        for (std::uint64_t v = 0; v < count; ++v)
            *sum += ranks[v];
}

class user_stream_algorithms : public tests::on_user_stream {};

TEST_F(user_stream_algorithms, run_between_kernels_of_the_user) {
    constexpr unsigned rounds = 5;
    auto const list = skewed_edges(700, 20'000, 3);
    auto const count = static_cast<std::uint32_t>(list.edges.size());
    auto const arcs = plain(list.vertices, list.edges, false);
    auto const triangles = triangles_by_sets(arcs);
    algorithms::pagerank_options const fixed{.damping = 0.9, .tolerance = 0, .max_iterations = 12};
    auto const expected = rank_plainly(arcs, fixed);

    tested_graph<exec::cuda_space> graph(space(), {.vertices = list.vertices, .heap_bytes = 64u << 20});
    algorithms::pagerank<double, exec::cuda_space> pagerank(graph.space());
    algorithms::triangle_counter<exec::cuda_space> counter(graph.space());
    exec::buffer<exec::cuda_space, graph::edge> const source(graph.space(), list.edges);
    exec::buffer<exec::cuda_space, graph::edge> edges(graph.space(), count);
    exec::buffer<exec::cuda_space, double> sums(graph.space(), rounds);
    sums.fill_bytes(0);
    hold_the_default_stream(rounds, [&](unsigned round) {
        edges.fill_bytes(0xff);
        delay();
        copy_edges<<<count / block_threads + 1, block_threads, 0, stream>>>(source.data(), edges.data(),
                                                                            count);
        EXPECT_EQ(graph.insert_edges_in_space(edges.data(), count).rejected, 0u);
        delay();
        auto const result = pagerank.run(graph.view(), fixed);
        add_ranks<<<1, 32, 0, stream>>>(result.ranks, result.vertices, sums.data() + round);
        EXPECT_EQ(counter.count(graph.view()), triangles);
        auto const ranks = result.ranks_on_host();
        ASSERT_EQ(ranks.size(), expected.ranks.size());
        for (std::size_t v = 0; v < ranks.size(); ++v)
            ASSERT_NEAR(ranks[v], expected.ranks[v], 1e-13) << v;
        EXPECT_EQ(graph.erase_edges_in_space(edges.data(), count).rejected, 0u);
        EXPECT_EQ(counter.count(graph.view()), 0u);
    });
    for (double const sum : sums.to_host())
        EXPECT_NEAR(sum, 1.0, 1e-12);
}

} // namespace
} // namespace rhizome::tests
