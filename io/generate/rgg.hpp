// Random geometric graphs, the rgg family of DIMACS10.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// The largest scale whose vertices have 32-bit names to spare.
inline constexpr unsigned largest_rgg_scale = 30;

/// A point of the unit square, in units of 2^-31.
struct grid_point {
    std::uint32_t x;
    std::uint32_t y;
};

/// The square of the distance below which two points are adjacent, in units of 2^-62.
[[nodiscard]] std::uint64_t rgg_squared_radius(unsigned scale);

/// The points of rgg_n_2_<scale> for this seed, in the order of the vertices.
[[nodiscard]] std::vector<grid_point> rgg_points(unsigned scale, std::uint64_t seed);

/// rgg_n_2_<scale>: n = 2^scale points, uniform in the unit square; two are adjacent if their distance is
/// below 0.55 * sqrt(ln n / n). Mean degree about 0.66 * scale. Vertices are numbered along the rows of a
/// grid, so that neighbours have near numbers, as in the published files. Edges come sorted. The same scale
/// and seed give the same graph on every machine. Time and memory O(vertices + edges). Throws
/// std::invalid_argument unless 1 <= scale <= largest_rgg_scale.
[[nodiscard]] graph_file generate_rgg(unsigned scale, std::uint64_t seed);

} // namespace rhizome::io
