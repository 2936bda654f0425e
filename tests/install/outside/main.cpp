// SPDX-License-Identifier: Apache-2.0
// A program outside of Rhizome: makes a graph on the host, inserts one batch and counts its triangles.
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/host.hpp> // on a GPU: exec/cuda.hpp, and exec::cuda_space below
#include <rhizome/graph/dynamic_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    using space = rhizome::exec::host_space; // where the graph lives and kernels run
    rhizome::graph::dynamic_graph<space> graph(space(), {.vertices = 4});
    std::vector<rhizome::graph::edge> const edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
    bool const inserted = graph.insert_edges(edges).applied == 4;

    rhizome::algorithms::triangle_counter<space> triangles(graph.space());
    std::uint64_t const found = triangles.count(graph.view());
    std::printf("%llu triangle(s)\n", static_cast<unsigned long long>(found));
    return inserted && found == 1 ? 0 : 1;
}
