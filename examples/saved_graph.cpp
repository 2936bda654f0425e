// SPDX-License-Identifier: Apache-2.0
// A graph saved to a file, and loaded again: with its edge values, erased vertices and options, and with
// checksums that find damage. The file is the same whatever the space and layout. Prints what the loaded
// graph has, that it goes on changing, and what happens if the file is damaged.
#include "space.hpp"

#include <rhizome/rhizome.hpp>

#include <cstdio>
#include <fstream>
#include <vector>

int main() {
    char const* const path = "saved_graph.rhz";
    using graph = rhizome::weighted_graph<examples::space>; // values of type double
    examples::space space = examples::open_space();
    {
        graph roads(space, {.vertices = 5, .directed = true, .in_arcs = true});
        roads.insert_edges(std::vector<rhizome::edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}},
                           std::vector<double>{1, 2, 0.5, 4, 10});
        roads.erase_vertices(std::vector<rhizome::vertex_id>{4});
        rhizome::save_graph(roads, path); // replaces a file of that name once the new one is complete
    }
    auto roads = rhizome::load_graph<graph>(space, path);
    std::printf("%d of %d vertices, %d edges, in-arcs: %s\n", static_cast<int>(roads.live_vertex_count()),
                static_cast<int>(roads.vertex_count()), static_cast<int>(roads.edge_count()),
                roads.options().in_arcs ? "yes" : "no");
    std::printf("0 to 3: %.1f\n", rhizome::shortest_paths(roads, 0).distances.to_host()[3]);
    roads.insert_edges(std::vector<rhizome::edge>{{0, 2}}, std::vector<double>{0.5});
    std::printf("0 to 3 by a new road: %.1f\n", rhizome::shortest_paths(roads, 0).distances.to_host()[3]);

    std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).seekp(-1, std::ios::end).put('?');
    try {
        (void)rhizome::load_graph<graph>(space, path);
    } catch (rhizome::io::store_error const&) { // what() says what is wrong with the file
        std::printf("a damaged file is refused\n");
    }
    std::remove(path);
    return 0;
}
