// SPDX-License-Identifier: Apache-2.0
// PageRank on a graph that changes: after a small batch, the ranks from before the batch are a good start.
// Prints the ranks of two pages before and after the batch, and whether the start saved iterations.
#include "space.hpp"

#include <rhizome/rhizome.hpp>

#include <cstdio>
#include <vector>

int main() {
    constexpr rhizome::vertex_id pages = 2'000;
    rhizome::dynamic_graph<examples::space> graph(examples::open_space(),
                                                  {.vertices = pages, .directed = true, .in_arcs = true});
    std::vector<rhizome::edge> links;
    for (rhizome::vertex_id v = 0; v < pages; ++v) { // each page links to the one above it, and to the next
        links.push_back({v, v / 3});
        links.push_back({v, (v + 1) % pages});
    }
    graph.insert_edges(links);

    rhizome::algorithms::pagerank_options const options{.tolerance = 1e-5};
    auto const print = [](char const* when, auto const& found) {
        std::vector<double> const ranks = found.ranks.to_host();
        std::printf("%s: page 0 has rank %.5f, page 1234 has rank %.5f\n", when, ranks[0], ranks[1234]);
    };
    auto const before = rhizome::pagerank(graph, options);
    print("before", before);

    graph.insert_edges(std::vector<rhizome::edge>{{1'000, 1'234}, {1'500, 1'234}, {1'900, 1'234}});
    auto const after =
        rhizome::pagerank(graph, options, {.start = before.ranks.data(), .start_count = before.ranks.size()});
    print("after", after);

    auto const anew = rhizome::pagerank(graph, options);
    std::printf("fewer iterations than without a start: %s\n",
                after.iterations < anew.iterations ? "yes" : "no");
    std::fprintf(stderr, "%u instead of %u iterations\n", after.iterations, anew.iterations);
    return 0;
}
