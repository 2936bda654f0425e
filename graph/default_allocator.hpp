// Which allocators serve a graph.
#pragma once

#include <rhizome/alloc/ouroboros/ouroboros.hpp>
#include <rhizome/graph/types.hpp>

namespace rhizome::graph {

/// The allocator of a graph that names none: fine classes waste little on rows of any size, and its queues
/// become as long as pages of the few sizes that a graph uses are given back.
template <class Space>
using default_allocator =
    alloc::ouroboros<Space, alloc::page, alloc::virtual_array_queue, alloc::fine_classes<>>;

/// Whether an allocator can serve what a layout asks for, for ids and edge values of these types.
template <class Layout, class Allocator, class Id = vertex_id, class EdgeValue = void>
inline constexpr bool layout_fits =
    Allocator::ref_type::traits::largest_bytes >= Layout::template largest_request_bytes<Id, EdgeValue>;

} // namespace rhizome::graph
