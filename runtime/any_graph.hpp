// SPDX-License-Identifier: Apache-2.0
// A dynamic graph whose space, layout, allocator and value type were chosen at run time.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/net_edges.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/update.hpp>
#include <rhizome/runtime/algorithm.hpp>
#include <rhizome/runtime/graph_choice.hpp>
#include <rhizome/runtime/graph_results.hpp>
#include <rhizome/runtime/values.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rhizome::runtime {

/// The names of the space, layout and allocator of a graph, as they were chosen.
struct graph_names {
    std::string space;
    std::string layout;
    std::string allocator;
};

/// A batch of edges that any_graph::stage() has copied into the graph's space. It may be destroyed after the
/// graph, but not applied then.
class any_staged_batch {
public:
    virtual ~any_staged_batch() = default;
};

/// Compressed sparse rows in the memory of the graph's space (for insert_rows(): in host memory). This
/// struct does not own the arrays. The caller keeps them alive, or the snapshot does (any_snapshot::rows()).
struct rows_in_space {
    std::uint64_t const* offsets = nullptr;    ///< vertices + 1 offsets; the last is `arcs`
    graph::vertex_id const* targets = nullptr; ///< one per arc
    void const* values = nullptr;              ///< one per arc, of the graph's value type; nullptr: none
    std::uint64_t vertices = 0;
    std::uint64_t arcs = 0;
    bool symmetric = false; ///< each arc has its reverse; not checked
};

/// A static copy of a graph as compressed sparse rows. Owns its memory, which lies in the graph's space.
class any_snapshot {
public:
    virtual ~any_snapshot() = default;

    /// The arrays in the memory of the space; valid as long as the snapshot.
    [[nodiscard]] virtual rows_in_space rows() const = 0;

    // Copies on the host. Each call waits for all earlier work of the space.
    [[nodiscard]] virtual std::vector<std::uint64_t> offsets_on_host() const = 0;
    [[nodiscard]] virtual std::vector<graph::vertex_id> targets_on_host() const = 0;
    [[nodiscard]] virtual values values_on_host() const = 0; ///< one per arc, or none
};

/// The result of neighbours_of(): the lists one after another, in the order of the ids asked for. List i is
/// targets[offsets[i]] to targets[offsets[i + 1] - 1].
struct neighbour_lists {
    std::vector<std::uint64_t> offsets; ///< number of lists + 1
    std::vector<graph::vertex_id> targets;
    runtime::values values; ///< one per target, or none
};

/// The result of edge_values(), one entry per edge asked for.
struct found_values {
    runtime::values values;            ///< 0 if the edge is absent
    std::vector<std::uint8_t> present; ///< 0 or 1
};

/// Whether PageRank computes in float or in double.
enum class rank_type : std::uint8_t { float32, float64 };

/// The result of pagerank().
struct pagerank_answer {
    std::vector<double> ranks; ///< one per vertex id; their sum is 1, unless no vertex is live
    unsigned iterations = 0;   ///< number of iterations that were run
    double residual = 0;       ///< L1 distance between the last two iterates
    bool converged = false;    ///< residual <= tolerance
};

/// The result of run_pagerank(): as pagerank_answer, but the PageRank values stay in the memory of the space.
/// Those of a graph over several devices are of type float64, in host memory.
struct pagerank_run {
    rank_type type = rank_type::float64;
    /// One per vertex id, of type `type`. Valid until the graph's next PageRank of that type,
    /// release_scratch(), or the end of the graph.
    void const* ranks_in_space = nullptr;
    unsigned iterations = 0;
    double residual = 0;
    bool converged = false;
};

/// The result of bfs().
struct bfs_answer {
    /// One per vertex id: arcs of a shortest path from a source, or algorithms::unreached.
    std::vector<std::uint32_t> levels;
    /// One per vertex id: the vertex before it on such a path, of a source the source itself;
    /// graph::no_vertex for vertices without a level.
    std::vector<graph::vertex_id> parents;
    algorithms::bfs_report report;
};

/// The result of run_bfs(): as bfs_answer, but levels and parents stay in the memory of the space. Both are
/// valid until the graph's next breadth-first search, release_scratch(), or the end of the graph.
struct bfs_run {
    std::uint32_t const* levels_in_space = nullptr;
    graph::vertex_id const* parents_in_space = nullptr; ///< nullptr if parents were not asked for
    algorithms::bfs_report report;
};

