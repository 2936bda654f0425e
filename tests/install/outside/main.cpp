// SPDX-License-Identifier: Apache-2.0
// A program outside of Rhizome: makes a graph on the host, inserts one batch and counts its triangles.
#include <rhizome/rhizome.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    rhizome::host_space space; // where the graph lies and kernels run; on a GPU: rhizome::cuda_space
    rhizome::dynamic_graph<rhizome::host_space> graph(space, {.vertices = 4});
    std::vector<rhizome::edge> const edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}};
    bool const inserted = graph.insert_edges(edges).applied == 4;

    std::uint64_t const triangles = rhizome::count_triangles(graph);
    std::printf("%llu triangle(s)\n", static_cast<unsigned long long>(triangles));
    return inserted && triangles == 1 ? 0 : 1;
}
