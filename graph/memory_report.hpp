// How many bytes each part of a graph holds.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Bytes in the memory of the graph's space. heap_bytes = adjacency_bytes + slack_bytes + free_bytes.
/// total_bytes() is what the graph's regions hold.
struct memory_report {
    std::uint64_t heap_bytes = 0;         ///< committed heap of the allocator
    std::uint64_t adjacency_bytes = 0;    ///< neighbours and values stored in the heap
    std::uint64_t slack_bytes = 0;        ///< unused room in pages that hold adjacency
    std::uint64_t free_bytes = 0;         ///< heap that holds no adjacency
    std::uint64_t vertex_table_bytes = 0; ///< committed vertex records, and one word per row for batches
    std::uint64_t inline_bytes = 0;       ///< neighbours stored in the records; a part of vertex_table_bytes
    std::uint64_t allocator_table_bytes = 0; ///< committed metadata of the allocator, outside the heap
    std::uint64_t scratch_bytes = 0;         ///< kept between batches
    std::uint64_t edges = 0;                 ///< of the graph

    [[nodiscard]] constexpr std::uint64_t total_bytes() const {
        return heap_bytes + vertex_table_bytes + allocator_table_bytes + scratch_bytes;
    }
    /// Bytes of everything per edge; 0 if there are no edges.
    [[nodiscard]] constexpr double bytes_an_edge() const {
        return edges == 0 ? 0.0 : static_cast<double>(total_bytes()) / static_cast<double>(edges);
    }
};

} // namespace rhizome::graph
