// SPDX-License-Identifier: Apache-2.0
// A kernel as a lambda: one call for each vertex, on the device where nvcc compiles this file.
// Prints how many edges join vertices of the same colour, before and after such edges are erased.
#include "space.hpp"

#include <rhizome/rhizome.hpp> // nvcc: --extended-lambda

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

/// How many edges join two even or two odd vertices. An undirected edge is two arcs.
template <class Graph>
std::uint64_t edges_within(Graph& graph) {
    rhizome::exec::buffer<examples::space, std::uint32_t> within(graph.space(), graph.vertex_count());
    within.fill_bytes(0);
    std::uint32_t* const counts = within.data();
    auto const view = graph.view();
    rhizome::for_each_vertex(graph, [=] RZ_LAMBDA(rhizome::vertex_id v) {
        auto const row = view.neighbours(v);
        for (std::uint64_t i = 0; i < row.size(); ++i)
            counts[v] += row[i] % 2 == v % 2 ? 1 : 0;
    });
    std::uint64_t arcs = 0;
    for (std::uint32_t const count : within.to_host())
        arcs += count;
    return arcs / 2;
}

} // namespace

int main() {
    rhizome::dynamic_graph<examples::space> graph(examples::open_space(), {.vertices = 100});
    std::vector<rhizome::edge> edges;
    std::vector<rhizome::edge> even;
    for (std::uint32_t v = 0; v < 100; ++v) {
        edges.push_back({v, (v + 1) % 100});
        if (v % 10 == 0) even.push_back({v, (v + 4) % 100});
    }
    graph.insert_edges(edges);
    graph.insert_edges(even);
    std::printf("%d edges within a colour\n", static_cast<int>(edges_within(graph)));
    graph.erase_edges(even);
    std::printf("%d edges within a colour\n", static_cast<int>(edges_within(graph)));
    return 0;
}
