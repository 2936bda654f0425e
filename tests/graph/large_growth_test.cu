// SPDX-License-Identifier: Apache-2.0
// A heap of 2 MiB grows by itself through a stream that needs more than 4 GiB, to the same graph as a large
// one. Only on a GPU: elsewhere the streams of dynamic_graph_test show the same with smaller numbers.
#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/random.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <cstdio>

namespace rhizome::tests::of_large_growth {
namespace {

using allocator =
    alloc::ouroboros<exec::cuda_space, alloc::page_based, alloc::array_queue, alloc::fine_classes<>>;
using graph_type = graph::dynamic_graph<exec::cuda_space, graph::contiguous, allocator>;

struct random_edges {
    graph::edge* edges;
    std::uint64_t count;
    std::uint64_t first;
    std::uint32_t vertices; ///< a power of two

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            std::uint64_t const bits = exec::scramble((first + i) * 0x9e3779b97f4a7c15ull + 1);
            edges[i] = {static_cast<graph::vertex_id>(bits & (vertices - 1)),
                        static_cast<graph::vertex_id>((bits >> 32) & (vertices - 1))};
        });
    }
};

struct count_differences {
    graph::csr_view left;
    graph::csr_view right;
    std::uint64_t* differences;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t found = 0;
        exec::for_each_item(thread, left.vertex_count(), [&](std::uint64_t v) {
            graph::neighbour_range const a = left.neighbours(static_cast<graph::vertex_id>(v));
            graph::neighbour_range const b = right.neighbours(static_cast<graph::vertex_id>(v));
            found += a.size() != b.size() ? 1 : 0;
            for (std::uint64_t i = 0; i < a.size() && i < b.size(); ++i)
                found += a[i] != b[i] ? 1 : 0;
        });
        if (found != 0) thread.device(*differences).fetch_add(found, exec::order::relaxed);
    }
};

class large_growth : public space_test {};

/// Streams `batches` batches of 2^23 edges into the graph.
void stream(graph_type& graph, exec::buffer<exec::cuda_space, graph::edge>& edges, std::uint32_t vertices,
            int batches) {
    for (int batch = 0; batch < batches; ++batch) {
        launch(graph.space(), cover_threads(graph.space(), edges.size()),
               random_edges{edges.data(), edges.size(), static_cast<std::uint64_t>(batch) * edges.size(),
                            vertices});
        graph::batch_report const report = graph.insert_edges_in_space(edges.data(), edges.size());
        ASSERT_EQ(report.total(), edges.size());
    }
}

TEST_F(large_growth, a_small_heap_grows_through_four_gibibytes) {
    exec::cuda_space space;
    std::uint64_t const needed_bytes = 32ull << 30;
    if (space.memory_bytes() < 2 * needed_bytes)
        return tests::end_without(tests::gpu_memory_is_required(),
                                  "the device has less than 64 GiB of memory");
    std::uint32_t const vertices = 1u << 22;
    int const batches = 72;
    exec::buffer<exec::cuda_space, graph::edge> edges(space, 1u << 23);
    graph_type small(space, {.vertices = vertices, .heap_bytes = 2u << 20});
    graph_type large(space, {.vertices = vertices, .heap_bytes = 24ull << 30});
    EXPECT_EQ(small.allocator().heap_bytes(), 2u << 20);
    stream(small, edges, vertices, batches);
    stream(large, edges, vertices, batches);
    EXPECT_GE(small.memory().adjacency_bytes, 4ull << 30);
    EXPECT_EQ(large.allocator().heap_bytes(), 24ull << 30) << "the large heap is to need no growth";
    EXPECT_TRUE(small.validate().empty());
    EXPECT_TRUE(large.validate().empty());
    EXPECT_EQ(small.edge_count(), large.edge_count());
    auto const left = small.snapshot();
    auto const right = large.snapshot();
    exec::buffer<exec::cuda_space, std::uint64_t> differences(space, 1);
    differences.fill_bytes(0);
    launch(space, cover_threads(space, vertices),
           count_differences{left.view(), right.view(), differences.data()});
    EXPECT_EQ(differences.to_host()[0], 0u);
    std::printf("edges %llu, adjacency %.2f GiB, small heap grew to %.2f GiB\n",
                static_cast<unsigned long long>(small.edge_count()),
                static_cast<double>(small.memory().adjacency_bytes) / (1 << 30),
                static_cast<double>(small.allocator().heap_bytes()) / (1 << 30));
}

} // namespace
} // namespace rhizome::tests::of_large_growth
