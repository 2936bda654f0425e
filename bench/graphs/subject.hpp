// SPDX-License-Identifier: Apache-2.0
// A dynamic graph under measurement, behind one interface: workloads and checks are compiled once, and only
// the graph's own kernels for each layout and allocator in each space.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/bench/graphs/batch_shape.hpp>
#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/runtime/graph_results.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rhizome::bench {

/// What an algorithm reads: the graph in place, or the last snapshot of it.
enum class seen_as : std::uint8_t { live, snapshot };

/// A batch that was applied; the time is that of the call, with the edges in the space already.
struct timed_batch {
    double ms = 0;
    graph::batch_report report;
};

struct timed_ranks {
    double ms = 0; ///< of all iterations
    std::vector<float> ranks;
};

struct timed_triangles {
    double ms = 0;
    std::uint64_t triangles = 0;
};

struct timed_search {
    double ms = 0;
    algorithms::bfs_report report;
    std::vector<std::uint32_t> levels;
    std::vector<graph::vertex_id> parents; ///< none if they were not asked for
};

struct timed_components {
    double ms = 0;
    std::uint64_t count = 0;
    std::vector<graph::vertex_id> components;
};

struct timed_cores {
    double ms = 0;
    std::uint32_t largest = 0;
    std::vector<std::uint32_t> cores;
};

struct timed_paths {
    double ms = 0;
    std::uint64_t reached = 0;
    std::vector<double> distances;
    std::vector<graph::vertex_id> parents; ///< none if they were not asked for
};

/// What an algorithm found, whose arrays may lie in the space.
struct timed_run {
    double ms = 0;
    runtime::algorithm_result found;
    bool recomputed = false; ///< a result that follows the graph: computed anew, not repaired
};

/// Compressed sparse rows on the host.
struct host_rows {
    std::vector<std::uint64_t> offsets;
    std::vector<graph::vertex_id> targets;

    friend bool operator==(host_rows const&, host_rows const&) = default;
};

/// One graph on one space with room for one batch. All calls wait for their end. Throws what the space
/// throws.
class graph_subject {
public:
    virtual ~graph_subject() = default;

    /// How batches of the graphs that renew() makes request pages.
    virtual void request_pages(graph::page_requests pages) = 0;
    /// Gives up the graph; the new one has no edges.
    virtual void renew() = 0;
    /// Copies a batch from the host. `weights`: one per edge if the graph has weights; otherwise empty.
    virtual void set_batch(std::span<graph::edge const> edges, std::span<double const> weights = {}) = 0;
    /// A batch of edges that the last snapshot does not have. Throws std::runtime_error where it has nearly
    /// all.
    virtual void draw_batch(batch_shape const& shape) = 0;

    /// A new graph of the batch's edges; making it empty is not measured.
    virtual timed_batch build() = 0;
    /// The same of the rows that are kept.
    virtual timed_batch build_from_rows() = 0;
    virtual timed_batch insert_batch() = 0;
    virtual timed_batch erase_batch() = 0;

    [[nodiscard]] virtual std::uint64_t edge_count() const = 0;
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;
    [[nodiscard]] virtual graph::memory_report memory() = 0;
    /// The milliseconds that it took. A graph that cannot be compacted stays as it is.
    virtual double compact() = 0;
    /// Where the neighbours of each vertex lie; empty if a row has several pages.
    [[nodiscard]] virtual std::vector<std::span<graph::vertex_id const>> row_places() = 0;
    /// One line for each broken invariant.
    [[nodiscard]] virtual std::vector<std::string> validate() = 0;

    /// Milliseconds of taking a snapshot; its rows are kept in the place of others.
    virtual double take_snapshot() = 0;
    /// Keeps rows from elsewhere, so that the graph itself is left alone.
    virtual void keep_rows(host_rows const& rows) = 0;
    [[nodiscard]] virtual host_rows snapshot_on_host() const = 0;
    /// Places in which the graph differs from the kept rows.
    [[nodiscard]] virtual std::uint64_t changes() = 0;

    [[nodiscard]] virtual timed_ranks rank(seen_as view, unsigned iterations) = 0;
    /// Of undirected graphs alone.
    [[nodiscard]] virtual timed_triangles count_triangles(seen_as view) = 0;
    /// Breadth-first. Copying the results to the host is not measured; nor is that of the others.
    [[nodiscard]] virtual timed_search search(seen_as view, graph::vertex_id source, bool parents) = 0;
    [[nodiscard]] virtual timed_components join(seen_as view) = 0;
    [[nodiscard]] virtual timed_cores decompose(seen_as view) = 0;
    /// Of graphs with weights alone.
    [[nodiscard]] virtual timed_paths find_paths(seen_as view, graph::vertex_id source, bool parents) = 0;

    /// An algorithm of the table (runtime/algorithm.hpp), on the live graph.
    [[nodiscard]] virtual timed_run run(std::string const& algorithm,
                                        runtime::algorithm_arguments const& given) = 0;
    /// Keeps the result of an algorithm up to date until renew(). Returns its number.
    [[nodiscard]] virtual std::size_t keep_result(std::string const& algorithm,
                                                  runtime::algorithm_arguments const& given,
                                                  algorithms::maintenance way) = 0;
    [[nodiscard]] virtual timed_run update_result(std::size_t number) = 0;
    /// Copies of the arrays of a run.
    [[nodiscard]] virtual std::vector<runtime::array_on_host>
    arrays_on_host(runtime::algorithm_result const& found) = 0;
};

struct graph_subject_options {
    std::string layout;
    std::string allocator;
    std::uint64_t vertices = 0;
    bool directed = true;
    bool weighted = false; ///< edges have weights of type double
};

/// Throws std::invalid_argument for a layout and an allocator that are not together in the catalogue.
template <class Space>
[[nodiscard]] std::unique_ptr<graph_subject> open_on(chosen_space const& where,
                                                     graph_subject_options const& options);

} // namespace rhizome::bench
