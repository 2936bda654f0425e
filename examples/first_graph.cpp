// SPDX-License-Identifier: Apache-2.0
// Makes a graph, inserts and erases edges in batches, counts triangles and runs PageRank.
// The same source runs on the cores of the host (g++, clang++) and on a GPU (nvcc): space.hpp chooses.
// Prints what each batch changed, the number of triangles, and the ranks.
#include "space.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    using examples::space;
    using edge = rhizome::graph::edge;
    using graph = rhizome::graph::dynamic_graph<space>;
    auto const number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };

    graph g(examples::open_space(), {.vertices = 6}); // undirected, no edges yet
    // A wheel: vertex 0 in the middle, 1 to 5 around it. The batch repeats one edge.
    std::vector<edge> const wheel = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 2},
                                     {2, 3}, {3, 4}, {4, 5}, {5, 1}, {5, 4}};
    rhizome::graph::batch_report const inserted = g.insert_edges(wheel);
    std::printf("inserted %llu edges, %llu repeated\n", number(inserted.applied),
                number(inserted.duplicates));

    rhizome::algorithms::triangle_counter<space> triangles(g.space());
    std::printf("%llu triangles\n", number(triangles.count(g.view())));

    std::vector<edge> const spokes = {{0, 1}, {0, 2}, {1, 3}};
    rhizome::graph::batch_report const erased = g.erase_edges(spokes);
    std::printf("erased %llu edges, %llu were absent\n", number(erased.applied),
                number(erased.without_effect));
    std::printf("%llu edges, %llu triangles\n", number(g.edge_count()), number(triangles.count(g.view())));

    rhizome::algorithms::pagerank<double, space> pagerank(g.space());
    auto const result = pagerank.run(g.view(), {.damping = 0.85, .tolerance = 1e-9});
    std::printf("ranks");
    for (double const rank : result.ranks_on_host())
        std::printf(" %.4f", rank);
    std::printf("\n");
    return 0;
}
