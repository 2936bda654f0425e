// The options of a graph.
#pragma once

#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The options of a graph, fixed when it is made. Sizes are bytes in the memory of the space. For in_arcs
/// without directed, the constructor of the graph throws std::invalid_argument.
struct graph_options {
    std::uint64_t vertices = 0; ///< number of vertices of the new graph; add_vertices() makes more
    bool directed = false;      ///< false: an edge {u, v} is stored in the row of u and in the row of v
    bool in_arcs = false;       ///< directed graphs only: also store the in-neighbours of each vertex
    bool self_loops = true;     ///< false: self-loops are refused and counted
    std::uint64_t heap_bytes = 2u << 20; ///< initial size of the heap; it grows when a batch needs more
    /// Address space to reserve for the heap: its largest possible size. 0: space.memory_bytes(), which is
    /// the memory of the device or the memory limit, whichever is smaller.
    std::uint64_t reserve_bytes = 0;

    /// Source of the working memory (scratch) of batches and queries; nullptr: the space. The budget of the
    /// space counts these bytes either way. The resource must outlive the graph. The heap, the tables, the
    /// buffers of staged batches, and arrays that a single call makes (snapshot(), insert_rows_in_space())
    /// always come from the space.
    exec::memory_resource* scratch = nullptr;
};

} // namespace rhizome::graph
