// SPDX-License-Identifier: Apache-2.0
// A graph from a file, and what algorithms find in it. io recognises the format by its content.
// Prints PageRank, triangles, components and the largest core number of a small METIS file.
#include "space.hpp"

#include <rhizome/rhizome.hpp>

#include <cstdio>
#include <fstream>

int main() {
    char const* const path = "load_and_rank.graph";
    std::ofstream(path) << "6 5\n2 3\n1 3\n1 2 4\n3 5\n4\n\n"; // a triangle, a tail, and a vertex alone

    auto graph = rhizome::load_graph(examples::open_space(), path);
    std::printf("%llu vertices, %llu edges\n", static_cast<unsigned long long>(graph.vertex_count()),
                static_cast<unsigned long long>(graph.edge_count()));
    auto const found = rhizome::pagerank(graph, {.tolerance = 1e-9});
    std::printf("ranks");
    for (double const rank : found.ranks.to_host())
        std::printf(" %.4f", rank);
    std::printf("\n%llu triangle(s)", static_cast<unsigned long long>(rhizome::count_triangles(graph)));
    std::printf(", %llu components",
                static_cast<unsigned long long>(rhizome::connected_components(graph).count));
    std::printf(", largest core number %u\n", rhizome::core_numbers(graph).largest);
    std::remove(path);
    return 0;
}
