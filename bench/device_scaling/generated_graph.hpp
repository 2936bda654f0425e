// SPDX-License-Identifier: Apache-2.0
// A graph that may be larger than the memory of a device, loaded from edges that its ranks draw.
#pragma once

#include <rhizome/bench/device_scaling/edge_source.hpp>
#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/bench/harness/registry.hpp>
#include <rhizome/runtime/ranks/any_rank.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace rhizome::bench {

/// What a cell of the benchmark `generated-graph` asks for.
struct generated_graph_options {
    explicit generated_graph_options(cell const& which);

    std::uint64_t devices = 1;
    unsigned scale = 1;
    std::uint64_t edge_factor = 1;
    std::uint64_t load_batch = 1; ///< edges, of all ranks
    std::uint64_t edges = 1;      ///< of a batch of insertions, of each rank
    unsigned iterations = 1;
    std::uint64_t seed = 1;
    std::uint64_t warm_up = 0;
    std::uint64_t repetitions = 1;

    [[nodiscard]] std::uint64_t vertices() const { return std::uint64_t{1} << scale; }
    /// Edges that are drawn, of all ranks: repeated ones and self-loops among them.
    [[nodiscard]] std::uint64_t drawn() const { return edge_factor << scale; }
};

/// Opens a source of edges on the rank's device.
using edge_source_opener = std::function<std::unique_ptr<edge_source>(edge_source_options const&)>;

/// One rank: loads the graph, inserts and erases batches, computes PageRank. Times are those of the rank that
/// took longest. If memory runs out on any rank, the cell is not served on all. The message says where, how
/// many edges were in, and what was measured before. Throws std::runtime_error if counts of edges disagree.
[[nodiscard]] cell_result measure_generated_graph(runtime::any_rank& self,
                                                  generated_graph_options const& options,
                                                  edge_source_opener const& open_source);

/// The benchmark, for the list of this folder.
[[nodiscard]] benchmark generated_graph_benchmark();

} // namespace rhizome::bench
