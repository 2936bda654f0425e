// SPDX-License-Identifier: Apache-2.0
// Thrust, CUB and a graph on one stream: Thrust writes the edges, the graph inserts them, CUB and Thrust
// reduce the degrees. All three work in the order of the stream, so they need no waits between them. CUDA
// only. Prints the number of edges, the sum of all degrees (CUB) and the largest degree (Thrust).
#include "space.hpp"

#include <rhizome/graph/dynamic_graph.hpp>

#include <cub/device/device_reduce.cuh>
#include <cuda_runtime.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sequence.h>
#include <thrust/tabulate.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

/// Edge i of a star around vertex 0. i < rays: the ray {0, i + 1}. i >= rays: an edge between the ends of two
/// neighbouring rays, {i - rays + 1, i - rays + 2}.
struct make_edge {
    std::uint32_t rays;
    __device__ rhizome::graph::edge operator()(std::uint32_t i) const {
        return i < rays ? rhizome::graph::edge{0, i + 1} : rhizome::graph::edge{i - rays + 1, i - rays + 2};
    }
};

} // namespace

int main() {
    cudaStream_t stream = nullptr;
    if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) stream = nullptr;
    {
        constexpr std::uint32_t rays = 10'000;
        // The space gets this stream as an option, Thrust by par.on(), CUB as an argument.
        rhizome::graph::dynamic_graph<examples::space> g(examples::open_space({.stream = stream}),
                                                         {.vertices = rays + 1});
        auto const on_stream = thrust::cuda::par.on(stream);

        thrust::device_vector<rhizome::graph::edge> edges(rays + 100);
        thrust::tabulate(on_stream, edges.begin(), edges.end(), make_edge{rays});
        g.insert_edges_in_space(thrust::raw_pointer_cast(edges.data()), edges.size());

        thrust::device_vector<std::uint32_t> ids(rays + 1);
        thrust::device_vector<std::uint32_t> degrees(rays + 1);
        thrust::sequence(on_stream, ids.begin(), ids.end());
        auto* const first = thrust::raw_pointer_cast(degrees.data());
        g.degrees_in_space(thrust::raw_pointer_cast(ids.data()), ids.size(), first);

        thrust::device_vector<std::uint32_t> sum(1);
        std::size_t bytes = 0;
        cub::DeviceReduce::Sum(nullptr, bytes, first, sum.data(), rays + 1, stream);
        thrust::device_vector<unsigned char> scratch(bytes);
        cub::DeviceReduce::Sum(thrust::raw_pointer_cast(scratch.data()), bytes, first, sum.data(), rays + 1,
                               stream);
        std::uint32_t const largest =
            thrust::reduce(on_stream, degrees.begin(), degrees.end(), 0u, thrust::maximum<std::uint32_t>());
        cudaStreamSynchronize(stream);
        std::printf("edges %llu, degrees sum up to %u, largest %u\n",
                    static_cast<unsigned long long>(g.edge_count()), static_cast<std::uint32_t>(sum[0]),
                    largest);
    }
    if (stream != nullptr) cudaStreamDestroy(stream);
    return 0;
}
