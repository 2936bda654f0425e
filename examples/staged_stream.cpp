// SPDX-License-Identifier: Apache-2.0
// A stream of batches: while the graph applies one batch, the next one is copied into the space. After each
// batch, the program erases the batch that it inserted three batches earlier.
// Prints the edges after each batch, and what happens to a batch that does not fit below the memory limit.
#include "space.hpp"

#include <rhizome/graph/dynamic_graph.hpp>

#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

using rhizome::graph::edge;
constexpr std::uint32_t vertices = 1u << 14;

/// Edges from every vertex v to v + step, for `count` steps from `first` on.
std::vector<edge> rings(std::uint32_t first, std::uint32_t count) {
    std::vector<edge> edges;
    for (std::uint32_t step = first; step < first + count; ++step)
        for (std::uint32_t v = 0; v < vertices; ++v)
            edges.push_back({v, (v + step) % vertices});
    return edges;
}

} // namespace

int main() {
    examples::space space = examples::open_space({.memory_limit_bytes = 64u << 20});
    rhizome::graph::dynamic_graph<examples::space> g(space, {.vertices = vertices});
    std::vector<std::vector<edge>> batches;
    for (std::uint32_t k = 0; k < 6; ++k)
        batches.push_back(rings(1 + 2 * k, 2));

    auto present = g.stage(batches[0]);
    for (std::size_t k = 0; k < batches.size(); ++k) {
        bool const last = k + 1 == batches.size();
        auto next = last ? g.stage({}) : g.stage(batches[k + 1]); // copied while the present one is applied
        g.insert_edges(present);
        present = std::move(next);
        if (k >= 3) g.erase_edges(batches[k - 3]);
        std::printf("batch %zu: %llu edges\n", k, static_cast<unsigned long long>(g.edge_count()));
    }

    try {
        g.insert_edges(g.stage(rings(100, 500))); // 8.2 million edges of 8 bytes
    } catch (rhizome::exec::out_of_memory const& error) {
        bool const more = error.needed_bytes() > error.available_bytes();
        std::printf("refused: needs more than is available: %s\n", more ? "yes" : "no");
    }
    std::printf("still %llu edges, sound: %s\n", static_cast<unsigned long long>(g.edge_count()),
                g.validate().empty() ? "yes" : "no");
    return 0;
}
