// SPDX-License-Identifier: Apache-2.0
// Uniformly random graphs: the models G(n, m) and G(n, p).
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest number of vertices: they have 32-bit ids.
inline constexpr std::uint64_t largest_erdos_renyi = 0xffff'ffff;

/// Returns n (n - 1) / 2. Precondition: vertices <= largest_erdos_renyi.
[[nodiscard]] constexpr std::uint64_t vertex_pairs(std::uint64_t vertices) {
    return vertices % 2 == 0 ? vertices / 2 * (vertices - 1) : (vertices - 1) / 2 * vertices;
}

/// Generates G(n, m): all graphs of n vertices and m edges, without self-loops and parallel edges, are
/// equally likely. Pairs are drawn until m different ones are there. If m is more than half of all pairs, the
/// pairs that are no edges are drawn instead. Returns the edges in ascending order, the same for every number
/// of threads and on every machine. `threads`: OS threads; 0: one per core. Cost: draws and sorts on these
/// threads; if m is a large share of all pairs, also O(log m) passes over the edges on the calling thread. 16
/// bytes per pair drawn, besides the result. Throws std::invalid_argument unless 1 <= vertices <=
/// largest_erdos_renyi and edges <= vertex_pairs(vertices). Source: Erdős and Rényi, On random graphs I
/// (1959).
[[nodiscard]] graph_file generate_gnm(std::uint64_t vertices, std::uint64_t edges, std::uint64_t seed,
                                      unsigned threads = 0);

/// Generates G(n, p): each pair of different vertices is an edge with this probability, independently of the
/// others. The number of pairs up to the next edge is drawn bit by bit: the bits of a geometric random number
/// are independent of each other, and computing their probabilities takes no logarithm. So the graph is the
/// same on every machine. Returns the edges in ascending order, the same for every number of threads.
/// `threads`: OS threads; 0: one per core. Cost: log2(vertices) random numbers per vertex and per edge,
/// twice, on these threads; little memory besides the result. Throws std::invalid_argument unless 1 <=
/// vertices <= largest_erdos_renyi and 0 <= probability <= 1. Source: Gilbert, Random graphs (1959); Batagelj
/// and Brandes, Efficient generation of large random networks (2005), for drawing the gaps between edges.
[[nodiscard]] graph_file generate_gnp(std::uint64_t vertices, double probability, std::uint64_t seed,
                                      unsigned threads = 0);

} // namespace rhizome::io
