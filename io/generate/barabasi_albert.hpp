// SPDX-License-Identifier: Apache-2.0
// Barabási-Albert graphs: new vertices prefer neighbours that have many.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest number of vertices: they have 32-bit ids.
inline constexpr std::uint64_t largest_barabasi_albert = 0xffff'ffff;
inline constexpr unsigned largest_barabasi_albert_degree = 1024;

/// Generates a graph of preferential attachment: vertex after vertex draws edges_per_vertex edges, whose
/// other ends are vertices so far with probabilities proportional to their degrees so far. The model is that
/// of Batagelj and Brandes, in which an edge that is being drawn counts at the vertex that draws it: it may
/// become a self-loop, and edges may be parallel. Both are dropped, so that there are fewer than vertices *
/// edges_per_vertex edges, by less than 1% in large graphs with few edges per vertex. The share of vertices
/// with degree k falls as k^-3. Low ids have the most neighbours.
/// Each end is computed on its own, from random numbers that are a hash of the seed and a place: the graph is
/// the same for every number of threads and on every machine. Returns the edges in ascending order.
/// `threads`: OS threads; 0: one per core. Cost: two hashes per edge on average, and a sort, on these
/// threads; 16 bytes per edge drawn, besides the result. Throws std::invalid_argument unless 1 <= vertices <=
/// largest_barabasi_albert and 1 <= edges_per_vertex <= largest_barabasi_albert_degree. Source: Barabási and
/// Albert, Emergence of scaling in random networks (1999); Batagelj and Brandes, Efficient generation of
/// large random networks (2005), algorithm 5; Sanders and Schulz, Scalable generation of scale-free graphs
/// (2016), for computing each end on its own.
[[nodiscard]] graph_file generate_barabasi_albert(std::uint64_t vertices, unsigned edges_per_vertex,
                                                  std::uint64_t seed, unsigned threads = 0);

/// Returns the random number of a place in the list of ends, uniform in [0, place) to within place / 2^64.
/// Places of odd number hold the same end as the place that this names; those of even number the vertex that
/// draws. Precondition: place >= 1.
[[nodiscard]] std::uint64_t barabasi_albert_choice(std::uint64_t seed, std::uint64_t place);

} // namespace rhizome::io
