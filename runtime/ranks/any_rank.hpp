// SPDX-License-Identifier: Apache-2.0
// One rank of a group, and its part of a graph over the ranks, whatever their space.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/net_edges.hpp>
#include <rhizome/graph/partition/arc_transport.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/update.hpp>
#include <rhizome/runtime/any_graph.hpp>
#include <rhizome/runtime/graph_choice.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rhizome::runtime {

/// Which rank owns a vertex. Scattered: in graphs whose numbers have a pattern, as generated R-MAT graphs,
/// one of two ranks would else own three quarters of the arcs.
using rank_owners = graph::hash_owners;
[[nodiscard]] inline rank_owners owners_among(int ranks) {
    return rank_owners(static_cast<std::uint32_t>(ranks));
}

/// Rows of one rank on the host, by their row numbers.
struct rows_of_rank {
    std::vector<std::uint64_t> offsets; ///< rows + 1
    std::vector<graph::vertex_id> targets;
};

/// What PageRank over ranks found.
struct ranked_part {
    unsigned iterations = 0;
    double residual = 0; ///< over all ranks
    bool converged = false;
    /// On rank 0, if asked for: one per vertex of the whole graph.
    std::vector<double> values = {};
};

/// Edges in the memory of a rank's space.
class edges_in_space {
public:
    virtual ~edges_in_space() = default;
    [[nodiscard]] virtual graph::edge const* data() const = 0;
};

/// One rank's part of a graph::partitioned_graph without values, whose vertices belong to owners_among().
/// Calls marked **collective** are made by all ranks in the same order, as that class states, and
/// throw what it throws.
class any_part {
public:
    virtual ~any_part() = default;

    [[nodiscard]] virtual bool directed() const = 0;
    [[nodiscard]] virtual std::uint64_t vertex_count() const = 0; ///< of the whole graph
    [[nodiscard]] virtual std::uint64_t edge_count() const = 0;   ///< of the whole graph
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;    ///< of the rows of this rank

    // Collective. Each rank passes its share of the batch. All get the report of the whole batch.
    virtual graph::batch_report insert_edges(std::span<graph::edge const> share) = 0;
    virtual graph::batch_report erase_edges(std::span<graph::edge const> share) = 0;
    virtual graph::batch_report insert_edges_in_space(graph::edge const* share, std::uint64_t count) = 0;
    virtual graph::batch_report erase_edges_in_space(graph::edge const* share, std::uint64_t count) = 0;
    /// Copies a share into the space. Not collective. Throws exec::out_of_memory.
    [[nodiscard]] virtual std::unique_ptr<edges_in_space> copy_in(std::span<graph::edge const> share) = 0;
    /// Collective. The same number on all ranks.
    virtual void add_vertices(std::uint64_t count) = 0;

    // Collective. The results are those of the whole graph, the same on all ranks.
    virtual ranked_part pagerank(algorithms::pagerank_options const& options, rank_type type,
                                 bool wants_values) = 0;
    virtual std::uint64_t count_triangles() = 0;
    /// Searches from the vertices that all ranks pass. bottom_up and arcs are 0.
    virtual algorithms::bfs_report bfs(std::span<graph::vertex_id const> sources) = 0;
    virtual std::uint64_t count_components() = 0;
    /// The rows of rank `from`, on rank 0; empty on others.
    virtual rows_of_rank rows_on_first(int from) = 0;
    /// A line per broken invariant that this rank finds, and one for each other rank that finds any.
    virtual std::vector<std::string> validate() = 0;
    /// The sum over all ranks.
    virtual graph::memory_report memory_of_all() = 0;
    /// Each rank compacts its part: as any_graph::compact().
    virtual graph::compaction_report compact(std::uint64_t most_moved_bytes) = 0;

    // Not collective. The updates of a stream reduced in the space of this rank: as the functions of
    // any_graph.
    [[nodiscard]] virtual bool reduces_updates() const = 0;
    [[nodiscard]] virtual std::unique_ptr<any_staged_batch>
    stage_updates(std::span<graph::update const> updates) = 0;
    virtual graph::net_edges net_effect(any_staged_batch const& updates) = 0;

    /// How the arcs of the last batch have come to this rank.
    [[nodiscard]] virtual graph::arc_transport transport() const = 0;
    /// Frees the scratch of this rank. Not collective.
    virtual void release_scratch() = 0;
    virtual void synchronize() = 0; ///< waits for this rank's space
};

/// One rank's end of a group. One thread uses it at a time.
class any_rank {
public:
    virtual ~any_rank() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    [[nodiscard]] virtual std::string space() const = 0;       ///< "host", "cuda"
    [[nodiscard]] virtual std::string device_name() const = 0; ///< of this rank
    [[nodiscard]] virtual std::string backend() const = 0;     ///< "threads", "nccl"

    /// Collective. Opens a graph. Heap and memory limit of `choice` are those of this rank; space, layout,
    /// allocator, threads and seed are ignored. Throws as the constructor of partitioned_graph.
    [[nodiscard]] virtual std::unique_ptr<any_part> open(graph_choice const& choice) = 0;
    /// Collective. The words of all ranks, in the order of the ranks; each passes equally many. Waits. Throws
    /// comm::comm_error.
    virtual std::vector<std::uint64_t> gather_words(std::span<std::uint64_t const> mine) = 0;
    /// Whether the group has ended by a failure.
    [[nodiscard]] virtual bool has_failed() const = 0;
    /// Ends the group: other ranks that wait for this one fail.
    virtual void abort(std::string const& why) noexcept = 0;
};

} // namespace rhizome::runtime
