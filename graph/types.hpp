// The nouns that everything about graphs is said in.
#pragma once

#include <compare>
#include <cstdint>

namespace rhizome::graph {

/// Names a vertex: 0 to vertex_count - 1. The largest value names none.
using vertex_id = std::uint32_t;

inline constexpr vertex_id no_vertex = 0xffff'ffffu;

/// One edge as users give it: an arc source -> target, or {source, target} in an undirected graph.
struct edge {
    vertex_id source;
    vertex_id target;

    friend constexpr auto operator<=>(edge const&, edge const&) = default;
    // Said although it follows: nvcc 13 declares the one that follows and never defines it.
    friend constexpr bool operator==(edge const&, edge const&) = default;
};

} // namespace rhizome::graph
