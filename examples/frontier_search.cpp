// SPDX-License-Identifier: Apache-2.0
// A search by lambdas: advance() follows the arcs of a frontier, a list of vertices, and the lambda says
// which of their targets are new. filter_vertices() lists the vertices that a lambda accepts. Prints how many
// people hear a rumour on each day if everyone tells it to those they know, and how many never do.
#include "space.hpp"

#include <rhizome/rhizome.hpp> // nvcc: --extended-lambda

#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using rhizome::vertex_id;
using people = rhizome::frontier<examples::space>;

template <class Graph>
void spread(Graph& graph, vertex_id first) {
    std::vector<std::uint32_t> at_first(graph.vertex_count(), 0); // 0: has not heard it
    at_first[first] = 1;
    rhizome::exec::buffer<examples::space, std::uint32_t> days(graph.space(), at_first);
    std::uint32_t* const heard = days.data();
    people tellers(graph.space(), std::vector<vertex_id>{first});
    people listeners(graph.space());
    for (std::uint32_t day = 2; !tellers.empty(); ++day) {
        std::printf("day %u: %d\n", day - 1, static_cast<int>(tellers.size()));
        // Several tell it to v at a time: one of them wins, so that v is listed once.
        auto const tell = [=] RZ_LAMBDA(auto const& thread, vertex_id, vertex_id v) {
            std::uint32_t never = 0;
            return thread.device(heard[v]).compare_exchange(never, day, rhizome::exec::order::relaxed);
        };
        rhizome::advance(graph, tellers, listeners, tell);
        swap(tellers, listeners);
    }
    people others(graph.space());
    rhizome::filter_vertices(graph, others, [=] RZ_LAMBDA(vertex_id v) { return heard[v] == 0; });
    std::printf("never: %d\n", static_cast<int>(others.size()));
}

} // namespace

int main() {
    rhizome::dynamic_graph<examples::space> graph(examples::open_space(), {.vertices = 10'000});
    std::vector<rhizome::edge> known;
    for (vertex_id v = 1; v < 9'000; ++v) { // the last 1,000 vertices have no edges
        known.push_back({v, v / 8});
        known.push_back({v, v / 5});
    }
    graph.insert_edges(known);
    spread(graph, 0);
    return 0;
}
