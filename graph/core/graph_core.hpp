// SPDX-License-Identifier: Apache-2.0
// The engine of dynamic_graph: everything that does not depend on the type of the edges' values. Programs
// include this file for graphs that the library does not hold compiled.
//
// graph_core.inl     construction, vertices, batches, checks
// columns.inl        batches whose edges are two columns
// queries.inl        queries, snapshots, memory
// compaction.inl     making the heap smaller
// scarce_memory.inl  what the graph does before it refuses a batch for lack of memory
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/concept.hpp>
#include <rhizome/alloc/heap_memory.hpp>
#include <rhizome/alloc/ouroboros/ouroboros.hpp> // the default allocator
#include <rhizome/container/typed_region.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/early_words.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/with_kernels.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/attempts.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/compaction_trigger.hpp>
#include <rhizome/graph/batch/contiguous_steps.hpp>
#include <rhizome/graph/batch/decision.hpp>
#include <rhizome/graph/batch/grow.hpp>
#include <rhizome/graph/batch/heap.hpp>
#include <rhizome/graph/batch/heap_growth.hpp>
#include <rhizome/graph/batch/integrity.hpp>
#include <rhizome/graph/batch/load/ascending_build.hpp>
#include <rhizome/graph/batch/plan/row_bins.hpp>
#include <rhizome/graph/batch/refusal.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/batch/scratch.hpp>
#include <rhizome/graph/batch/scratch_trigger.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/batch/tiny/tiny_batch.hpp>
#include <rhizome/graph/batch/tiny/tiny_width.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/core/core_interface.hpp>
#include <rhizome/graph/core/edges_of_rows.hpp>
#include <rhizome/graph/core/lent_pieces.hpp>
#include <rhizome/graph/core/move_rows.hpp>
#include <rhizome/graph/core/one_caller.hpp>
#include <rhizome/graph/core/pair_columns.hpp>
#include <rhizome/graph/core/pieces.hpp>
#include <rhizome/graph/core/return_rows.hpp>
#include <rhizome/graph/core/sort_changes.hpp>
#include <rhizome/graph/core/stager.hpp>
#include <rhizome/graph/core/validate.hpp>
#include <rhizome/graph/core/vertex_arcs.hpp>
#include <rhizome/graph/core/vertex_ids.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/default_allocator.hpp>
#include <rhizome/graph/detail/tiny_queries.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/query_answers.hpp>
#include <rhizome/graph/snapshot.hpp>
#include <rhizome/graph/staged_batch.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
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

/// The engine over one allocator.
template <class Types>
class graph_core final : public interface_of<Types> {
    using interface = interface_of<Types>;
    using allocator_type = typename Types::allocator_type;
    static_assert(alloc::allocator_owner<allocator_type>);
    static_assert(std::is_same_v<typename allocator_type::space_type, typename Types::space_type>,
                  "the allocator of a graph is one on the graph's space");
    static_assert(
        layout_fits<typename Types::layout_type, allocator_type, typename Types::id_type,
                    typename Types::stored_type>,
        "this allocator has no blocks as large as this layout asks for: contiguous and buckets need "
        "blocks of any size, linked_pages<N> blocks of N bytes");

public:
    using id_type = typename interface::id_type;
    using space_type = typename interface::space_type;
    using layout_type = typename interface::layout_type;
    using stored_type = typename interface::stored_type;
    using edge_type = typename interface::edge_type;
    using format = typename interface::format;
    using record_type = typename interface::record_type;
    using value_type = typename interface::value_type;
    using view_type = typename interface::view_type;
    using placed_type = typename interface::placed_type;
    using interface::has_values;
    using changes_type = typename interface::changes_type;

    explicit graph_core(space_type space, graph_options const& options);
    ~graph_core() override;

    void become_part(batch::part_of_graph const& part) override { part_ = part; }
    void set_ids_of_whole(std::uint64_t all_ids) override { part_->all_ids = all_ids; }
    [[nodiscard]] std::uint64_t least_packed_arcs() const override;

    void add_vertices(std::uint64_t count) override;
    std::vector<id_type> insert_vertices(std::uint64_t count) override;
    vertex_report erase_vertices(std::span<id_type const> ids) override;

    void record(changes_type* into) override {
        // The thread stays inside while it records: the changes of another one would go to its lists.
        if (into != nullptr && caller_.hold()) holds_ = true;
        changes_ = into;
        if (into == nullptr && std::exchange(holds_, false)) caller_.release();
    }
    void sort_changes(changes_type& changes) override;

