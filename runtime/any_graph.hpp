// A dynamic graph whose space, layout, allocator and value type were chosen at run time.
#pragma once

#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/runtime/graph_choice.hpp>
#include <rhizome/runtime/values.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rhizome::runtime {

/// The types of an open graph, by the names under which they were chosen.
struct graph_names {
    std::string space;
    std::string layout;
    std::string allocator;
};

/// A batch of edges that any_graph::stage() copies into the graph's space. The graph must outlive it.
class any_staged_batch {
public:
    virtual ~any_staged_batch() = default;
};

/// Compressed sparse rows in the memory of the graph's space. The caller owns them.
struct rows_in_space {
    std::uint64_t const* offsets = nullptr;    ///< vertices + 1 of them; the last is `arcs`
    graph::vertex_id const* targets = nullptr; ///< one per arc
    void const* values = nullptr;              ///< one per arc, of the graph's value type; nullptr: none
    std::uint64_t vertices = 0;
    std::uint64_t arcs = 0;
    bool symmetric = false; ///< each arc has its mirror
};

/// A static copy of a graph as compressed sparse rows. Owns its memory, which lies in the graph's space.
class any_snapshot {
public:
    virtual ~any_snapshot() = default;

    [[nodiscard]] virtual rows_in_space rows() const = 0;

    // Copies on the host. Each waits for the work that the space was given before.
    [[nodiscard]] virtual std::vector<std::uint64_t> offsets_on_host() const = 0;
    [[nodiscard]] virtual std::vector<graph::vertex_id> targets_on_host() const = 0;
    [[nodiscard]] virtual values values_on_host() const = 0; ///< one per arc, or none
};

/// The answer to neighbours_of(): list behind list, in the order of the question.
struct neighbour_lists {
    std::vector<std::uint64_t> offsets; ///< one per list, and the end of the last
    std::vector<graph::vertex_id> targets;
    runtime::values values; ///< one per target, or none
};

/// The answer to edge_values(), one entry per edge of the question.
struct found_values {
    runtime::values values;            ///< 0 where the edge is absent
    std::vector<std::uint8_t> present; ///< 0 or 1
};

/// Whether PageRank computes in float or in double.
enum class rank_type : std::uint8_t { float32, float64 };

struct pagerank_answer {
    std::vector<double> ranks; ///< one per vertex id, sums to 1
    unsigned iterations = 0;
    double residual = 0; ///< L1 distance of the last two iterates
    bool converged = false;
};

/// The same, without a copy of the ranks.
struct pagerank_run {
    rank_type type = rank_type::float64;
    void const* ranks_in_space = nullptr; ///< one per vertex id; good until the graph's next run
    unsigned iterations = 0;
    double residual = 0;
    bool converged = false;
};

/// What graph::dynamic_graph offers, with its guarantees (graph/dynamic_graph.hpp), behind virtual functions.
/// Each call costs one indirect call more. Throws what the graph throws, and std::invalid_argument for values
/// of another type than the graph's. Pointers "in space" point to memory that the graph's space reads: device
/// or managed memory on cuda, any memory elsewhere. Not for concurrent use, but for stage() on cuda and host.
class any_graph {
public:
    virtual ~any_graph() = default;

    [[nodiscard]] virtual graph_names const& names() const = 0;
    [[nodiscard]] virtual std::string device_name() const = 0; ///< "NVIDIA H200", "host, 2 threads", ...
    [[nodiscard]] virtual runtime::value_type value_type() const = 0;
    [[nodiscard]] virtual bool directed() const = 0;

    [[nodiscard]] virtual std::uint64_t vertex_count() const = 0; ///< all vertex ids are less than it
    [[nodiscard]] virtual std::uint64_t live_vertex_count() const = 0;
    [[nodiscard]] virtual std::uint64_t edge_count() const = 0; ///< an undirected edge counts once
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;  ///< an undirected edge counts twice
    /// How many edges to insert at a time when an empty graph is filled with edges in ascending order.
    [[nodiscard]] virtual std::uint64_t first_load_edges() const = 0;

