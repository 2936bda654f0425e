// SPDX-License-Identifier: Apache-2.0
// Ids and edges.
#pragma once

#include <compare>
#include <cstdint>

namespace rhizome::graph {

/// The id of a vertex, 0 to vertex_count - 1. The largest value of the type is never an id (no_vertex).
using vertex_id = std::uint32_t;
/// The same for graphs of more than 2^32 - 2 vertices.
using wide_vertex_id = std::uint64_t;

template <class Id>
inline constexpr Id no_vertex_of = static_cast<Id>(~Id{0});
inline constexpr vertex_id no_vertex = no_vertex_of<vertex_id>;

/// An edge as callers give it: an arc source -> target, or {source, target} in an undirected graph.
template <class Id>
struct basic_edge {
    Id source;
    Id target;

    friend constexpr auto operator<=>(basic_edge const&, basic_edge const&) = default;
    // Declared although it is implied: nvcc 13 declares the implied one and never defines it.
    friend constexpr bool operator==(basic_edge const&, basic_edge const&) = default;
};
using edge = basic_edge<vertex_id>;
using wide_edge = basic_edge<wide_vertex_id>;

} // namespace rhizome::graph
