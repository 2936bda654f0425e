// SPDX-License-Identifier: Apache-2.0
// The dynamic graph: batches change its edges, and algorithms read it in place.
#pragma once

#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/core/core_interface.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/default_allocator.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/query_answers.hpp>
#include <rhizome/graph/staged_batch.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// The interface of a dynamic graph, which does not depend on the allocator. basic_dynamic_graph says what a
/// graph is.
template <class Id, class Space, class Layout, class EdgeValue>
class basic_graph {
    using core_type = core_interface<Id, Space, Layout, stored_for<EdgeValue>>;
    using stored_type = typename core_type::value_type;

public:
    using id_type = Id;
    using edge_type = basic_edge<Id>;
    using layout_type = Layout;
    /// How the neighbours of a vertex lie in memory. Internal to layouts, as record_type is.
    using format = typename Layout::template format<Id, EdgeValue>;
    using record_type = typename format::record_type;
    /// EdgeValue, or std::uint8_t if EdgeValue is void.
    using value_type = typename format::value_type;
    using view_type = row_view<format>;
    /// Lists of what changes did to the edges. Functions that change edges append to `changes`, if it is not
    /// nullptr; it lies in the space of the graph. Cost: one more launch, up to 5 us on a GPU (none after
    /// a batch that takes one launch), and up to 6 % of the time of a large batch; memory as graph_changes
    /// states.
    using changes_type = graph_changes<Space, EdgeValue, Id>;
    /// Whether edges have values.
    static constexpr bool has_values = format::has_values;
    /// Whether insert_rows_in_space() can build a graph without arcs directly from the rows, without a list
    /// of their edges. It does so if all of these hold:
    /// - the rows are those of all vertices of the graph, and each row ascends
    /// - each edge is in the rows once; in an undirected graph, in the row of its smaller end
    ///
    /// True only on the host space, where the rows may lie in any memory of the process. Scratch: 8 bytes per
    /// vertex.
    static constexpr bool builds_rows = Layout::sorted && exec::threads_take_runs<Space>;
    /// Recommended batch size, in edges, for filling an empty graph with edges in ascending order: 2^24 on
    /// the host space with a sorted layout, otherwise 2^22. On the host, edges that ascend need no sorting,
    /// so 2^24 of them take about as much scratch as 2^22 edges that are sorted.
    static constexpr std::uint64_t first_load_edges =
        builds_rows ? std::uint64_t{1} << 24 : std::uint64_t{1} << 22;

    /// Takes over an engine (make_core()), whatever its allocator.
    explicit basic_graph(std::unique_ptr<core_type> core) : core_(std::move(core)) {}
    basic_graph(basic_graph&&) = default;
    basic_graph& operator=(basic_graph&&) = delete;

    /// Makes `count` vertices without edges. Their ids are n to n + count - 1, where n is vertex_count()
    /// before the call. Throws out_of_memory, or std::length_error if there would be more than most_rows<Id>
    /// vertices (half as many with in_arcs). The graph is then unchanged.
    void add_vertices(std::uint64_t count) { core_->add_vertices(count); }

    /// Makes `count` vertices without edges and returns their ids: first ids that erase_vertices() freed,
    /// then new ones. Throws as add_vertices(); the graph is then unchanged.
    std::vector<Id> insert_vertices(std::uint64_t count) { return core_->insert_vertices(count); }