    virtual void add_vertices(std::uint64_t count) = 0;
    virtual std::vector<graph::vertex_id> insert_vertices(std::uint64_t count) = 0;
    virtual graph::vertex_report erase_vertices(std::span<graph::vertex_id const> ids) = 0;

    /// A batch from host memory. `values`: one per edge where the graph has values, else empty. Throws
    /// exec::out_of_memory when the batch does not fit; the graph is then as it was.
    virtual graph::batch_report insert_edges(std::span<graph::edge const> edges, values_view values = {}) = 0;
    virtual graph::batch_report erase_edges(std::span<graph::edge const> edges) = 0;

    /// Copies a batch into the space, concurrent with the work there; `edges` and `values` are free on
    /// return. At most two batches at a time. A batch without values can only be erased where the graph has
    /// values.
    [[nodiscard]] virtual std::unique_ptr<any_staged_batch> stage(std::span<graph::edge const> edges,
                                                                  values_view values = {}) = 0;
    virtual graph::batch_report insert_edges(any_staged_batch const& staged) = 0;
    virtual graph::batch_report erase_edges(any_staged_batch const& staged) = 0;

    /// A batch that lies in the space.
    virtual graph::batch_report insert_edges_in_space(graph::edge const* edges, std::uint64_t count,
                                                      void const* values = nullptr) = 0;
    virtual graph::batch_report erase_edges_in_space(graph::edge const* edges, std::uint64_t count) = 0;
    virtual graph::batch_report insert_rows_in_space(rows_in_space const& rows) = 0;

    // Queries from host memory.
    [[nodiscard]] virtual std::vector<std::uint8_t> has_edges(std::span<graph::edge const> edges) = 0;
    [[nodiscard]] virtual std::vector<std::uint32_t> degrees(std::span<graph::vertex_id const> ids) = 0;
    [[nodiscard]] virtual neighbour_lists neighbours_of(std::span<graph::vertex_id const> ids) = 0;
    /// Throws std::invalid_argument for a graph without values.
    [[nodiscard]] virtual found_values edge_values(std::span<graph::edge const> edges) = 0;
    // Queries in the space, asynchronous.
    virtual void has_edges_in_space(graph::edge const* edges, std::uint64_t count, std::uint8_t* present) = 0;
    virtual void degrees_in_space(graph::vertex_id const* ids, std::uint64_t count,
                                  std::uint32_t* degrees) = 0;

    [[nodiscard]] virtual std::unique_ptr<any_snapshot> snapshot() = 0;

    // The whole graph on the host, through a snapshot.
    [[nodiscard]] virtual std::vector<std::uint32_t> all_degrees() = 0; ///< one per vertex id
    [[nodiscard]] virtual std::vector<graph::edge> all_edges() = 0; ///< ascending; undirected: source <= target
    [[nodiscard]] virtual values all_values() = 0;                  ///< one for each of all_edges(), or none

    /// PageRank in double, on the live graph.
    virtual pagerank_answer pagerank(algorithms::pagerank_options const& options) = 0;
    /// The same in either type, on the live graph or on a snapshot of it, without a copy of the ranks.
    virtual pagerank_run run_pagerank(algorithms::pagerank_options const& options, rank_type type,
                                      any_snapshot const* snapshot = nullptr) = 0;
    /// Triangles of the underlying simple undirected graph, of which a directed graph makes a symmetric copy.
    virtual std::uint64_t count_triangles(any_snapshot const* snapshot = nullptr) = 0;

    [[nodiscard]] virtual graph::memory_report memory() = 0;
    /// One line for each broken invariant; empty when the structure is sound.
    [[nodiscard]] virtual std::vector<std::string> validate() = 0;
    virtual void release_scratch() = 0;
    virtual void synchronize() = 0; ///< waits for all work given to the space: call before reading a clock
};

} // namespace rhizome::runtime
