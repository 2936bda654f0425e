// SPDX-License-Identifier: Apache-2.0
// Random geometric graphs, the rgg family of DIMACS10.
#pragma once

#include <rhizome/io/generate/grid_point.hpp>
#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// The largest scale: its vertices have 32-bit ids.
inline constexpr unsigned largest_rgg_scale = 30;

/// Returns the square of the distance below which two points are adjacent, in units of 2^-62.
[[nodiscard]] std::uint64_t rgg_squared_radius(unsigned scale);

/// Returns the points of rgg_n_2_SCALE for this seed, in the order of the vertex ids.
[[nodiscard]] std::vector<grid_point> rgg_points(unsigned scale, std::uint64_t seed);

/// Generates rgg_n_2_SCALE: n = 2^scale points, uniform in the unit square. Two points are adjacent if their
/// distance is below 0.55 * sqrt(ln n / n). The mean degree is about 0.66 * scale. Vertices are numbered
/// along the rows of a grid, so that ids of neighbours are close, as in the published files. Returns the
/// edges in ascending order. The same scale and seed give the same graph on every machine. Cost: time and
/// memory O(vertices + edges). Throws std::invalid_argument unless 1 <= scale <= largest_rgg_scale.
[[nodiscard]] graph_file generate_rgg(unsigned scale, std::uint64_t seed);

} // namespace rhizome::io
