// SPDX-License-Identifier: Apache-2.0
// Graphs like road networks: few edges per vertex, and ids of neighbours are close.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest scale: its vertices have 32-bit ids.
inline constexpr unsigned largest_road_scale = 30;

/// Generates 2^scale crossings on a grid that is square or twice as wide as high, numbered row by row.
/// Neighbours are next to each other or one row apart, as in maps sorted by place. The edges are (a) a
/// spanning tree, made from the edges of the grid in random order, so that the graph is connected; (b) one
/// other edge of the grid for every 16 vertices. A vertex has at most 4 neighbours, 2.12 on average. Returns
/// the edges in ascending order. The same scale and seed give the same graph on every machine. Cost: a
/// shuffle and a union-find over 2 * 2^scale edges; 13 bytes per vertex, besides the result. Throws
/// std::invalid_argument unless 1 <= scale <= largest_road_scale.
[[nodiscard]] graph_file generate_road(unsigned scale, std::uint64_t seed);

} // namespace rhizome::io