    /// Erases vertices with all their edges, in both directions. insert_vertices() may give their ids to new
    /// vertices afterwards. `ids`: host memory; ids may repeat. Throws out_of_memory, and std::length_error
    /// if the vertices have more edges than a batch can have. The graph is then unchanged, or broken as
    /// basic_dynamic_graph states. Cost: that of erasing the edges, and one more wait, to learn their number.
    /// In a directed graph without in_arcs also two passes over all arcs.
    vertex_report erase_vertices(std::span<Id const> ids, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->erase_vertices(ids); });
    }

    /// Inserts a batch from host memory. On CUDA, pinned memory is copied directly, other memory through a
    /// pinned buffer. The caller must not change `edges` before the call returns. If there is no memory for
    /// the whole batch at once, it is applied in smaller pieces.
    ///
    /// Throws out_of_memory, which says what is lacking. Throws std::length_error for more than 2^32 - 2
    /// edges (2^31 - 1 in an undirected graph or with in_arcs), or if a vertex would get more than
    /// most_neighbours<Id> neighbours, and std::out_of_range for unknown ids if the options refuse them. The
    /// graph is then unchanged, unless pieces could not be undone: it is broken then.
    ///
    /// Cost in the layout contiguous: the arcs of a batch are sorted on the whole device if
    /// - there are at least twice as many of them as rows (12 times as many on CUDA, if edges have no values,
    ///   ids have 32 bits and rows have at most 16 neighbours on average, or at most 64 where the batch
    ///   brings its arcs into bins of rows),
    /// - the graph has no arcs, and there are at least half as many as rows, or
    /// - a row of this batch, or of the one before, gets more arcs than a thread block can sort.
    ///
    /// Otherwise arcs are counted per row, and a batch of fewer arcs than space().concurrency() takes four
    /// launches. On CUDA, a batch of at most 128 edges and 256 arcs takes one, or one in vain before
    /// the ordinary ones. Each row that changes is then
    /// merged, in its page or into a new one. In other layouts each arc is searched for in its row, then
    /// appended.
    batch_report insert_edges(std::span<edge_type const> edges,
                              changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->apply_from_host(false, edges, {}); });
    }
    /// The same for a graph with values: inserts edges[i] with values[i]. An edge that is present gets the
    /// new value. If the batch repeats an edge, its last value counts. Throws std::invalid_argument if there
    /// are not as many values as edges.
    batch_report insert_edges(std::span<edge_type const> edges, std::span<value_type const> values,
                              changes_type* changes = nullptr) requires has_values {
        expect_as_many("insert_edges", edges.size(), values.size());
        return recorded(changes, [&] { return core_->apply_from_host(false, edges, stored(values)); });
    }

    /// Erases a batch from host memory. Needs no memory except scratch: a row that has become shorter moves
    /// to a smaller page only if the heap has one free. After the batch the heap may grow, to give the
    /// allocator space for the queue entries of the freed pages. It grows only if at least four times the
    /// growth is available. Throws out_of_memory, and std::length_error for more edges than insert_edges()
    /// accepts. The graph is then unchanged or broken, as after insert_edges(). Cost: as insert_edges().
    batch_report erase_edges(std::span<edge_type const> edges, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_from_host(true, edges, {}); });
    }

    /// Copies a batch into the memory of the space. On CUDA the copy runs concurrently with earlier work of
    /// the space. The caller may reuse its memory on return. Use it to copy the next batch before, or while,
    /// the present one is applied. May be called from another thread than the one that applies batches,
    /// except on the emulator.
    ///
    /// The graph has two staging buffers. A staged_batch holds one until it is destroyed; while two are held,
    /// staging a third batch throws std::logic_error. Allocates if the batch is larger than any before in its
    /// buffer; throws out_of_memory. If memory is short while a batch is staged
    /// or applied, the graph first frees the staging buffers that hold no batch, and tries again.
    [[nodiscard]] staged_batch stage(std::span<edge_type const> edges) { return core_->stage(edges, {}); }
    /// The same with values[i] for edges[i]. Throws std::invalid_argument if there are not as many values as
    /// edges.
    [[nodiscard]] staged_batch stage(std::span<edge_type const> edges,
                                     std::span<value_type const> values) requires has_values {
        expect_as_many("stage", edges.size(), values.size());
        return core_->stage(edges, stored(values));
    }
    /// Inserts a staged batch; otherwise as insert_edges() of host memory. The batch stays staged and may be
    /// applied again. Throws std::invalid_argument for a batch of another graph, or if the graph has values
    /// and the batch was staged without values.
    batch_report insert_edges(staged_batch const& staged, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_staged(false, staged); });
    }
    /// Erases a staged batch, whose values it ignores. Throws std::invalid_argument for a batch of another
    /// graph.
    batch_report erase_edges(staged_batch const& staged, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_staged(true, staged); });
    }

    /// Inserts `count` edges that lie in memory that kernels of the space can read; otherwise as
    /// insert_edges() of host memory. The edges are read in the order of the space. The caller may reuse
    /// their memory on return.
    batch_report insert_edges_in_space(edge_type const* edges, std::uint64_t count,
                                       changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->apply_placed(false, {edges, nullptr, count}); });
    }
    /// The same with values[i] for edges[i], also in memory that kernels can read.
    batch_report insert_edges_in_space(edge_type const* edges, value_type const* values, std::uint64_t count,
                                       changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] { return core_->apply_placed(false, {edges, stored(values), count}); });
    }
    /// Erases `count` edges that lie in memory that kernels of the space can read.
    batch_report erase_edges_in_space(edge_type const* edges, std::uint64_t count,
                                      changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_placed(true, {edges, nullptr, count}); });
    }

    /// As insert_edges_in_space(), in two phases: calls decide() once all pages that the batch needs are
    /// reserved, and applies the batch if that returns true. Otherwise returns nothing, and the graph is
    /// unchanged. So several graphs can apply a batch together or not at all. decide() must not use the
    /// graph; it may take long. If it throws, the graph is unchanged, and the call throws the same. The batch
    /// is not applied in pieces if memory is short: decide() is then not called, and the call throws
    /// out_of_memory. Cost: one more wait.
    [[nodiscard]] std::optional<batch_report>
    insert_edges_in_space_if(edge_type const* edges, std::uint64_t count, std::function<bool()> const& decide,
                             changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->apply_if(false, {edges, nullptr, count}, decide); });
    }
    /// The same with values[i] for edges[i].
    [[nodiscard]] std::optional<batch_report>
    insert_edges_in_space_if(edge_type const* edges, value_type const* values, std::uint64_t count,
                             std::function<bool()> const& decide,
                             changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] {
            return core_->apply_if(false, {edges, stored(values), count}, decide);
        });
    }
    /// Erases edges in two phases.
    [[nodiscard]] std::optional<batch_report> erase_edges_in_space_if(edge_type const* edges,
                                                                      std::uint64_t count,
                                                                      std::function<bool()> const& decide,
                                                                      changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_if(true, {edges, nullptr, count}, decide); });
    }

    /// Inserts edges given as two arrays in host memory, graph::edge_columns{sources, targets}: edge i goes
    /// from sources[i] to targets[i]. Both hold std::uint32_t or std::uint64_t. Numbers that are too large
    /// for an id of the graph are rejected, like ids of vertices that do not exist. Throws
    /// std::invalid_argument if sources, targets and values do not all have the same length; otherwise as
    /// insert_edges() of a batch of pairs.
    ///
    /// Cost, beside that of the batch: the arrays are copied into the space tuning::column_edges edges at a
    /// time. A kernel reads these and writes pairs to scratch, 8 bytes per edge (16 with 64-bit ids).
    /// Scratch must hold the pairs of the whole batch, also if it is applied in pieces. If the space shares
    /// the host's memory, the kernel reads the arrays in place.
    template <class Column>
    batch_report insert_edges(edge_columns<Column> const& edges,
                              changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->apply_columns(false, edges, {}); });
    }
    /// The same for a graph with values: inserts edge i with values[i].
    template <class Column>
    batch_report insert_edges(edge_columns<Column> const& edges, std::span<value_type const> values,
                              changes_type* changes = nullptr) requires has_values {
        expect_as_many("insert_edges", edges.size(), values.size());
        return recorded(changes, [&] { return core_->apply_columns(false, edges, stored(values)); });
    }
    /// Erases edges given as two arrays in host memory.
    template <class Column>
    batch_report erase_edges(edge_columns<Column> const& edges, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_columns(true, edges, {}); });
    }
    /// Copies edges given as two arrays in host memory into the memory of the space, as stage() of a batch
    /// of pairs does; otherwise as insert_edges() of two arrays. A number that is too large for an id of the
    /// graph is rejected when the batch is applied.
    ///
    /// Cost: the calling thread reads the arrays once and writes pairs, 8 bytes per edge (16 with 64-bit
    /// ids). On CUDA it writes them to pinned memory, from which the device copies them. If the space shares
    /// the host's memory, it writes them to the staging buffer. Takes no scratch.
    template <class Column>
    [[nodiscard]] staged_batch stage(edge_columns<Column> const& edges) {
        return core_->stage_columns(edges, {});
    }
    /// The same with values[i] for edge i. Throws std::invalid_argument if there are not as many values as
    /// edges.
    template <class Column>
    [[nodiscard]] staged_batch stage(edge_columns<Column> const& edges,
                                     std::span<value_type const> values) requires has_values {
        expect_as_many("stage", edges.size(), values.size());
        return core_->stage_columns(edges, stored(values));
    }
    /// Inserts edges given as two arrays in memory that kernels of the space can read. Cost, beside that of
    /// the batch: one launch that reads the arrays once and writes the pairs once, to scratch.
    template <class Column>
    batch_report insert_edges_in_space(edge_columns<Column> const& edges,
                                       changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->apply_columns_in_space(false, edges, nullptr); });
    }
    /// The same for a graph with values: inserts edge i with values[i].
    template <class Column>
    batch_report insert_edges_in_space(edge_columns<Column> const& edges, value_type const* values,
                                       changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] { return core_->apply_columns_in_space(false, edges, stored(values)); });
    }
    /// Erases edges given as two arrays in memory that kernels of the space can read.
    template <class Column>
    batch_report erase_edges_in_space(edge_columns<Column> const& edges, changes_type* changes = nullptr) {
        return recorded(changes, [&] { return core_->apply_columns_in_space(true, edges, nullptr); });
    }

    /// Inserts the edges of compressed sparse rows as one batch: one edge per entry of `rows`, whose arrays
    /// lie in the memory of the space. The neighbours of a row need not ascend.
    /// If the graph is undirected and rows.symmetric() is true, each
    /// edge is inserted once: the arc from v to a neighbour >= v, with its value. Throws as insert_edges(),
    /// and out_of_memory if there is no memory for the list of edges.
    ///
    /// Cost, beside that of the batch: one pass over the rows, and a list of 8 bytes per edge (16 with
    /// 64-bit ids) plus its value. For symmetric rows of an undirected graph also: a second pass, a scan, 8
    /// bytes per arc of the rows, and one wait. If the conditions of builds_rows hold, there is no list, and
    /// scratch is 8 bytes per vertex.
    batch_report insert_rows_in_space(basic_csr_view<Id> const& rows,
                                      changes_type* changes = nullptr) requires(!has_values) {
        return recorded(changes, [&] { return core_->insert_rows(rows, nullptr); });
    }
    /// The same with the values of the rows' edges.
    batch_report insert_rows_in_space(basic_csr_view<Id, value_type> const& rows,
                                      changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] { return core_->insert_rows(rows, stored(rows.values())); });
    }
    /// The same; values[i] is the value of the edge to rows.targets()[i].
    batch_report insert_rows_in_space(basic_csr_view<Id> const& rows, value_type const* values,
                                      changes_type* changes = nullptr) requires has_values {
        return recorded(changes, [&] { return core_->insert_rows(rows, stored(values)); });
    }

    /// Sorts each list of changes, by source and then by target. Throws out_of_memory; the lists are then as
    /// they were. Asynchronous. Cost: a sort of each list, with 24 bytes of scratch per edge of the longest
    /// one (40 with 64-bit ids), and one value.
    void sort_changes(changes_type& changes) { core_->sort_changes(changes.log_); }

    /// All vertex ids, including those of erased vertices, are less than this value.
    [[nodiscard]] std::uint64_t vertex_count() const { return core_->vertex_count(); }
    /// The number of vertices that are not erased. Known on the host: no wait.
    [[nodiscard]] std::uint64_t live_vertex_count() const { return core_->live_vertex_count(); }
    /// The number of edges: an undirected edge counts once. In a rank's part of a larger graph
    /// (partitioned_graph): the number of edges whose representative arc is here.
    [[nodiscard]] std::uint64_t edge_count() const { return core_->edge_count(); }
    /// The number of arcs of the out-adjacency: an undirected edge is two of them, a self-loop one.
    [[nodiscard]] std::uint64_t arc_count() const { return core_->arc_count(); }
    /// The number of arcs in all rows, those of in-neighbours included.
    [[nodiscard]] std::uint64_t arcs_in_all_rows() const { return core_->arcs_in_all_rows(); }
    /// Whether the graph was made with graph_options::directed.
    [[nodiscard]] bool directed() const { return core_->options().directed; }
    /// The options that the graph was made with. add_vertices() does not change them.
    [[nodiscard]] graph_options const& options() const { return core_->options(); }

    /// A read-only view of the graph in the memory of the space, to pass to kernels by value. Valid until the
    /// next change of the graph: of its edges or of its vertices. Throws std::logic_error if the graph is
    /// broken.
    [[nodiscard]] view_type view() const { return core_->view().template as<format>(); }

    /// A static copy of the out-adjacency with the values of its edges, as graph::snapshot() makes it. The
    /// copy is independent of the graph. Throws out_of_memory, and std::logic_error if the graph is broken.
    [[nodiscard]] csr<Space, EdgeValue, Id> snapshot() {
        auto copy = core_->snapshot();
        return {std::move(copy.offsets),
                std::move(copy.targets),
                std::move(copy.values).template as<value_type>(),
                std::move(copy.dead_bits),
                copy.vertices,
                copy.dead_count,
                copy.symmetric};
    }

    // Queries in batches. Kernels use graph/find_edge.hpp on view() instead. graph/queries.hpp states the
    // cost of each. Those that take and return host memory wait, keep their scratch, and throw out_of_memory
    // if there is none; the graph is then unchanged. All throw std::logic_error if the graph is broken. On
    // cuda and simt, has_edges(), edge_values() and degrees() for at most tuning::tiny_query edges or ids
    // take one launch, without copies and scratch.

    /// 1 for each edge that is present, 0 for others, and for edges with an end that is not a live vertex.
    [[nodiscard]] std::vector<std::uint8_t> has_edges(std::span<edge_type const> edges) {
        return core_->has_edges(edges);
    }
    /// The out-degree of each vertex; no_degree for an id that does not belong to a live vertex.
    [[nodiscard]] std::vector<std::uint32_t> degrees(std::span<Id const> ids) { return core_->degrees(ids); }
    /// The (out-)neighbours of each vertex, in the order of the layout, with the values of the edges to
    /// them. Ids may repeat; an id that does not belong to a live vertex has no neighbours.
    [[nodiscard]] neighbour_lists<Id, value_type> neighbours_of(std::span<Id const> ids) {
        neighbour_lists<Id, value_type> lists;
        core_->neighbours_of(ids, lists.offsets, lists.targets, [&](std::uint64_t total) {
            lists.values.resize(total);
            return stored(lists.values.data());
        });
        return lists;
    }
    /// The value of each edge, value_type{} if the edge is absent; and whether the edge is present.
    [[nodiscard]] found_values<value_type> edge_values(std::span<edge_type const> edges) requires has_values {
        found_values<value_type> found{std::vector<value_type>(edges.size()),
                                       std::vector<std::uint8_t>(edges.size())};
        core_->edge_values(edges, stored(found.values.data()), found.present.data());
        return found;
    }

    /// The same queries with all arrays in the memory of the space. `present`, `degrees` and `values` hold
    /// `count` elements, `offsets` holds count + 1. Asynchronous, without allocation, except for
    /// neighbour_offsets_in_space(): the results are there once all work given to the space so far is done,
    /// and later work of the space may read them. For an edge that is absent, values[i] is value_type{}.
    ///
    /// For lists of neighbours, call neighbour_offsets_in_space() first: it waits, may allocate scratch, and
    /// returns the number of neighbours. Then call neighbours_in_space() with that number as `total`, the
    /// same ids and offsets, and arrays of `total` elements.
    void has_edges_in_space(edge_type const* edges, std::uint64_t count, std::uint8_t* present) {
        core_->has_edges_in_space(edges, count, present);
    }
    void degrees_in_space(Id const* ids, std::uint64_t count, std::uint32_t* degrees) {
        core_->degrees_in_space(ids, count, degrees);
    }
    [[nodiscard]] std::uint64_t neighbour_offsets_in_space(Id const* ids, std::uint64_t count,
                                                           std::uint64_t* offsets) {
        return core_->neighbour_offsets_in_space(ids, count, offsets);
    }
    void neighbours_in_space(Id const* ids, std::uint64_t count, std::uint64_t const* offsets,
                             std::uint64_t total, Id* targets) {
        core_->neighbours_in_space(ids, count, offsets, total, targets, nullptr);
    }
    void neighbours_in_space(Id const* ids, std::uint64_t count, std::uint64_t const* offsets,
                             std::uint64_t total, Id* targets, value_type* values) requires has_values {
        core_->neighbours_in_space(ids, count, offsets, total, targets, stored(values));
    }
    void edge_values_in_space(edge_type const* edges, std::uint64_t count, value_type* values,
                              std::uint8_t* present) requires has_values {
        core_->edge_values_in_space(edges, count, stored(values), present);
    }

    /// Checks the graph and its heap. Returns one line per broken invariant; empty if the structure is sound.
    /// If the layout does not keep rows in ascending order, it makes a sorted copy, which takes the memory of
    /// a snapshot and its sort. Without that memory, one line says that neighbours were not checked. Waits.
    /// Cost: passes over all rows, all arcs and the allocator's tables.
    [[nodiscard]] std::vector<std::string> validate() { return core_->validate(); }
    /// Whether the graph is broken, as basic_dynamic_graph states. Does not wait.
    [[nodiscard]] bool broken() const { return core_->broken(); }

    /// Where the neighbours of each vertex lie in the memory of the space, as kernels read them: in the page
    /// of the row, or in its vertex record. For measurements: the host cannot read them on CUDA. Empty if the
    /// layout has several pages per row. Waits. Cost: a copy of the vertex table, twice as much host memory.
    [[nodiscard]] std::vector<std::span<Id const>> row_places() { return core_->row_places(); }

    /// How many bytes the graph holds, by what they are for. Waits. Cost: one pass over all rows.
    [[nodiscard]] memory_report memory() { return core_->memory(); }

    /// Frees the scratch of batches and queries, and the staging buffers that hold no batch. Later calls
    /// allocate scratch again. Useful after a batch that was much larger than those to come, such as one that
    /// loads a graph. Waits.
    void release_scratch() { core_->release_scratch(); }

    /// Whether compact() makes the heap smaller: true in the layout contiguous over an allocator that can
    /// move its chunks (alloc::packing_owner; the default allocator is one).
    [[nodiscard]] bool can_compact() const { return core_->can_compact(); }
    /// Gives memory of the heap back to the device or the operating system: moves rows to pages of their size
    /// and out of sparse parts of the heap, moves what is at the end of the heap down, and unmaps the end.
    /// The heap does not become smaller than graph_options::heap_bytes. Edges and values stay as they are;
    /// views become invalid, as by any change. If can_compact() is false, does nothing and returns zeros.
    ///
    /// `most_moved_bytes`: copies at most so many bytes. Use it to divide the work: call compact() until
    /// moved_bytes of the report is 0. A row that is longer than half of the limit may stay at the end of the
    /// heap. A row of more than 8 KiB stays in a block of the size that it has.
    ///
    /// Batches that insert need room in the heap, and let it grow again: compact a graph that will change
    /// little, or whose memory others need. Throws out_of_memory if there is no memory for the plan, and
    /// std::logic_error if the graph is broken. After out_of_memory the graph has all its edges, and part of
    /// the work may be done.
    ///
    /// Scratch: 4 bytes for each 8 KiB of the heap, and 8 for each 8 KiB that move at its end; 0.15 % of the
    /// heap. Cost: four passes over the vertex table, some over the tables of the allocator, one over the
    /// headers of its chunks on the host, and reading and writing what moves. Waits, also for work that other
    /// streams have given to the device.
    compaction_report compact(std::uint64_t most_moved_bytes = std::numeric_limits<std::uint64_t>::max()) {
        return core_->compact(most_moved_bytes);
    }

    /// The graph's handle of its space, to launch kernels on and to record and wait for events. Work given to
    /// it runs in the order of the graph's own work.
    [[nodiscard]] Space& space() { return core_->space(); }

