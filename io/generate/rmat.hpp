// R-MAT graphs: few vertices with very many neighbours, as in social networks and the web.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest scale whose vertices have 32-bit names to spare.
inline constexpr unsigned largest_rmat_scale = 30;
inline constexpr unsigned largest_rmat_edge_factor = 1024;

/// The simple graph under edge_factor * 2^scale edges of the recursive matrix model with a = .57, b = c =
/// .19, d = .05 (Chakrabarti, Zhan, Faloutsos; the parameters of Graph500), its probabilities rounded to
/// 2^-32: self-loops are dropped, and edges that were drawn twice, in whichever direction. Vertices keep the
/// numbers that the model gives them, so that the low ones have the many neighbours. Scale 20 with edge
/// factor 16: about 15.7 million edges. Edges come sorted. The same arguments give the same graph on every
/// machine. Draws and sorts on all cores; 16 bytes an edge beside the result. Throws std::invalid_argument
/// unless 1 <= scale <= largest_rmat_scale and 1 <= edge_factor <= largest_rmat_edge_factor.
[[nodiscard]] graph_file generate_rmat(unsigned scale, unsigned edge_factor, std::uint64_t seed);

} // namespace rhizome::io
