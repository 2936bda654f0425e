// SPDX-License-Identifier: Apache-2.0
// Which allocators serve a graph.
#pragma once

#include <rhizome/alloc/ouroboros/names.hpp>
#include <rhizome/graph/types.hpp>

namespace rhizome::graph {

/// The allocator of a graph that does not choose one. Its fine size classes waste little on rows of any size.
/// Its queues grow with the pages that are given back, of the few sizes that a graph uses.
template <class Space>
using default_allocator =
    alloc::ouroboros<Space, alloc::page_based, alloc::virtual_array_queue, alloc::fine_classes<>>;

/// Whether an allocator can serve the largest request of a layout, for ids and edge values of these types.
template <class Layout, class Allocator, class Id = vertex_id, class EdgeValue = void>
inline constexpr bool layout_fits =
    Allocator::ref_type::traits::largest_bytes >= Layout::template largest_request_bytes<Id, EdgeValue>;

} // namespace rhizome::graph