protected:
    [[nodiscard]] core_type& core() { return *core_; }
    /// For partitioned_graph: the whole graph has this many vertex ids now. Precondition: this graph was made
    /// as one rank's part of it.
    void set_ids_of_whole(std::uint64_t all_ids) { core_->set_ids_of_whole(all_ids); }
    /// For partitioned_graph: how many arcs a batch must have at least to come packed.
    [[nodiscard]] std::uint64_t least_packed_arcs() const { return core_->least_packed_arcs(); }
    /// For partitioned_graph: as insert_edges_in_space_if() and erase_edges_in_space_if(), of arcs in a form
    /// that the call may change.
    [[nodiscard]] std::optional<batch_report>
    apply_arcs_if(bool erasing, edge_type const* arcs, value_type const* values, std::uint64_t count,
                  batch::arc_form& form, std::function<bool()> const& decide, changes_type* changes) {
        return recorded(changes, [&] {
            return core_->apply_if(erasing, {arcs, stored(values), count, &form}, decide);
        });
    }

private:
    /// Calls change(), which appends what it changes to the lists.
    template <class Change>
    auto recorded(changes_type* changes, Change const& change) {
        if (changes == nullptr) return change();
        struct recording {
            core_type& core;
            ~recording() { core.record(nullptr); }
        };
        core_->record(&changes->log_);
        recording const ends{*core_};
        return change();
    }

    [[nodiscard]] static stored_type const* stored(value_type const* values) {
        return reinterpret_cast<stored_type const*>(values);
    }
    [[nodiscard]] static stored_type* stored(value_type* values) {
        return reinterpret_cast<stored_type*>(values);
    }
    [[nodiscard]] static std::span<stored_type const> stored(std::span<value_type const> values) {
        return {stored(values.data()), values.size()};
    }

    static void expect_as_many(char const* function, std::uint64_t edges, std::uint64_t values) {
        if (edges != values)
            throw std::invalid_argument(function + (": " + std::to_string(edges)) + " edges, " +
                                        std::to_string(values) + " values");
    }

    std::unique_ptr<core_type> core_;
};

