// Must not compile: rows of any length from an allocator of small pages.
#include <rhizome/alloc/page_queue/page_queue.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

using rhizome::exec::host;
template class rhizome::graph::basic_dynamic_graph<
    rhizome::graph::vertex_id, host, rhizome::graph::contiguous, rhizome::alloc::page_queue<host, 128>, void>;
