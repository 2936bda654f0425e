// SPDX-License-Identifier: Apache-2.0
// What searches and their like are tried on, beside cases(): graphs with many levels, and graphs that change.
#pragma once

#include "cases.hpp"

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <set>
#include <vector>

namespace rhizome::tests {

/// Long ones with few vertices per level, and some that pass from few to many and back.
[[nodiscard]] inline std::vector<named_edges> long_cases() {
    using graph::vertex_id;
    named_edges path{"path", 300, {}};
    for (vertex_id v = 0; v + 1 < 300; ++v)
        path.edges.push_back({v, v + 1});
    named_edges grid{"grid", 400, {}};
    for (vertex_id v = 0; v < 400; ++v) {
        if (v % 20 != 19) grid.edges.push_back({v, v + 1});
        if (v + 20 < 400) grid.edges.push_back({v, v + 20});
    }
    named_edges broom = path; // a path to a star, and a path from a leaf of it
    broom.name = "broom";
    broom.vertices = 1200;
    for (vertex_id v = 300; v < 1100; ++v)
        broom.edges.push_back({299, v});
    for (vertex_id v = 1099; v + 1 < 1200; ++v)
        broom.edges.push_back({v, v + 1});
    return {path, grid, broom};
}

/// A list of edges that changes as a graph does.
struct changing_edges {
    named_edges list;
    std::set<graph::vertex_id> erased; ///< vertices

    /// Inserts `more` into a graph and the list, and then erases the vertices `gone` with their edges.
    template <class Graph>
    void change(Graph& graph, std::vector<graph::edge> const& more,
                std::vector<graph::vertex_id> const& gone) {
        graph.insert_edges(more);
        graph.erase_vertices(gone);
        follow(more, gone);
    }
    /// The same in the list alone.
    void follow(std::vector<graph::edge> const& more, std::vector<graph::vertex_id> const& gone) {
        list.edges.insert(list.edges.end(), more.begin(), more.end());
        erased.insert(gone.begin(), gone.end());
        std::erase_if(list.edges, [&](graph::edge const& e) {
            return erased.count(e.source) + erased.count(e.target) != 0;
        });
    }
};

} // namespace rhizome::tests