/// The result of components().
struct components_answer {
    /// One per vertex id: the least id of its component; graph::no_vertex for the id of an erased vertex.
    std::vector<graph::vertex_id> components;
    std::uint64_t count = 0; ///< number of components
};

/// The result of run_components(): as components_answer, but the array stays in the memory of the space. It
/// is valid until the graph's next run of components, release_scratch(), or the end of the graph.
struct components_run {
    graph::vertex_id const* components_in_space = nullptr;
    std::uint64_t count = 0;
};

/// The result of k_core().
struct k_core_answer {
    std::vector<std::uint32_t> cores; ///< the core number of each vertex; 0 for ids of erased vertices
    std::uint32_t largest = 0;        ///< the largest core number
};

/// The result of run_k_core(): as k_core_answer, but the array stays in the memory of the space. It is valid
/// until the graph's next decomposition, release_scratch(), or the end of the graph.
struct k_core_run {
    std::uint32_t const* cores_in_space = nullptr;
    std::uint32_t largest = 0;
};

/// The result of shortest_paths().
struct shortest_paths_answer {
    /// One per vertex id: the least sum of weights along a path from a source, or infinity. Sums of whole
    /// weights beyond 2^53 are rounded.
    std::vector<double> distances;
    std::vector<graph::vertex_id> parents; ///< as bfs_answer::parents
    algorithms::shortest_paths_report report;
};

/// The result of run_shortest_paths(): as shortest_paths_answer, but distances and parents stay in the memory
/// of the space. Both are valid until the graph's next shortest paths, release_scratch(), or the
/// end of the graph.
struct shortest_paths_run {
    value_type weights = value_type::none;
    /// One per vertex id, of type algorithms::distance_of<the type of the weights>.
    void const* distances_in_space = nullptr;
    graph::vertex_id const* parents_in_space = nullptr; ///< nullptr if parents were not asked for
    algorithms::shortest_paths_report report;
};

/// The edges of a batch: pairs, or two columns of 32 or 64 bits, graph::edge_columns{sources, targets}, of
/// which edge i goes from sources[i] to targets[i]. Columns must be equally long; otherwise the calls below
/// throw std::invalid_argument. Numbers that are too large for an id are rejected, like ids of vertices that
/// do not exist. Cost of columns, beside that of the batch: scratch of 8 bytes per edge, and a kernel that
/// writes the edges there as pairs. stage() takes neither.
using batch_edges = std::variant<std::span<graph::edge const>, graph::edge_columns<std::uint32_t>,
                                 graph::edge_columns<std::uint64_t>>;

/// Questions about single edges and vertices, and copies of the graph in its space.
class graph_queries {
public:
    virtual ~graph_queries() = default;

    // Queries from host memory. All wait.

    /// 1 for each edge that is present, else 0.
    [[nodiscard]] virtual std::vector<std::uint8_t> has_edges(std::span<graph::edge const> edges) = 0;
    /// The out-degree of each vertex; graph::no_degree for an id that does not belong to a live vertex.
    [[nodiscard]] virtual std::vector<std::uint32_t> degrees(std::span<graph::vertex_id const> ids) = 0;
    /// The out-neighbours of each vertex, with the values of the edges to them.
    [[nodiscard]] virtual neighbour_lists neighbours_of(std::span<graph::vertex_id const> ids) = 0;
    /// The value of each edge, and whether the edge is present. Throws std::invalid_argument for a graph
    /// without values.
    [[nodiscard]] virtual found_values edge_values(std::span<graph::edge const> edges) = 0;

    // Queries in the space. Asynchronous, but for neighbour_offsets_in_space(). `present`, `values` and
    // `degrees` hold `count` elements, `offsets` count + 1.
    virtual void has_edges_in_space(graph::edge const* edges, std::uint64_t count, std::uint8_t* present) = 0;
    /// `values`: of the graph's value type; 0 for an edge that is absent. Throws std::invalid_argument for a
    /// graph without values.
    virtual void edge_values_in_space(graph::edge const* edges, std::uint64_t count, void* values,
                                      std::uint8_t* present) = 0;
    virtual void degrees_in_space(graph::vertex_id const* ids, std::uint64_t count,
                                  std::uint32_t* degrees) = 0;
    /// Returns the number of neighbours of all these vertices: room for neighbours_in_space(), which is
    /// called next, with the same ids and offsets. Waits. Throws exec::out_of_memory.
    [[nodiscard]] virtual std::uint64_t
    neighbour_offsets_in_space(graph::vertex_id const* ids, std::uint64_t count, std::uint64_t* offsets) = 0;
    /// `values`: nullptr, or one per target, of the graph's value type. Nothing else may have changed the
    /// graph since neighbour_offsets_in_space().
    virtual void neighbours_in_space(graph::vertex_id const* ids, std::uint64_t count,
                                     std::uint64_t const* offsets, std::uint64_t total,
                                     graph::vertex_id* targets, void* values) = 0;

