// SPDX-License-Identifier: Apache-2.0
// Edges with values, and questions about edges: a small network of one-way roads with lengths in km.
// Values lie beside the neighbours. Inserting an edge that is there already gives it the new value.
// Prints the answers to batched queries, and how many edges are erased together with a vertex (a closed
// junction).
#include "space.hpp"

#include <rhizome/graph/dynamic_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

int main() {
    using examples::space;
    using edge = rhizome::graph::edge;
    using graph = rhizome::graph::weighted_graph<space, double>;
    auto const number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };

    graph roads(examples::open_space(), {.vertices = 4, .directed = true, .in_arcs = true});
    std::vector<edge> const edges = {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 0}};
    std::vector<double> const lengths = {1.5, 2.0, 4.0, 0.5, 3.0};
    roads.insert_edges(edges, lengths);
    auto const report = roads.insert_edges(std::vector<edge>{{0, 1}, {0, 3}}, std::vector<double>{1.25, 6.0});
    std::printf("applied %llu, updated %llu\n", number(report.applied), number(report.updated));

    // One call answers a whole batch of questions, in their order.
    std::vector<edge> const asked = {{0, 1}, {1, 0}, {2, 3}};
    auto const found = roads.edge_values(asked);
    for (std::size_t i = 0; i < asked.size(); ++i)
        if (found.present[i] != 0)
            std::printf("road %u -> %u: %.2f km\n", asked[i].source, asked[i].target, found.values[i]);
        else
            std::printf("road %u -> %u: none\n", asked[i].source, asked[i].target);

    std::vector<std::uint32_t> const ids = {2, 0};
    auto const lists = roads.neighbours_of(ids);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        std::printf("from %u:", ids[i]);
        for (std::size_t k = 0; k < lists.of(i).size(); ++k)
            std::printf(" %u (%.2f km)", lists.of(i)[k], lists.values_of(i)[k]);
        std::printf("\n");
    }

    std::vector<std::uint32_t> const closed = {3};
    auto const gone = roads.erase_vertices(closed); // with all edges, in both directions
    std::printf("erased %llu vertex and %llu edges\n", number(gone.erased), number(gone.edges));
    std::vector<std::uint32_t> const opened = roads.insert_vertices(1); // ids of erased vertices first
    std::printf("new vertex %u, degree %u\n", opened[0], roads.degrees(opened)[0]);
    return 0;
}
