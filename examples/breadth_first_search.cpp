// SPDX-License-Identifier: Apache-2.0
// A kernel of your own on the graph: breadth-first search, one level per launch, one warp per vertex.
// A view is what a kernel sees of a graph. Making one takes no memory. It is valid until the graph changes.
// Prints how far the farthest vertex is from vertex 0, before and after one edge is inserted.
#include "space.hpp"

#include <rhizome/graph/dynamic_graph.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

constexpr std::uint32_t unreached = 0xffff'ffff;
using rhizome::exec::order::relaxed;

/// Gives `level` to every unreached neighbour of the frontier and lists it in `next`.
template <class View>
struct expand_frontier {
    View view;
    std::uint32_t const* frontier;
    std::uint32_t frontier_size;
    std::uint32_t level;
    std::uint32_t* distances;
    std::uint32_t* next;
    std::uint32_t* next_size;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        rhizome::exec::for_each_group_item(warp, frontier_size, [&](std::uint64_t i) {
            auto const neighbours = view.neighbours(frontier[i]);
            // Each lane of the warp visits some of the neighbours.
            neighbours.for_each(warp, 0, neighbours.size(), [&](std::uint64_t, std::uint32_t v) {
                std::uint32_t expected = unreached;
                if (!thread.device(distances[v]).compare_exchange(expected, level, relaxed)) return;
                next[thread.device(*next_size).fetch_add(1u, relaxed)] = v;
            });
        });
    }
};

template <class Graph>
std::vector<std::uint32_t> distances_from(Graph& g, std::uint32_t source) {
    auto const view = g.view();
    using buffer = rhizome::exec::buffer<examples::space, std::uint32_t>;
    buffer distances(g.space(), view.vertex_count());
    buffer frontier(g.space(), view.vertex_count());
    buffer next(g.space(), view.vertex_count());
    buffer next_size(g.space(), 1);
    distances.fill_bytes(0xff); // unreached
    std::uint32_t const zero = 0;
    g.space().copy_in(distances.data() + source, &zero, sizeof(zero));
    g.space().copy_in(frontier.data(), &source, sizeof(source));
    for (std::uint32_t size = 1, level = 1; size != 0; ++level) {
        next_size.fill_bytes(0);
        launch(g.space(), rhizome::exec::cover_tiles<32>(g.space(), size),
               expand_frontier<typename Graph::view_type>{view, frontier.data(), size, level,
                                                          distances.data(), next.data(), next_size.data()});
        size = next_size.to_host()[0]; // waits for the launch
        std::swap(frontier, next);
    }
    return distances.to_host();
}

} // namespace

int main() {
    rhizome::graph::dynamic_graph<examples::space> g(examples::open_space(), {.vertices = 1000});
    std::vector<rhizome::graph::edge> ring;
    for (std::uint32_t v = 0; v < 1000; ++v)
        ring.push_back({v, (v + 1) % 1000});
    g.insert_edges(ring);
    std::printf("ring: farthest %u\n", std::ranges::max(distances_from(g, 0)));
    g.insert_edges(std::vector<rhizome::graph::edge>{{0, 500}});
    std::printf("ring with a chord: farthest %u\n", std::ranges::max(distances_from(g, 0)));
    return 0;
}