    /// A static copy of the out-adjacency with values. May outlive the graph. Throws exec::out_of_memory.
    [[nodiscard]] virtual std::unique_ptr<any_snapshot> snapshot() = 0;

    /// Where the neighbours of each vertex lie in the memory of the space
    /// (basic_dynamic_graph::row_places()).
    [[nodiscard]] virtual std::vector<std::span<graph::vertex_id const>> row_places() = 0;
};

/// The functions of graph::dynamic_graph, with its guarantees (graph/dynamic_graph.hpp), as virtual
/// functions. Each call costs one more indirect call. Throws what the graph throws, and
/// std::invalid_argument for values of another type than the graph's.
///
/// Pointers "in space" must point to memory that kernels of the graph's space can access: device or managed
/// memory on cuda, any memory of the process on other spaces. Not thread-safe, with one exception: on cuda
/// and host, stage() may run in another thread concurrently with the other functions.
class any_graph {
public:
    virtual ~any_graph() = default;

    /// Throws std::invalid_argument if the graph does not offer them, as a graph over ranks.
    [[nodiscard]] virtual graph_queries& queries() = 0;
    /// Results that follow the graph. Throws std::invalid_argument as queries().
    [[nodiscard]] virtual graph_results& results() = 0;

    /// Space, layout and allocator as chosen, with defaults filled in.
    [[nodiscard]] virtual graph_names const& names() const = 0;
    [[nodiscard]] virtual std::string device_name() const = 0; ///< "NVIDIA H200", "host, 2 threads", ...
    /// The type of the edge values, or none.
    [[nodiscard]] virtual runtime::value_type value_type() const = 0;
    [[nodiscard]] virtual bool directed() const = 0;

    [[nodiscard]] virtual std::uint64_t vertex_count() const = 0;      ///< all vertex ids are less than this
    [[nodiscard]] virtual std::uint64_t live_vertex_count() const = 0; ///< vertices that are not erased
    [[nodiscard]] virtual std::uint64_t edge_count() const = 0;        ///< an undirected edge counts once
    /// Arcs of the out-adjacency: an undirected edge is two of them, a self-loop one.
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;
    /// How many edges to insert at a time when an empty graph is filled with edges in ascending order.
    [[nodiscard]] virtual std::uint64_t first_load_edges() const = 0;
    /// Whether insert_rows_in_space() builds an empty graph from rows in any memory of the process
    /// (basic_dynamic_graph::builds_rows).
    [[nodiscard]] virtual bool builds_rows() const = 0;

    /// Makes `count` vertices without edges, with ids from vertex_count() on. Throws exec::out_of_memory or
    /// std::length_error (too many vertices); the graph is then unchanged.
    virtual void add_vertices(std::uint64_t count) = 0;
    /// The same, but reuses ids of erased vertices first. Returns the ids.
    virtual std::vector<graph::vertex_id> insert_vertices(std::uint64_t count) = 0;
    /// Erases vertices with all their edges. `ids`: host memory. Throws exec::out_of_memory, and
    /// std::length_error if there are too many edges to erase.
    virtual graph::vertex_report erase_vertices(std::span<graph::vertex_id const> ids) = 0;

    /// Inserts a batch from host memory. `values`: one per edge if the graph has values; otherwise empty.
    /// Throws as graph::dynamic_graph::insert_edges().
    virtual graph::batch_report insert_edges(batch_edges const& edges, values_view values = {}) = 0;
    /// Erases a batch from host memory. Throws as graph::dynamic_graph::erase_edges().
    virtual graph::batch_report erase_edges(batch_edges const& edges) = 0;

