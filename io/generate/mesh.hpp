// SPDX-License-Identifier: Apache-2.0
// Regular meshes in three dimensions, as simulations use them.
#pragma once

#include <rhizome/io/graph_file.hpp>

namespace rhizome::io {

/// The largest side: its vertices have 32-bit ids.
inline constexpr unsigned largest_mesh_side = 1024;

/// Generates a cube of side^3 vertices, numbered along x, then y, then z. Two vertices are adjacent if they
/// differ by at most 1 in every coordinate (the 27-point stencil): 26 neighbours inside, 7 in a corner,
/// ((3 side - 2)^3 - side^3) / 2 edges.
/// Returns the edges in ascending order. Cost: time and memory O(edges).
/// Throws std::invalid_argument unless 1 <= side <= largest_mesh_side.
[[nodiscard]] graph_file generate_mesh(unsigned side);

} // namespace rhizome::io
