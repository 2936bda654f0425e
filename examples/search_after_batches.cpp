// SPDX-License-Identifier: Apache-2.0
// Breadth-first search and connected components on a graph that changes: after each batch both read the graph
// where it is. An algorithm object keeps its scratch for the next run. Prints how a network of streets falls
// apart and is joined again.
#include "space.hpp"

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/components.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <array>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

using edge = rhizome::graph::edge;
using vertex_id = rhizome::graph::vertex_id;
using graph_type = rhizome::graph::dynamic_graph<examples::space>;
constexpr vertex_id side = 100; // the vertices are the crossings of side x side streets

vertex_id crossing(vertex_id column, vertex_id row) { return row * side + column; }

class explorer {
public:
    explicit explorer(examples::space const& space)
        : search_(space), components_(space), levels_(space, side * side), parents_(space, side * side),
          component_of_(space, side * side) {}

    void print(char const* when, graph_type const& g) {
        std::array<vertex_id, 1> const source{crossing(0, 0)};
        auto const found = search_.run(g.view(), source, levels_.data(), parents_.data());
        auto const count = components_.run(g.view(), component_of_.data());
        std::printf("%s: %llu reached in %u levels, %llu component(s)\n", when,
                    static_cast<unsigned long long>(found.reached), found.levels,
                    static_cast<unsigned long long>(count));
    }
    /// Walks back along the parents of the last search. Returns the number of streets on the way.
    unsigned way_to(vertex_id last) const {
        std::vector<vertex_id> const parents = parents_.to_host();
        unsigned streets = 0;
        for (vertex_id v = last; parents[v] != v; v = parents[v])
            ++streets;
        return streets;
    }

private:
    rhizome::algorithms::breadth_first_search<examples::space> search_;
    rhizome::algorithms::connected_components<examples::space> components_;
    rhizome::exec::buffer<examples::space, std::uint32_t> levels_;
    rhizome::exec::buffer<examples::space, vertex_id> parents_;
    rhizome::exec::buffer<examples::space, vertex_id> component_of_;
};

} // namespace

int main() {
    graph_type g(examples::open_space(), {.vertices = side * side});
    explorer explore(g.space());
    std::vector<edge> streets;
    std::vector<edge> bridges; // over the river between the columns 49 and 50
    for (vertex_id a = 0; a < side; ++a)
        for (vertex_id b = 0; b + 1 < side; ++b) {
            (b == 49 ? bridges : streets).push_back({crossing(b, a), crossing(b + 1, a)});
            streets.push_back({crossing(a, b), crossing(a, b + 1)});
        }
    g.insert_edges(streets);
    g.insert_edges(bridges);
    explore.print("all streets", g);
    g.erase_edges(bridges);
    explore.print("without bridges", g);
    g.insert_edges(std::vector<edge>{bridges.back(), {crossing(0, 0), crossing(99, 0)}});
    explore.print("with one bridge and a tunnel", g);
    std::printf("from corner to corner: %u streets\n", explore.way_to(crossing(99, 99)));
    return 0;
}