    /// Copies a batch into the space, concurrently with the work there; the caller may reuse `edges` and
    /// `values` on return. At most two batches can be staged at a time; a third throws std::logic_error. If
    /// the graph has values, a batch that was staged without values can only be erased, not inserted.
    [[nodiscard]] virtual std::unique_ptr<any_staged_batch> stage(batch_edges const& edges,
                                                                  values_view values = {}) = 0;
    /// Inserts or erases a staged batch. It stays staged. Throws std::invalid_argument for a batch of another
    /// graph.
    virtual graph::batch_report insert_edges(any_staged_batch const& staged) = 0;
    virtual graph::batch_report erase_edges(any_staged_batch const& staged) = 0;

    /// Inserts or erases edges that lie in memory that the graph's space reads. `values`: one per edge, in
    /// the same memory, of the graph's value type; nullptr if the graph has none.
    virtual graph::batch_report insert_edges_in_space(batch_edges const& edges,
                                                      void const* values = nullptr) = 0;
    virtual graph::batch_report erase_edges_in_space(batch_edges const& edges) = 0;
    graph::batch_report insert_edges_in_space(graph::edge const* edges, std::uint64_t count,
                                              void const* values = nullptr) {
        return insert_edges_in_space(std::span(edges, count), values);
    }
    graph::batch_report erase_edges_in_space(graph::edge const* edges, std::uint64_t count) {
        return erase_edges_in_space(std::span(edges, count));
    }

    // Updates in the order of a stream: their net effect is formed in the space.

    /// Whether to use stage_updates() and net_effect(). False on the host space: io::batch_reducer does the
    /// same there with less memory. On other spaces kernels do it, while the host is free for other work.
    [[nodiscard]] virtual bool reduces_updates() const = 0;
    /// Copies updates into the space, concurrently with the work there; the caller may reuse them on return.
    /// At most two batches of updates can be staged at a time; a third throws std::logic_error. Throws
    /// exec::out_of_memory.
    [[nodiscard]] virtual std::unique_ptr<any_staged_batch>
    stage_updates(std::span<graph::update const> updates) = 0;
    /// Returns the net effect of updates that stage_updates() has copied. Pass the insertions to
    /// insert_edges_in_space() first, because only they need more memory for adjacency, then the deletions to
    /// erase_edges_in_space(). The lists are valid until the next call of net_effect() or release_scratch().
    /// Throws exec::out_of_memory, std::length_error for more than 2^32 - 1 updates, and
    /// std::invalid_argument for a batch that stage_updates() of this graph has not made. Waits. Memory: 50
    /// bytes per update, and 12 bytes per update for the copy.
    virtual graph::net_edges net_effect(any_staged_batch const& updates) = 0;

    /// Until end_disjoint_changes(), changes touch no edge twice, as those of a net effect: results() are not
    /// brought up to date between them.
    virtual void begin_disjoint_changes() {}
    virtual void end_disjoint_changes() {}

    /// Inserts one edge per arc of the rows, as one batch. The neighbours of a row need not ascend. If the
    /// graph is undirected and rows.symmetric is true, each pair of opposite arcs is inserted as one edge.
    /// Takes memory for a list of 8 bytes per edge.
    virtual graph::batch_report insert_rows_in_space(rows_in_space const& rows) = 0;
    /// The same for rows in host memory: copies them into the space first, unless it shares that memory.
    /// The caller may free them on return.
    virtual graph::batch_report insert_rows(rows_in_space const& rows_on_host) = 0;

    // The whole graph on the host. Each makes a snapshot in the space and a copy on the host, throws
    // exec::out_of_memory, and waits.

    [[nodiscard]] virtual std::vector<std::uint32_t> all_degrees() = 0; ///< one per vertex id
    /// In ascending order; in an undirected graph source <= target.
    [[nodiscard]] virtual std::vector<graph::edge> all_edges() = 0;
    /// One for each of all_edges(); none if the graph has no values.
    [[nodiscard]] virtual values all_values() = 0;

    /// Runs an algorithm of algorithms() (runtime/algorithm.hpp) on the graph in its current state; the
    /// arrays that it finds stay in the space. `snapshot`: run on this snapshot instead. Its memory must lie
    /// in the graph's space, and its values must have the type of the graph's; otherwise throws
    /// std::invalid_argument. Waits. Throws what the algorithm throws: std::invalid_argument for arguments
    /// out of range, for a source that is no live vertex, for weights that it does not take, and for a graph
    /// without weights if it needs some; exec::out_of_memory.
    algorithm_result run(std::string_view algorithm, algorithm_arguments given = {},
                         any_snapshot const* snapshot = nullptr);

