// SPDX-License-Identifier: Apache-2.0
// Shortest paths in a file of DIMACS' shortest-path challenge (.gr), whose arcs have lengths.
// Prints the distance of each junction from the first, and the way to the last.
#include "space.hpp"

#include <rhizome/rhizome.hpp>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

int main() {
    char const* const path = "roads.gr";
    std::ofstream(path) << "p sp 5 6\na 1 2 4\na 1 3 1\na 3 2 2\na 2 4 5\na 3 4 8\na 4 5 3\n";

    using graph = rhizome::weighted_graph<examples::space>; // values of type double
    auto roads = rhizome::load_graph<graph>(examples::open_space(), path);
    auto const paths = rhizome::shortest_paths(roads, 0);
    std::vector<double> const distances = paths.distances.to_host();
    std::vector<std::uint32_t> const parents = paths.parents.to_host();
    for (std::size_t v = 0; v < distances.size(); ++v)
        std::printf("junction %zu: %.0f km\n", v + 1, distances[v]); // DIMACS counts from 1
    std::printf("way back from 5:");
    for (std::uint32_t v = 4; v != 0; v = parents[v])
        std::printf(" %u", v + 1);
    std::printf(" 1\n");
    std::remove(path);
    return 0;
}
