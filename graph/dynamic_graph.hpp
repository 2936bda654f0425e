// The dynamic graph: edges come and go in batches, algorithms read it in place.
#pragma once

#include <rhizome/alloc/concept.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/apply.hpp>
#include <rhizome/graph/batch/plan.hpp>
#include <rhizome/graph/batch/reserve.hpp>
#include <rhizome/graph/batch/scratch.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/snapshot.hpp>
#include <rhizome/graph/validate.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// A simple graph that changes in batches: no parallel edges; self-loops kept or refused by option. A batch
/// is applied whole or not at all. Allocator is an alloc::allocator_owner on the same space; its heap grows
/// in place when a batch needs it. Move-only. Everything is ordered on the space; a batch waits for the space
/// once, for its report (and once more each time the heap has to grow).
template <class Space, class Allocator, class Layout = contiguous>
class dynamic_graph {
    static_assert(alloc::allocator_owner<Allocator>);

public:
    /// Throws std::invalid_argument for options that contradict each other, out_of_memory.
    explicit dynamic_graph(Space space, graph_options const& options = {})
        : space_(std::move(space)), options_(checked(options)), stride_(options.in_arcs ? 2 : 1),
          allocator_(space_, {.heap_bytes = options.heap_bytes, .reserve_bytes = options.reserve_bytes}),
          table_(space_, most_vertices() * stride_ * sizeof(vertex_record), "vertex table"), scratch_(space_),
          audit_(space_, 1) {
        add_vertices(options.vertices);
    }
    dynamic_graph(dynamic_graph&&) = default;
    dynamic_graph& operator=(dynamic_graph&&) = delete;
    /// Somebody else's heap outlives the graph, so it gets its pages back; an allocator's own goes as a
    /// whole.
    ~dynamic_graph() {
        if constexpr (!Allocator::ref_type::traits::bounded)
            if (table_.data() != nullptr) return_all_pages();
    }

    /// Makes `count` more vertices, without edges, named from vertex_count() on. Throws out_of_memory, or
    /// std::length_error past 2^32 - 2 vertices (2^31 - 1 with in_arcs); the graph is then as it was.
    void add_vertices(std::uint64_t count) {
        if (count > most_vertices() - vertices_)
            throw std::length_error("add_vertices: " + std::to_string(vertices_) + " + " +
                                    std::to_string(count) + " vertices are more than " +
                                    std::to_string(most_vertices()));
        std::uint64_t const row_bytes = stride_ * sizeof(vertex_record);
        table_.grow_to((vertices_ + count) * row_bytes);
        space_.fill(table_.data() + vertices_ * row_bytes, 0, count * row_bytes);
        vertices_ += count;
    }

    /// Inserts a batch from host memory. Throws out_of_memory with what was needed and what there is; the
    /// graph is then as it was. Cost: one sort of the batch and one merge of the touched rows.
    batch_report insert_edges(std::span<edge const> edges) { return apply_from_host(edges, false); }

    /// Erases a batch from host memory. Needs no memory but scratch; throws out_of_memory where that cannot
    /// be had.
    batch_report erase_edges(std::span<edge const> edges) { return apply_from_host(edges, true); }

    /// The same for `count` edges that lie in the space already.
    batch_report insert_edges_in_space(edge const* edges, std::uint64_t count) {
        return apply(edges, count, false);
    }
    batch_report erase_edges_in_space(edge const* edges, std::uint64_t count) {
        return apply(edges, count, true);
    }

    [[nodiscard]] std::uint64_t vertex_count() const { return vertices_; }
    /// Undirected edges count once.
    [[nodiscard]] std::uint64_t edge_count() const { return edges_; }
    /// Arcs of the out-adjacency.
    [[nodiscard]] std::uint64_t arc_count() const { return options_.in_arcs ? edges_ : arcs_; }
    [[nodiscard]] bool directed() const { return options_.directed; }

    /// Good until the next batch or add_vertices().
    [[nodiscard]] live_view view() const { return {rows(), vertices_, stride_, !options_.directed}; }

    /// A static copy of the out-adjacency.
    [[nodiscard]] csr<Space> snapshot() { return graph::snapshot(space_, scratch_.primitives, view()); }

    /// One line for each broken invariant; empty when the structure is sound. Waits.
    [[nodiscard]] std::vector<std::string> validate();

    [[nodiscard]] memory_report memory() {
        row_audit const rows_found = audit_all_rows();
        memory_report report;
        // Somebody else's heap may have given more than it was asked to have.
        report.heap_bytes = std::max(allocator_.heap_bytes(), rows_found.pages_bytes);
        report.adjacency_bytes = rows_found.arcs * sizeof(vertex_id);
        report.slack_bytes = rows_found.pages_bytes - report.adjacency_bytes;
        report.free_bytes = report.heap_bytes - rows_found.pages_bytes;
        report.vertex_table_bytes = table_.committed_bytes();
        report.allocator_table_bytes = allocator_.table_bytes();
        report.scratch_bytes = scratch_.held_bytes() + audit_.size_bytes();
        return report;
    }

    [[nodiscard]] Space& space() { return space_; }
    [[nodiscard]] Allocator& allocator() { return allocator_; }
    /// Scratch for device-wide primitives, shared with the graph's own batches: use it in the order of the
    /// space.
    [[nodiscard]] exec::workspace<Space>& primitive_scratch() { return scratch_.primitives; }

private:
    /// The largest id names no vertex; and row and target of an arc are one 64-bit key.
    [[nodiscard]] std::uint64_t most_vertices() const {
        return stride_ == 2 ? 0x7fff'ffffull : 0xffff'fffeull;
    }

    static graph_options const& checked(graph_options const& options) {
        if (options.in_arcs && !options.directed)
            throw std::invalid_argument(
                "graph_options: in_arcs is for directed graphs; an undirected one has them");
        return options;
    }

    [[nodiscard]] vertex_record* rows() const { return reinterpret_cast<vertex_record*>(table_.data()); }

    batch_report apply_from_host(std::span<edge const> edges, bool erasing) {
        edge* const staged = scratch_.edges(edges.size());
        space_.copy_in(staged, edges.data(), edges.size_bytes());
        return apply(staged, edges.size(), erasing);
    }

    batch_report apply(edge const* edges, std::uint64_t count, bool erasing);
    void plan(batch::arc_keys const& keys, edge const* edges, std::uint64_t count, bool erasing,
              batch::arrays& a, std::uint64_t slots);
    void run(batch::arc_keys const& keys, bool erasing, batch::arrays const& a, std::uint64_t slots);
    void grow_heap_for(std::uint64_t needed_bytes, std::uint64_t edges, bool& trimmed);
    [[nodiscard]] row_audit audit_all_rows();
    void return_all_pages() noexcept;

    Space space_;
    graph_options options_;
    std::uint32_t stride_; ///< rows a vertex
    Allocator allocator_;
    exec::region<Space> table_;
    batch::scratch<Space> scratch_;
    exec::buffer<Space, row_audit> audit_; ///< kept: a graph that has used its memory up can be checked
    std::uint64_t vertices_ = 0;
    std::uint64_t edges_ = 0;
    std::uint64_t arcs_ = 0; ///< of all rows
};

} // namespace rhizome::graph

#include <rhizome/graph/detail/dynamic_graph.inl>
