// SPDX-License-Identifier: Apache-2.0
// What searches must find, by plain sequential code.
#pragma once

#include "oracles.hpp"

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {

/// The rows of a plain graph.
[[nodiscard]] std::vector<std::vector<graph::vertex_id>> rows_of(plain_graph const& graph);

/// Levels by a queue.
[[nodiscard]] std::vector<std::uint32_t> levels_plainly(plain_graph const& graph,
                                                        std::vector<graph::vertex_id> const& sources);

/// What contradicts the rules of Graph500 (specification, section 8), or "": sources are their own parents;
/// each other vertex with a level has a parent one level up, to which it has an arc; no arc from a vertex
/// with a level leads more than one level down; and a vertex has a parent if and only if it has a level.
[[nodiscard]] std::string broken_search_rule(plain_graph const& graph,
                                             std::vector<graph::vertex_id> const& sources,
                                             std::vector<std::uint32_t> const& levels,
                                             std::vector<graph::vertex_id> const& parents);

/// The least vertex of the weakly connected component of each vertex, by a search from each.
[[nodiscard]] std::vector<graph::vertex_id> components_plainly(plain_graph const& graph);

/// The core number of each vertex of the underlying simple undirected graph, by Boost.Graph.
[[nodiscard]] std::vector<std::uint32_t> core_numbers_by_boost(plain_graph const& graph);

} // namespace rhizome::tests
