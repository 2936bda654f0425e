// SPDX-License-Identifier: Apache-2.0
// What shortest paths must find, by plain sequential code.
#pragma once

#include "oracles.hpp"

#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {

/// Arcs of a plain graph, with a weight each.
template <class Weight>
struct weighted_graph {
    plain_graph arcs;
    std::vector<Weight> weights; ///< as many as arcs
};

/// Distances by Boost.Graph's Dijkstra, in the type that shortest_paths uses. Precondition: weights are
/// allowed, and no distance exceeds the type. Defined for the types in path_oracles.cpp.
template <class Weight>
[[nodiscard]] std::vector<algorithms::distance_of<Weight>>
distances_by_boost(weighted_graph<Weight> const& graph, std::vector<graph::vertex_id> const& sources);

/// What contradicts the rules of a forest of shortest paths, or "": sources are their own parents; each other
/// vertex with a distance has a parent with an arc that makes the distance, and its ancestors lead to a
/// source; other vertices have no parent. Defined for the types in path_oracles.cpp.
template <class Weight>
[[nodiscard]] std::string broken_path_rule(weighted_graph<Weight> const& graph,
                                           std::vector<graph::vertex_id> const& sources,
                                           std::vector<algorithms::distance_of<Weight>> const& distances,
                                           std::vector<graph::vertex_id> const& parents);

} // namespace rhizome::tests
