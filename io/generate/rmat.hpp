// SPDX-License-Identifier: Apache-2.0
// R-MAT graphs: few vertices with very many neighbours, as in social networks and the web.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest scale: its vertices have 32-bit ids.
inline constexpr unsigned largest_rmat_scale = 30;
inline constexpr unsigned largest_rmat_edge_factor = 1024;

/// Draws edge_factor * 2^scale edges of the recursive matrix model with a = 0.57, b = c = 0.19, d = 0.05
/// (Chakrabarti, Zhan, Faloutsos; the parameters of Graph500), with probabilities rounded to 2^-32.
/// Self-loops are dropped. An edge that was drawn several times, in either direction, is kept once. Vertices
/// keep the ids that the model gives them, so low ids have the most neighbours. Scale 20 with edge factor 16
/// gives about 15.7 million edges. Returns the edges in ascending order. The same arguments give the same
/// graph on every machine, for every number of threads. `threads`: OS threads; 0: one per core. Cost: draws
/// and sorts on these threads; 16 bytes per edge drawn, besides the result. Throws std::invalid_argument
/// unless 1 <= scale <= largest_rmat_scale and 1 <= edge_factor <= largest_rmat_edge_factor.
[[nodiscard]] graph_file generate_rmat(unsigned scale, unsigned edge_factor, std::uint64_t seed,
                                       unsigned threads = 0);

} // namespace rhizome::io
