// SPDX-License-Identifier: Apache-2.0
// Whether what searches, components and cores found is right, by sequential code on the edges of the input.
#pragma once

#include <rhizome/bench/graphs/input.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// Where searches of a kind of graph start: at vertex 0, or at the first vertex that is not isolated; in an
/// R-MAT graph at the vertex with most neighbours, of several at the first.
[[nodiscard]] graph::vertex_id source_of(std::string const& kind, graph_input const& input);

/// Which of the rules of Graph500 (specification, section 8) levels and parents break, with the vertex or the
/// edge, or "". Level 0 and itself as parent has the source alone. Each other vertex with a level has a
/// parent one level below it, to which an edge of the graph leads, so that parents are a tree. The levels of
/// the ends of an edge differ by at most one, and both ends were reached or none. So all levels are shortest,
/// and the tree spans the component of the source. Cost: O(edges + vertices log edges).
[[nodiscard]] std::string broken_search_rule(graph_input const& input, graph::vertex_id source,
                                             std::vector<std::uint32_t> const& levels,
                                             std::vector<graph::vertex_id> const& parents);

/// The least vertex of the component of each vertex, by union and find.
[[nodiscard]] std::vector<graph::vertex_id> components_by_union_find(graph_input const& input);

/// The core number of each vertex, by removing vertices of least degree one after the other (Batagelj and
/// Zaversnik, An O(m) Algorithm for Cores Decomposition of Networks, 2003).
[[nodiscard]] std::vector<std::uint32_t> cores_plainly(graph_input const& input);

/// The weight of an edge in weighted graphs: 1 to 255, a hash of the seed and both ends, whichever comes
/// first.
[[nodiscard]] double weight_of(graph::edge each, std::uint64_t seed);

/// Which rule distances and parents break, with the vertex or the edge, or "". The source alone has distance
/// 0 and itself as parent. Each other vertex with a distance has a parent whose distance is less by the
/// weight of an edge between them, so that each distance is the length of a path. No edge makes a path
/// shorter, and both its ends were reached or none, so that no path is shorter. Cost: O(edges + vertices log
/// edges).
[[nodiscard]] std::string broken_path_rule(graph_input const& input, std::uint64_t seed,
                                           graph::vertex_id source, std::vector<double> const& distances,
                                           std::vector<graph::vertex_id> const& parents);

} // namespace rhizome::bench
