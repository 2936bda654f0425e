// SPDX-License-Identifier: Apache-2.0
// Ranks that follow the graph: pages link to each other, links come and go, and a page is withdrawn. After
// each change the ranks are brought up to date, with a bound on their error. Prints the first three pages.
#include "space.hpp"

#include <rhizome/algorithms/maintained/pagerank.hpp>
#include <rhizome/rhizome.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

namespace {

using graph_type = rhizome::dynamic_graph<examples::space>;
using ranks_type = rhizome::algorithms::maintained_pagerank<examples::space>;

void print_best(char const* event, graph_type& graph, ranks_type const& pages) {
    std::vector<double> ranks(pages.ranks().size());
    graph.space().copy_out(ranks.data(), pages.ranks().data(), ranks.size() * sizeof(double));
    std::vector<std::uint32_t> order(ranks.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return ranks[a] > ranks[b]; });
    std::printf("%s:", event);
    for (int place = 0; place < 3; ++place)
        std::printf(" page %u %.4f%s", order[place], ranks[order[place]], place < 2 ? "," : "");
    std::printf(" (error below %s)\n", pages.error() <= 1e-6 ? "1e-6" : "?");
}

} // namespace

int main() {
    using rhizome::graph::edge;
    graph_type graph(examples::open_space(), {.vertices = 8, .directed = true, .in_arcs = true});
    rhizome::graph::graph_changes<examples::space> changes(graph.space());
    std::vector<edge> const first{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {4, 0}, {5, 1}, {6, 2}, {7, 6}, {2, 7}};
    graph.insert_edges(first);

    ranks_type pages(graph.space(), {.tolerance = 1e-6});
    pages.start(graph.view());
    print_best("start", graph, pages);

    std::vector<edge> const links{{0, 5}, {1, 5}, {4, 5}, {5, 4}};
    graph.insert_edges(links, &changes);
    pages.update(graph.view(), changes);
    print_best("four links more", graph, pages);

    changes.clear();
    std::vector<edge> const gone{{5, 1}, {5, 4}}; // 5 links to no page any more
    graph.erase_edges(gone, &changes);
    pages.update(graph.view(), changes);
    print_best("two links less", graph, pages);

    changes.clear();
    std::vector<std::uint32_t> const withdrawn{2};
    graph.erase_vertices(withdrawn, &changes);
    pages.update(graph.view(), changes);
    print_best("page 2 withdrawn", graph, pages);
    return 0;
}
