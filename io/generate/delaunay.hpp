// SPDX-License-Identifier: Apache-2.0
// Delaunay triangulations of random points, as the delaunay family of DIMACS10.
#pragma once

#include <rhizome/io/generate/grid_point.hpp>
#include <rhizome/io/graph_file.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// The largest scale: its vertices have 32-bit ids.
inline constexpr unsigned largest_delaunay_scale = 30;

/// Returns the points of delaunay_nSCALE for this seed, in the order of the vertex ids. No two are equal.
/// Throws std::invalid_argument unless 1 <= scale <= largest_delaunay_scale.
[[nodiscard]] std::vector<grid_point> delaunay_points(unsigned scale, std::uint64_t seed,
                                                      unsigned threads = 0);

/// Generates delaunay_nSCALE: the edges of the Delaunay triangulation of 2^scale points, uniform in the unit
/// square. Two points are adjacent if a circle through both has no other point inside. The graph is planar
/// and connected, with fewer than 3 * 2^scale edges and a mean degree of nearly 6. Vertices are numbered
/// along the rows of a grid, so that ids of neighbours are close. Returns the edges in ascending order. The
/// same scale and seed give the same graph for every number of threads. The edges are the pairs of adjacent
/// cells of the Voronoi diagram that Boost.Polygon computes: exactly but for circles whose centres coincide
/// to about 14 digits. `threads`: OS threads; 0: one per core. Cost: points are drawn and edges sorted on
/// these threads, and the diagram is computed on the calling thread, in time O(n log n). 90 bytes per
/// vertex, with the result. Throws std::invalid_argument unless 1 <= scale <= largest_delaunay_scale.
/// Source: Fortune, A sweepline algorithm for Voronoi diagrams (1987).
[[nodiscard]] graph_file generate_delaunay(unsigned scale, std::uint64_t seed, unsigned threads = 0);

} // namespace rhizome::io
