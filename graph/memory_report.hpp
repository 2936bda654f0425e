// SPDX-License-Identifier: Apache-2.0
// How many bytes each part of a graph holds.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Bytes in the memory of the graph's space. heap_bytes = adjacency_bytes + slack_bytes + free_bytes.
struct memory_report {
    /// Size of the allocator's heap. If the allocator has no heap of its own (device_malloc): the heap size
    /// that it was asked for, or the sum of the graph's pages, whichever is more.
    std::uint64_t heap_bytes = 0;
    std::uint64_t adjacency_bytes = 0; ///< neighbours and values stored in the heap
    /// The rest of the pages that hold adjacency: unused room, and addresses of other pages in layouts with
    /// several pages per row.
    std::uint64_t slack_bytes = 0;
    std::uint64_t free_bytes = 0; ///< heap that holds no adjacency
    /// Committed memory of vertex records and, once a vertex has been erased, of one bit per vertex.
    std::uint64_t vertex_table_bytes = 0;
    std::uint64_t inline_bytes = 0; ///< neighbours stored in the records; a part of vertex_table_bytes
    std::uint64_t allocator_table_bytes = 0; ///< committed metadata of the allocator, outside the heap
    /// Working memory kept between calls: of batches and queries, also if graph_options::scratch supplies it,
    /// one 32-bit word per row for batches, and staging buffers.
    std::uint64_t scratch_bytes = 0;
    /// About so many bytes of the heap compact() would give back, a lower bound in most cases; 0 if the graph
    /// cannot be compacted.
    std::uint64_t compactable_bytes = 0;
    std::uint64_t edges = 0; ///< of the graph

    /// All memory of the space that the graph holds: heap, vertex table, allocator tables and scratch.
    [[nodiscard]] constexpr std::uint64_t total_bytes() const {
        return heap_bytes + vertex_table_bytes + allocator_table_bytes + scratch_bytes;
    }
    /// total_bytes() per edge; 0 if there are no edges.
    [[nodiscard]] constexpr double bytes_per_edge() const {
        return edges == 0 ? 0.0 : static_cast<double>(total_bytes()) / static_cast<double>(edges);
    }
};

} // namespace rhizome::graph
