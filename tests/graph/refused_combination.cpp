// SPDX-License-Identifier: Apache-2.0
// Must not compile: a layout over an allocator whose blocks are too small for it.
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/core/graph_core.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#include <rhizome/graph/layout/buckets.hpp>
#include <rhizome/graph/layout/linked_pages.hpp>

using rhizome::exec::host_space;
template class rhizome::graph::basic_dynamic_graph<rhizome::graph::vertex_id, host_space,
                                                   rhizome::graph::REFUSED_LAYOUT,
                                                   rhizome::alloc::page_queue<host_space, 128>, void>;