    batch_report apply_from_host(bool erasing, std::span<edge_type const> edges,
                                 std::span<value_type const> values) override;
    batch_report apply_staged(bool erasing, staged_batch const& staged) override;
    batch_report apply_placed(bool erasing, placed_type const& placed) override;
    std::optional<batch_report> apply_if(bool erasing, placed_type const& placed,
                                         std::function<bool()> const& decide) override;
    batch_report apply_columns(bool erasing, column_batch const& columns,
                               std::span<value_type const> values) override;
    batch_report apply_columns_in_space(bool erasing, column_batch const& columns,
                                        value_type const* values) override;
    batch_report insert_rows(basic_csr_view<id_type> const& rows, value_type const* values) override;

    [[nodiscard]] staged_batch stage(std::span<edge_type const> edges,
                                     std::span<value_type const> values) override;
    [[nodiscard]] staged_batch stage_columns(column_batch const& columns,
                                             std::span<value_type const> values) override;

    [[nodiscard]] std::uint64_t vertex_count() const override { return vertices_; }
    [[nodiscard]] std::uint64_t live_vertex_count() const override { return vertices_ - ids_.free_count(); }
    [[nodiscard]] std::uint64_t edge_count() const override { return edges_; }
    [[nodiscard]] std::uint64_t arc_count() const override { return options_.in_arcs ? edges_ : arcs_; }
    [[nodiscard]] std::uint64_t arcs_in_all_rows() const override { return arcs_; }
    [[nodiscard]] graph_options const& options() const override { return options_; }
    [[nodiscard]] bool broken() const override { return integrity_.broken(); }
    [[nodiscard]] space_type& space() override { return space_; }
    [[nodiscard]] void* allocator_object() override { return &allocator_; }

    [[nodiscard]] view_type view() const override {
        integrity_.expect_whole();
        return {rows(), vertices_, stride_, !options_.directed, ids_.dead(), arc_count()};
    }
    [[nodiscard]] csr<space_type, stored_type, id_type> snapshot() override;

    [[nodiscard]] std::vector<std::uint8_t> has_edges(std::span<edge_type const> edges) override;
    [[nodiscard]] std::vector<std::uint32_t> degrees(std::span<id_type const> ids) override;
    void neighbours_of(std::span<id_type const> ids, std::vector<std::uint64_t>& offsets,
                       std::vector<id_type>& targets,
                       std::function<value_type*(std::uint64_t)> const& values_for) override;
    void edge_values(std::span<edge_type const> edges, value_type* values, std::uint8_t* present) override;
    void has_edges_in_space(edge_type const* edges, std::uint64_t count, std::uint8_t* present) override;
    void degrees_in_space(id_type const* ids, std::uint64_t count, std::uint32_t* degrees) override;
    [[nodiscard]] std::uint64_t neighbour_offsets_in_space(id_type const* ids, std::uint64_t count,
                                                           std::uint64_t* offsets) override;
    void neighbours_in_space(id_type const* ids, std::uint64_t count, std::uint64_t const* offsets,
                             std::uint64_t total, id_type* targets, value_type* values) override;
    void edge_values_in_space(edge_type const* edges, std::uint64_t count, value_type* values,
                              std::uint8_t* present) override;

    [[nodiscard]] std::vector<std::string> validate() override;
    [[nodiscard]] std::vector<std::span<id_type const>> row_places() override;
    [[nodiscard]] memory_report memory() override;
    void release_scratch() override;
    [[nodiscard]] bool can_compact() const override { return compacts; }
    compaction_report compact(std::uint64_t most_moved_bytes) override;

private:
    using growth_type = heap_growth<space_type, allocator_type>;
    using pieces_type = batch::pieces<space_type, id_type, value_type, has_values>;
    using lent_pieces_type = batch::lent_pieces<space_type, id_type, value_type, has_values>;
    /// Whether batches can request pages in bulk.
    static constexpr bool gives_runs = requires { layout_type::one_page_per_row; }
    &&alloc::gives_runs<typename allocator_type::ref_type>;
    /// Whether tiny batches take one launch: where blocks have threads that run together, and edges and
    /// values are short enough to travel with the launch, whose parameters have 4 KiB.
    static constexpr bool takes_tiny = requires { layout_type::one_page_per_row; }
    &&!exec::threads_take_runs<space_type> &&
        tuning::tiny_edges * (sizeof(edge_type) + format::value_bytes) <= 3u << 10;
    static constexpr bool takes_tiny_queries = !exec::threads_take_runs<space_type>;
    /// Whether compact() moves rows.
    static constexpr bool compacts = requires { layout_type::one_page_per_row; }
    &&alloc::packing_owner<allocator_type>&& alloc::limited_withholding_owner<allocator_type>;
    static constexpr bool stays_untouched = sizeof(id_type) == 8 && exec::region<space_type>::starts_as_zeros;

