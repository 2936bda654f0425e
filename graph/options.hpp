// What a graph is told when it is made.
#pragma once

#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>

namespace rhizome::graph {

struct graph_options {
    std::uint64_t vertices = 0;          ///< live from the start; add_vertices() makes more
    bool directed = false;               ///< false: every edge is two arcs, applied together
    bool in_arcs = false;                ///< directed only: keep the reverse adjacency as well
    bool self_loops = true;              ///< false: refused, and counted
    std::uint64_t heap_bytes = 2u << 20; ///< the allocator's heap at the start; it grows by itself
    std::uint64_t reserve_bytes = 0;     ///< the most the heap can grow to; 0: the space's memory

    /// Serves the scratch that is kept for batches and queries, charged to the budget of the space as always;
    /// nullptr: the space does. Outlives the graph. Not from here come the heap, the tables, the places of
    /// staged batches, and arrays that a single call makes (snapshot(), insert_rows_in_space()).
    exec::memory_resource* scratch = nullptr;
};

} // namespace rhizome::graph