/// A simple graph that changes in batches.
///
/// It has no parallel edges; an option says whether it keeps or refuses self-loops. A batch is applied as a
/// whole or not at all.
///
/// The list of the neighbours of a vertex is its row. An arc is one entry of a row. An undirected edge is two
/// arcs, one in the row of each end; a self-loop is one. A directed edge is one arc, in the row of its
/// source. With in_arcs each vertex has a second row, for its in-neighbours, and a directed edge is two arcs.
///
/// - Id: vertex_id (32 bits) or wide_vertex_id (64 bits).
/// - Space: where the graph lies and its kernels run: exec::cuda_space, exec::host_space, or exec::simt_space
///   (an emulator of GPU threads on the host, for tests).
/// - Layout: how rows lie in pages, the blocks of the allocator: contiguous (one page per row),
///   linked_pages<Bytes> or buckets<First> (several pages per row).
/// - Allocator: an alloc::allocator_owner on the same space. Its heap grows in place when a batch needs it.
/// - EdgeValue: void, or any trivially copyable type. Each edge then has a value, kept beside the neighbours.
///   Inserting an edge that is present gives it the new value.
///
/// The graph becomes broken if the space fails in the middle of a change (a CUDA error, a refused launch
/// among them). If memory is short, the graph applies a batch in pieces; it becomes broken if it can neither
/// complete nor undo them. A broken graph stays so: its changes, queries, view(), snapshot(), row_places(),
/// memory() and compact() throw std::logic_error, and validate() returns one line that says so. What views
/// that were made before show is undefined. Its counts are those before the change.
///
/// One host thread at a time may use a graph, except that another one may call stage(). A second thread gets
/// std::logic_error where it changes the graph, or asks it with edges or ids in host memory, while the first
/// one is inside a call; the graph stays as the first one leaves it. (Queries of edges or ids in the memory
/// of the space are not checked. They may run side by side, but not beside a change.)
///
/// The graph has a move constructor; it cannot be copied or assigned. All device work runs in the order of
/// the space; on CUDA, that is the order of its stream. If scratch and heap are large enough, the host waits
/// once per batch, for the report. It waits again each time
/// - scratch grows;
/// - the heap has to grow, or is measured because it might have to;
/// - free pages are put back into the queues of the allocator;
/// - the batch is tried again, after the heap was trimmed or has grown, or in pieces;
/// - one vertex has more arcs of the batch than a thread block can sort in its shared memory
///   (tuning::block_sort_bytes): the batch is then tried again, sorted on the whole device.
template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
class basic_dynamic_graph : public basic_graph<Id, Space, Layout, EdgeValue> {
    using base = basic_graph<Id, Space, Layout, EdgeValue>;
    using types = graph_types_for<Id, Space, Layout, Allocator, EdgeValue>;

public:
    /// Makes a graph of options.vertices live vertices without edges. First loads all kernels of the program
    /// (space.load_kernels()), so that no batch takes device memory for code; cuda_options::preload_kernels
    /// can switch this off. Throws std::invalid_argument for in_arcs without directed, std::length_error for
    /// too many vertices, out_of_memory, and cuda_error.
    explicit basic_dynamic_graph(Space space, graph_options const& options = {})
        : base(make_core<types>(std::move(space), options)) {
        static_assert(available_types<types>,
                      "the library does not hold this graph compiled: include "
                      "<rhizome/graph/core/graph_core.hpp>, or build it with the component graph-types");
    }
    /// Makes one rank's part of a larger graph, for partitioned_graph: options.vertices vertices have their
    /// rows here. Batches consist of arcs, as batch::part_of_graph says, and are given to
    /// insert_edges_in_space_if() and erase_edges_in_space_if(); other calls with batches, and
    /// erase_vertices(), throw std::logic_error. Reports count the edges whose representative arc is here,
    /// and no duplicates. validate() does not look for mirrors of arcs. View and snapshot number vertices as
    /// their rows, and give neighbours their ids in the larger graph. Queries about edges are undefined.
    basic_dynamic_graph(Space space, graph_options const& options,
                        batch::part_of_graph const& part) requires(Layout::sorted)
        : basic_dynamic_graph(std::move(space), options) {
        this->core().become_part(part);
    }
    /// Takes over the graph. The only thing that may be done with the moved-from object is to destroy it.
    basic_dynamic_graph(basic_dynamic_graph&&) = default;
    basic_dynamic_graph& operator=(basic_dynamic_graph&&) = delete;
    /// Frees all memory of the graph. If the allocator has no heap of its own (traits::bounded is false, as
    /// in device_malloc), a kernel gives every page back and the host waits; errors are ignored.
    ~basic_dynamic_graph() = default;