    [[nodiscard]] std::uint64_t most_vertices() const { return most_rows<id_type> / stride_; }

    static graph_options const& checked(graph_options const& options) {
        if (options.in_arcs && !options.directed)
            throw std::invalid_argument(
                "graph_options: in_arcs is for directed graphs; an undirected one has them");
        return options;
    }

    [[nodiscard]] record_type* rows() const { return table_.data(); }
    [[nodiscard]] batch::row_slots slots() const {
        return {slots_.committed_bytes() == 0 ? nullptr : slots_.data(), vertices_ * stride_};
    }
    void hold_slots();
    /// Whether a batch of so many arcs is sorted at once. `may_bin`: otherwise it may use bins of rows.
    [[nodiscard]] bool sorts(std::uint64_t arcs, bool may_bin) const {
        return arcs >= least_sorted_arcs(may_bin && arcs >= space_.concurrency()) ||
               (arcs_ == 0 && arcs >= vertices_ * stride_ / 2);
    }
    /// The same for a graph with arcs: from so many on.
    [[nodiscard]] std::uint64_t least_sorted_arcs(bool may_bin) const {
        std::uint64_t const row_count = vertices_ * stride_;
        bool const bins =
            may_bin && options_.pages != page_requests::bulk && batch::row_bins::serve(row_count);
        std::uint64_t const most_degree = bins ? tuning::binned_degree : tuning::dense_degree;
        bool const threads_merge = layout_type::sorted && !exec::threads_take_runs<space_type> &&
                                   batch::threads_merge<format> && arcs_ <= most_degree * row_count;
        std::uint64_t const share = threads_merge ? tuning::dense_sorting_share : tuning::sorting_share;
        return crowded_ ? 0 : share * row_count;
    }

    [[nodiscard]] batch::arc_rules<id_type> current_rules() const {
        return {vertices_,
                ids_.dead().bits,
                stride_,
                options_.directed,
                options_.self_loops,
                options_.refuses_unknown_ids,
                part_.has_value(),
                part_.value_or(batch::part_of_graph{})};
    }
    /// Throws std::logic_error if a part of a graph gets a batch without a decision. Such a batch may be
    /// applied in pieces, for which the graph looks up edges: a part holds arcs of which the other end may be
    /// elsewhere.
    void expect_decision_for_part(std::function<bool()> const* decide) const {
        if (part_ && decide == nullptr)
            throw std::logic_error("a part of a graph takes batches with a decision only");
    }
    template <class Fill>
    placed_type place_pairs(std::uint64_t count, Fill const& fill);
    template <class Column>
    batch_report apply_column_pairs(bool erasing, edge_columns<Column> const& columns,
                                    std::span<value_type const> values);
    template <class Column>
    batch_report apply_column_pairs_in_space(bool erasing, edge_columns<Column> const& columns,
                                             value_type const* values);
    template <class Place, class Cut>
    batch_report with_all_memory(bool erasing, std::uint64_t edges, Place const& place, Cut const& cut);
    template <class Place, class Cut>
    batch_report apply_with_all_memory(bool erasing, std::uint64_t edges, Place const& place, Cut const& cut);
    template <class Pieces>
    batch_report apply_in_pieces(bool erasing, Pieces pieces);
    template <class Pieces>
    void undo_pieces(bool erasing, Pieces& pieces, batch::hash_range const& applied);
    bool give_back_for_batch();
    bool move_rows_together();
    compaction_report compact_now(std::uint64_t most_moved_bytes);
    void after_batch(std::uint64_t edges) noexcept;
    void give_back_lists() noexcept;
    void compact_after_batch(std::uint64_t edges) noexcept;
    [[nodiscard]] bool has_memory_to_give();
    template <batch::move_reason Reason>
    void move_rows(std::uint64_t most_moved_bytes);
    batch_report apply(bool erasing, edge_type const* edges, value_type const* values, std::uint64_t count,
                       std::function<bool()> const* decide = nullptr, batch::arc_form* form = nullptr);
    std::optional<batch_report> apply_tiny(bool erasing, placed_type const& batch, bool from_host);
    template <bool Erasing>
    batch::tiny_report run_tiny(placed_type const& batch, bool from_host, bool on_all_blocks);
    void restock_after_tiny(std::uint64_t arcs);
    void restock(std::uint64_t requests) noexcept;
    batch_report conclude(bool erasing, std::uint64_t count, batch::outcome const& found);
    template <class List>
    std::optional<batch_report> build_ascending(List const& list, value_type const* values);
    template <class List>
    std::optional<batch_report> build_rows(List const& list, value_type const* values);
    template <bool Erasing>
    batch::outcome run(batch::batch_run<format>& work, batch::attempts const& tries);
    void prepare_next(batch::attempts& tries, batch::outcome const& found, std::uint64_t count,
                      std::uint64_t held_before);
    void mark_vertices(id_type const* ids, std::uint64_t count, bool dead);
    [[nodiscard]] bool is_small(std::uint64_t arcs) const;
    [[nodiscard]] bool requests_bulk(batch::batch_run<format> const& work, bool may_load) const;
    [[nodiscard]] std::uint64_t table_bytes_that_count() const;
    void grow_heap_for(std::uint64_t needed_bytes);
    [[noreturn]] void refuse(exec::out_of_memory const& error, std::uint64_t edges);
    [[nodiscard]] row_audit audit_all_rows();
    [[nodiscard]] row_audit audit_all_arcs();
    void return_all_pages() noexcept;

