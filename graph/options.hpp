// SPDX-License-Identifier: Apache-2.0
// The options of a graph.
#pragma once

#include <rhizome/exec/memory_resource.hpp>

#include <cstdint>

namespace rhizome::graph {

/// How batches request the pages of rows in the layout contiguous. Other layouts, allocators that do not
/// model alloc::gives_runs, and batches of fewer arcs than space.concurrency() always request them lane by
/// lane.
///
/// In bulk: one request per size class for the whole grid, up to 512 bytes per page, if the pages of the
/// class fill at least tuning::least_run_bytes. They lie next to each other in chunks that were free, in
/// ascending order of rows. Classes that are refused are requested lane by lane, in the same batch;
/// batch_report::bulk counts them. If the batch as a whole then lacks pages, it is tried again lane by lane.
/// Bulk requests do not reuse single free pages, so the heap may grow sooner.
enum class page_requests : std::uint8_t {
    lane_wise,  ///< each lane requests the page of its row
    bulk_loads, ///< in bulk if the graph has no arcs and the batch is sorted or ascends
    bulk,       ///< in bulk in every batch
};

/// The options of a graph, fixed when it is made. Sizes are bytes in the memory of the space. For in_arcs
/// without directed, the constructor of the graph throws std::invalid_argument.
struct graph_options {
    std::uint64_t vertices = 0; ///< number of vertices of the new graph; add_vertices() makes more
    bool directed = false;      ///< false: an edge {u, v} is stored in the row of u and in the row of v
    bool in_arcs = false;       ///< directed graphs only: also store the in-neighbours of each vertex
    bool self_loops = true;     ///< false: self-loops are refused and counted
    /// What a batch does that names ids of no live vertex. false: it leaves these edges out and counts them
    /// (batch_report::rejected). true: it throws std::out_of_range, and the graph is unchanged.
    bool refuses_unknown_ids = false;
    std::uint64_t heap_bytes = 2u << 20; ///< initial size of the heap; it grows when a batch needs more
    /// Address space to reserve for the heap: its largest possible size. 0: space.memory_bytes(), which is
    /// the memory of the device or the memory limit, whichever is smaller.
    std::uint64_t reserve_bytes = 0;

    page_requests pages = page_requests::bulk_loads; ///< how batches request pages

    /// Whether the graph compacts itself (basic_graph::compact()) after a batch, where it can. It does so
    /// once all of this holds:
    /// - Heap and vertex table take more than twice the bytes of compressed sparse rows.
    /// - The heap has more than 8 MiB and more than twice heap_bytes.
    /// - The batches since the last compaction had arcs of 1/16 of the heap's bytes.
    /// The batch then takes longer; on CUDA it also waits for all work of the device, of other streams too.
    /// If a compaction was in vain, the graph waits twice as many batches before the next one, up to 256: a
    /// stream of batches that needs its heap keeps it. If memory for the plan is lacking, the heap stays as
    /// it is, and the compaction was in vain.
    bool compacts = true;

    /// Source of the working memory (scratch) of batches and queries; nullptr: the space. The budget of the
    /// space counts these bytes either way. The resource must outlive the graph. The heap, the tables, the
    /// buffers of staged batches, and arrays that a single call makes (snapshot(), insert_rows_in_space())
    /// always come from the space.
    exec::memory_resource* scratch = nullptr;
};

} // namespace rhizome::graph