    // Some of them by their types. Those that return an answer copy the arrays to the host. Those called
    // run_... leave them in the space.

    /// PageRank, computed in double.
    pagerank_answer pagerank(algorithms::pagerank_options const& options);
    pagerank_run run_pagerank(algorithms::pagerank_options const& options, rank_type type,
                              any_snapshot const* snapshot = nullptr);
    /// Counts triangles; directions and self-loops do not matter. For a directed graph it first makes a
    /// symmetric copy, which takes 40 bytes of scratch per arc.
    std::uint64_t count_triangles(any_snapshot const* snapshot = nullptr);
    /// Breadth-first search from `sources` (host memory) along out-arcs.
    [[nodiscard]] bfs_answer bfs(std::span<graph::vertex_id const> sources);
    bfs_run run_bfs(std::span<graph::vertex_id const> sources, bool parents,
                    any_snapshot const* snapshot = nullptr);
    /// Connected components, of a directed graph the weakly connected ones.
    [[nodiscard]] components_answer components();
    components_run run_components(any_snapshot const* snapshot = nullptr);
    /// The core numbers of all vertices; directions and self-loops do not matter. For a directed graph it
    /// first makes a symmetric copy, which takes 40 bytes of scratch per arc.
    [[nodiscard]] k_core_answer k_core();
    k_core_run run_k_core(any_snapshot const* snapshot = nullptr);
    /// Shortest paths from `sources` (host memory) along out-arcs; the values of the edges are their weights.
    /// Of `options`, only delta is used: the others are for tests of the algorithm itself.
    [[nodiscard]] shortest_paths_answer
    shortest_paths(std::span<graph::vertex_id const> sources,
                   algorithms::shortest_paths_options const& options = {});
    shortest_paths_run run_shortest_paths(std::span<graph::vertex_id const> sources, bool parents,
                                          algorithms::shortest_paths_options const& options = {},
                                          any_snapshot const* snapshot = nullptr);
    /// A copy of the distances, as in shortest_paths_answer. Waits.
    [[nodiscard]] std::vector<double> distances_on_host(shortest_paths_run const& run);

    /// Copies `bytes` from the memory of the space to the host, after all earlier work of the space. Waits.
    virtual void copy_out(void* to, void const* in_space, std::uint64_t bytes) = 0;
    /// What an algorithm left in the space: a copy of an array with one element per vertex id. Waits.
    template <class T>
    [[nodiscard]] std::vector<T> on_host(T const* in_space);
    [[nodiscard]] array_on_host on_host(array_in_space const& array);
    /// Copies of all arrays of a result.
    [[nodiscard]] std::vector<array_on_host> on_host(algorithm_result const& found);

    /// How many bytes each part of the graph holds. Waits.
    [[nodiscard]] virtual graph::memory_report memory() = 0;
    /// One line for each broken invariant; empty if the structure is sound. Waits.
    [[nodiscard]] virtual std::vector<std::string> validate() = 0;
    /// Frees the scratch of batches, queries and algorithms. What runs of algorithms left in the
    /// space becomes invalid.
    virtual void release_scratch() = 0;
    /// Whether compact() makes the heap smaller: with layout contiguous and an ouroboros allocator.
    [[nodiscard]] virtual bool can_compact() const = 0;
    /// Gives memory of the heap back: as graph::basic_graph::compact(). Over ranks, each copies at most
    /// `most_moved_bytes`, and the report is the sum. Throws exec::out_of_memory.
    virtual graph::compaction_report
    compact(std::uint64_t most_moved_bytes = std::numeric_limits<std::uint64_t>::max()) = 0;
    virtual void synchronize() = 0; ///< waits for all work given to the space: call before reading a clock

protected:
    /// Completes the arguments of an algorithm and checks them. Returns its number. Throws as run().
    std::size_t checked_arguments(std::string_view algorithm, algorithm_arguments& given) const;

private:
    /// Runs algorithm `number` of algorithms(). `given` is complete and in range. If the algorithm needs
    /// weights, the graph has values; whether they are weights is checked here.
    virtual algorithm_result run(std::size_t number, algorithm_arguments const& given,
                                 any_snapshot const* snapshot) = 0;
};

template <class T>
std::vector<T> any_graph::on_host(T const* in_space) {
    std::vector<T> copy(vertex_count());
    if (!copy.empty()) copy_out(copy.data(), in_space, copy.size() * sizeof(T));
    return copy;
}

} // namespace rhizome::runtime
