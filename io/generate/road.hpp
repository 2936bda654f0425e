// Graphs like road networks: hardly more edges than vertices, no long ways between numbers.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>

namespace rhizome::io {

/// The largest scale whose vertices have 32-bit names to spare.
inline constexpr unsigned largest_road_scale = 30;

/// 2^scale crossings on a grid that is square or twice as wide as high, numbered row by row, so that
/// neighbours lie beside each other or a row apart, as in maps sorted by place. Kept are a spanning tree that
/// takes the grid's edges in random order, so that the graph is connected, and of the others one for every 16
/// vertices: at most 4 neighbours, 2.12 in the mean. Edges come sorted. The same scale and seed give the same
/// graph on every machine. Cost: a shuffle and a union-find over 2 * 2^scale edges; 13 bytes a vertex beside
/// the result. Throws std::invalid_argument unless 1 <= scale <= largest_road_scale.
[[nodiscard]] graph_file generate_road(unsigned scale, std::uint64_t seed);

} // namespace rhizome::io