    /// The owner of the heap, for reading its counters and for audits. Do not keep its ref() across a change
    /// of the graph: the heap may grow. Do not free the graph's pages through it.
    [[nodiscard]] Allocator& allocator() { return *static_cast<Allocator*>(this->core().allocator_object()); }
};

/// A dynamic graph with ids of 32 bits, for up to 2^32 - 2 vertices (2^31 - 1 with in_arcs). EdgeValue is
/// void, or the type of the edges' values.
template <class Space, class Layout = contiguous, class Allocator = default_allocator<Space>,
          class EdgeValue = void>
using dynamic_graph = basic_dynamic_graph<vertex_id, Space, Layout, Allocator, EdgeValue>;

/// A dynamic graph whose edges have values of type EdgeValue, in the default layout and heap.
template <class Space, class EdgeValue = double>
using weighted_graph = dynamic_graph<Space, contiguous, default_allocator<Space>, EdgeValue>;

/// A dynamic graph with ids of 64 bits, for up to 2^35 vertices (2^34 with in_arcs) with up to 2^32 - 2^16
/// neighbours each (limits.hpp). It reserves 640 GiB of address space and commits memory as vertices are
/// added: 16 bytes for each, and 4 of scratch (twice as much with in_arcs). On the host and emulator spaces
/// the operating system provides this memory only when the graph first writes to it. A batch has fewer than
/// 2^32 arcs here as well. Cost, compared with dynamic_graph: 8 instead of 4 bytes per neighbour, one instead
/// of three neighbours in the vertex table (16 bytes per row), sorting keys of 16 instead of 8 bytes.
template <class Space, class Layout = contiguous, class Allocator = default_allocator<Space>,
          class EdgeValue = void>
using wide_dynamic_graph = basic_dynamic_graph<wide_vertex_id, Space, Layout, Allocator, EdgeValue>;

} // namespace rhizome::graph

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common graphs compiled
#include <rhizome/graph/compiled.hpp>
#else
#include <rhizome/graph/core/graph_core.hpp>
#endif
