// SPDX-License-Identifier: Apache-2.0
// Regular grids in two and three dimensions, as stencil codes use them.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <array>
#include <cstdint>

namespace rhizome::io {

/// The largest number of vertices: they have 32-bit ids.
inline constexpr std::uint64_t largest_grid = 0xffff'ffff;

/// The shape of a grid.
struct grid_shape {
    std::array<std::uint64_t, 3> extents{1, 1, 1}; ///< points along x, y and z; z is 1 in two dimensions
    /// Points of the stencil, the vertex itself among them. Its neighbours differ from it
    /// - 4: by 1 in x, or by 1 in y: each vertex has one neighbour along y, the next one if x + y is even,
    /// the
    ///   one before if it is odd. This is the honeycomb, the dual of a regular triangulation (two dimensions)
    /// - 5: by 1 in x or in y (two dimensions)
    /// - 9: by at most 1 in x and in y (two dimensions)
    /// - 7: by 1 in x, in y or in z
    /// - 27: by at most 1 in x, in y and in z
    unsigned stencil = 5;
    bool wraps = false; ///< the last vertex along an axis is next to the first: a torus
    /// Vertices at each point, with consecutive ids: all of a point and of its neighbours are adjacent, as
    /// the unknowns of finite elements are. 1 to most_per_point.
    unsigned vertices_per_point = 1;

    static constexpr unsigned most_per_point = 64;

    /// Returns the number of vertices. Throws std::invalid_argument if the shape is none of a grid: an extent
    /// is 0, there are more than largest_grid vertices, the stencil is none of the above, it is of two
    /// dimensions and z is not 1, a honeycomb wraps around an extent that is odd, or vertices_per_point is
    /// out of range.
    [[nodiscard]] std::uint64_t vertex_count() const;
    /// Returns an upper bound of the number of edges, which a grid that wraps around reaches if its extents
    /// are at least 3. Throws as vertex_count().
    [[nodiscard]] std::uint64_t most_edges() const;
};

/// Generates a grid. Vertices are numbered along x, then y, then z. No edge is there twice, also if a grid
/// that wraps around has an extent of 1 or 2. The cube with 27 points is generate_mesh(side).
/// `threads`: OS threads; 0: one per core. Returns the edges in ascending order, the same for every number of
/// threads. Cost: time O(edges) on these threads; 1 byte per 8192 vertices, besides the result.
/// Throws std::invalid_argument as vertex_count() of the shape.
[[nodiscard]] graph_file generate_grid(grid_shape const& shape, unsigned threads = 0);

} // namespace rhizome::io
