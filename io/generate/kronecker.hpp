// SPDX-License-Identifier: Apache-2.0
// Kronecker graphs of the benchmark Graph500.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// The largest scale: its vertices have 32-bit ids.
inline constexpr unsigned largest_kronecker_scale = 30;
inline constexpr unsigned largest_kronecker_edge_factor = 1024;
/// The edge factor of Graph500.
inline constexpr unsigned graph500_edge_factor = 16;

/// Returns the permutation of the vertex ids for this scale and seed: labels[v] is the id that vertex v of
/// the model gets. All permutations are equally likely. Cost: one shuffle on the calling thread; 4 bytes per
/// vertex. Throws std::invalid_argument unless 1 <= scale <= largest_kronecker_scale.
[[nodiscard]] std::vector<graph::vertex_id> kronecker_labels(unsigned scale, std::uint64_t seed);

/// Generates a graph of Graph500's kernel 0: edge_factor * 2^scale edges of the Kronecker product of the
/// initiator 0.57, 0.19, 0.19, 0.05 (probabilities rounded to 2^-32), with permuted vertex ids
/// (kronecker_labels). This is the graph of generate_rmat() for the same seed, with other ids: there low ids
/// have the most neighbours, here degrees do not depend on ids. Self-loops are dropped, and an edge that was
/// drawn several times, in either direction, is kept once, as Graph500 allows a graph to do when it is built.
/// Returns the edges in ascending order: Graph500 also shuffles its list of edges, this function does not.
/// The same arguments give the same graph on every machine, for every number of threads.
/// `threads`: OS threads; 0: one per core. Cost: draws and sorts on these threads; 16 bytes per edge drawn
/// and 4 per vertex, besides the result. Throws std::invalid_argument unless 1 <= scale <=
/// largest_kronecker_scale and 1 <= edge_factor <= largest_kronecker_edge_factor. Source: Graph500 benchmark
/// specification, section "Generating the edge list"; Leskovec et al., Kronecker graphs: an approach to
/// modeling networks (2010).
[[nodiscard]] graph_file generate_kronecker(unsigned scale, unsigned edge_factor, std::uint64_t seed,
                                            unsigned threads = 0);

} // namespace rhizome::io
