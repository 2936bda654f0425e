// The options of a graph.
#pragma once

#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>

namespace rhizome::graph {

struct graph_options {
    std::uint64_t vertices = 0;          ///< at the start, all live; add_vertices() makes more
    bool directed = false;               ///< false: each edge is two arcs, applied together
    bool in_arcs = false;                ///< directed graphs only: keep the in-adjacency as well
    bool self_loops = true;              ///< false: they are refused and counted
    std::uint64_t heap_bytes = 2u << 20; ///< of the allocator at the start; the heap grows by itself
    std::uint64_t reserve_bytes = 0;     ///< the most that the heap can grow to; 0: the space's memory

    /// Serves the scratch that is kept for batches and queries; nullptr: the space serves it. The budget of
    /// the space counts these bytes either way. The resource outlives the graph. The heap, the tables, the
    /// places of staged batches, and arrays that a single call makes (snapshot(), insert_rows_in_space())
    /// always come from the space.
    exec::memory_resource* scratch = nullptr;
};

} // namespace rhizome::graph
