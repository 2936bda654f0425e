// One row of the vertex table: where a vertex's neighbours lie.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

/// 16 bytes, loaded at once. Invariants: degree <= capacity; capacity = 0 iff neighbours = nullptr.
struct alignas(16) vertex_record {
    vertex_id* neighbours; ///< a page of the allocator with room for `capacity` ids
    std::uint32_t degree;  ///< how many of them are used, ascending
    std::uint32_t capacity;
};
static_assert(sizeof(vertex_record) == 16);

} // namespace rhizome::graph