    space_type space_;
    graph_options options_;
    std::uint32_t stride_; ///< rows per vertex
    allocator_type allocator_;
    /// With 64-bit ids the table may have many more rows than are used. If the space provides zeroed memory,
    /// the graph does not write to unused rows: they take address space, but no memory.
    container::typed_region<space_type, record_type> table_;
    /// batch::row_slots. Part of the scratch, but not of scratch_: all batches use them, and keep them zero.
    alloc::heap_table<space_type, std::uint32_t> slots_;
    vertex_ids<space_type, id_type> ids_;
    batch::scoreboard<space_type> scoreboard_;
    batch::scratch<space_type, id_type, has_values> scratch_;
    batch::stager<space_type, edge_type, value_type> stager_;
    exec::buffer<space_type, row_audit> audit_; ///< kept, so that a graph that has used up its memory can be
                                                ///< checked
    exec::buffer<space_type, std::uint64_t> moved_bytes_;         ///< one word, kept for the same reason
    exec::workspace<space_type> asked_{space_, options_.scratch}; ///< the edges or ids of a query; offsets
    exec::workspace<space_type> answers_{space_, options_.scratch};
    exec::workspace<space_type> values_found_{space_, options_.scratch};
    std::optional<batch::part_of_graph> part_;
    std::uint64_t vertices_ = 0;
    std::uint64_t edges_ = 0;
    std::uint64_t arcs_ = 0; ///< in all rows
    /// Largest number of arcs for which the graph has measured that the heap has enough space
    /// (batch::heap::may_lack).
    std::uint64_t roomy_arcs_ = 0;
    /// What is not free of a heap that was compacted, until the next batch; else 0.
    std::uint64_t packed_bytes_ = 0;
    growth_type growth_{space_};
    batch::compaction_trigger trigger_;
    batch::scratch_trigger scratch_trigger_;
    bool lists_go_back_ = false;      ///< the lists of batches, once the present batch is over
    changes_type* changes_ = nullptr; ///< lists to which changes append; nullptr: none
    /// The report of a tiny batch, or the answers to a tiny query.
    exec::early_words<space_type, detail::tiny_answer_words> early_words_{space_};
    static_assert(batch::tiny_report::words <= detail::tiny_answer_words);
    batch::tiny_width tiny_width_;
    std::uint32_t tiny_turn_ = 0;
    std::uint64_t unstocked_arcs_ = 0;   ///< of tiny batches since pages were brought for them
    std::uint32_t unbinned_batches_ = 0; ///< so many batches do not try to use bins of rows
    bool crowded_ = false;               ///< in the last batch a row got more arcs than a block can sort
    batch::integrity integrity_;
    one_caller caller_;
    bool holds_ = false; ///< caller_.release() is due
};

template <class Types>
std::unique_ptr<interface_of<Types>> make_core(typename Types::space_type space,
                                               graph_options const& options) {
    return std::make_unique<graph_core<Types>>(std::move(space), options);
}
/// All types are available where this header is.
template <class Types>
std::true_type available_core(Types const* types);

} // namespace rhizome::graph

#include <rhizome/graph/core/columns.inl>
#include <rhizome/graph/core/compaction.inl>
#include <rhizome/graph/core/graph_core.inl>
#include <rhizome/graph/core/queries.inl>
#include <rhizome/graph/core/scarce_memory.inl>
