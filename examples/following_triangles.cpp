// SPDX-License-Identifier: Apache-2.0
// A result that follows the graph: triangles in the messages of the last three days. Each day is a batch of
// insertions and one of erasures; both append to one list of changes, from which the triangles are brought up
// to date. Prints them after each day.
#include "space.hpp"

#include <rhizome/algorithms/maintained/triangles.hpp>
#include <rhizome/rhizome.hpp>

#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

int main() {
    using rhizome::graph::edge;
    constexpr std::uint32_t days = 8;
    constexpr std::uint32_t window = 3;
    std::minstd_rand random(7);
    auto const anybody = [&] { return static_cast<std::uint32_t>(random() % 9); };
    std::vector<std::vector<edge>> messages(days);
    for (auto& of_day : messages)
        for (int i = 0; i < 5; ++i) {
            auto const sender = anybody();
            of_day.push_back({sender, anybody()});
        }

    rhizome::dynamic_graph<examples::space> graph(examples::open_space(), {.vertices = 9});
    rhizome::graph::graph_changes<examples::space> changes(graph.space());
    rhizome::algorithms::maintained_triangles<examples::space> triangles(graph.space());
    triangles.start(graph.view());
    for (std::uint32_t day = 0; day < days; ++day) {
        changes.clear();
        if (day >= window) graph.erase_edges(messages[day - window], &changes);
        triangles.update(graph.view(), changes); // before the insertions: they may bring back what went
        changes.clear();
        graph.insert_edges(messages[day], &changes);
        triangles.update(graph.view(), changes);
        std::printf("day %u: %d edges, triangles: %d\n", day, static_cast<int>(graph.edge_count()),
                    static_cast<int>(triangles.total()));
    }
    return 0;
}
