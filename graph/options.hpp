// The options of a graph.
#pragma once

#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The options of a graph, fixed when it is made. Sizes are bytes in the memory of the space. For in_arcs
/// without directed, the constructor of the graph throws std::invalid_argument.
struct graph_options {
    std::uint64_t vertices = 0; ///< number at the start, all live; add_vertices() makes more
    bool directed = false;      ///< false: edge {u, v} is in the rows of u and of v; a batch changes both
    bool in_arcs = false;       ///< directed graphs only: keep the in-adjacency as well
    bool self_loops = true;     ///< false: self-loops are refused and counted
    std::uint64_t heap_bytes = 2u << 20; ///< initial size of the heap; it grows when a batch needs more
    /// Address space to reserve for the heap: its largest possible size. 0: space.memory_bytes(), the memory
    /// of the device, or the memory limit if that is smaller.
    std::uint64_t reserve_bytes = 0;

    /// Source of the working memory (scratch) of batches and queries; nullptr: the space. The budget of the
    /// space counts these bytes either way. The resource must outlive the graph. The heap, the tables, the
    /// buffers of staged batches, and arrays that a single call makes (snapshot(), insert_rows_in_space())
    /// always come from the space.
    exec::memory_resource* scratch = nullptr;
};

} // namespace rhizome::graph
