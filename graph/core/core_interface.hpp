// SPDX-License-Identifier: Apache-2.0
// What a graph calls of its engine, whatever its allocator: virtual functions, so that a program which uses a
// graph compiles neither batches nor allocators.
#pragma once

#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/placed_batch.hpp>
#include <rhizome/graph/batch_report.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/compaction_report.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/memory_report.hpp>
#include <rhizome/graph/options.hpp>
#include <rhizome/graph/staged_batch.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::graph {

/// The configuration of an engine. `Stored`: void, or a stored_value of the size of the edges' values.
template <class Id, class Space, class Layout, class Allocator, class Stored>
struct graph_types {
    using id_type = Id;
    using space_type = Space;
    using layout_type = Layout;
    using allocator_type = Allocator;
    using stored_type = Stored;
};
template <class Id, class Space, class Layout, class Allocator, class EdgeValue>
using graph_types_for = graph_types<Id, Space, Layout, Allocator, stored_for<EdgeValue>>;

/// A dynamic graph whose edges have values of some type of a known size. basic_dynamic_graph is its typed
/// interface and documents what the functions do. `values` is empty, or nullptr, where a batch has none: in
/// graphs without values, and where it erases.
template <class Id, class Space, class Layout, class Stored>
class core_interface {
public:
    using id_type = Id;
    using space_type = Space;
    using layout_type = Layout;
    using stored_type = Stored;
    using edge_type = basic_edge<Id>;
    using format = typename Layout::template format<Id, Stored>;
    using record_type = typename format::record_type;
    /// stored_type, or std::uint8_t if that is void.
    using value_type = typename format::value_type;
    using view_type = row_view<format>;
    using placed_type = batch::placed_batch<edge_type, value_type>;
    static constexpr bool has_values = format::has_values;
    using changes_type = batch::change_log<Space, Id, value_type, has_values>;

    virtual ~core_interface() = default;

    /// From now on the graph is a part of a larger one.
    virtual void become_part(batch::part_of_graph const& part) = 0;
    /// Precondition: the graph is a part.
    virtual void set_ids_of_whole(std::uint64_t all_ids) = 0;
    /// The next batch may come packed (batch/packed_arcs.hpp) if it has at least so many arcs, and is then
    /// sorted. The largest number: never.
    [[nodiscard]] virtual std::uint64_t least_packed_arcs() const = 0;

    virtual void add_vertices(std::uint64_t count) = 0;
    virtual std::vector<Id> insert_vertices(std::uint64_t count) = 0;
    virtual vertex_report erase_vertices(std::span<Id const> ids) = 0;

    /// Changes append to these lists until the call with nullptr, which throws nothing.
    virtual void record(changes_type* into) = 0;
    /// Sorts each list by source, then by target. Throws out_of_memory; the lists are then as they were.
    virtual void sort_changes(changes_type& changes) = 0;

    // Batches. `erasing`: the edges are erased, and their values ignored; otherwise they are inserted.

    /// A batch in host memory.
    virtual batch_report apply_from_host(bool erasing, std::span<edge_type const> edges,
                                         std::span<value_type const> values) = 0;
    virtual batch_report apply_staged(bool erasing, staged_batch const& staged) = 0;
    /// A batch in memory that kernels of the space can read.
    virtual batch_report apply_placed(bool erasing, placed_type const& placed) = 0;
    /// The same in two phases: calls decide() once all pages are reserved, and applies the batch if that
    /// returns true. Otherwise returns nothing, and the graph is unchanged.
    virtual std::optional<batch_report> apply_if(bool erasing, placed_type const& placed,
                                                 std::function<bool()> const& decide) = 0;
    /// Columns in host memory.
    virtual batch_report apply_columns(bool erasing, column_batch const& columns,
                                       std::span<value_type const> values) = 0;
    /// Columns in memory that kernels of the space can read.
    virtual batch_report apply_columns_in_space(bool erasing, column_batch const& columns,
                                                value_type const* values) = 0;
    virtual batch_report insert_rows(basic_csr_view<Id> const& rows, value_type const* values) = 0;

    [[nodiscard]] virtual staged_batch stage(std::span<edge_type const> edges,
                                             std::span<value_type const> values) = 0;
    [[nodiscard]] virtual staged_batch stage_columns(column_batch const& columns,
                                                     std::span<value_type const> values) = 0;

    [[nodiscard]] virtual std::uint64_t vertex_count() const = 0;
    [[nodiscard]] virtual std::uint64_t live_vertex_count() const = 0;
    [[nodiscard]] virtual std::uint64_t edge_count() const = 0;
    [[nodiscard]] virtual std::uint64_t arc_count() const = 0;
    [[nodiscard]] virtual std::uint64_t arcs_in_all_rows() const = 0;
    [[nodiscard]] virtual graph_options const& options() const = 0;
    [[nodiscard]] virtual bool broken() const = 0;
    [[nodiscard]] virtual Space& space() = 0;
    /// An Allocator of the configuration.
    [[nodiscard]] virtual void* allocator_object() = 0;

    /// The view for kernels that read values as bytes.
    [[nodiscard]] virtual view_type view() const = 0;
    [[nodiscard]] virtual csr<Space, Stored, Id> snapshot() = 0;

    [[nodiscard]] virtual std::vector<std::uint8_t> has_edges(std::span<edge_type const> edges) = 0;
    [[nodiscard]] virtual std::vector<std::uint32_t> degrees(std::span<Id const> ids) = 0;
    /// `values_for`, called once the number of neighbours is known, returns memory for their values.
    virtual void neighbours_of(std::span<Id const> ids, std::vector<std::uint64_t>& offsets,
                               std::vector<Id>& targets,
                               std::function<value_type*(std::uint64_t)> const& values_for) = 0;
    /// Writes edges.size() values and as many 0 or 1, to host memory.
    virtual void edge_values(std::span<edge_type const> edges, value_type* values, std::uint8_t* present) = 0;
    virtual void has_edges_in_space(edge_type const* edges, std::uint64_t count, std::uint8_t* present) = 0;
    virtual void degrees_in_space(Id const* ids, std::uint64_t count, std::uint32_t* degrees) = 0;
    [[nodiscard]] virtual std::uint64_t neighbour_offsets_in_space(Id const* ids, std::uint64_t count,
                                                                   std::uint64_t* offsets) = 0;
    /// `values` is nullptr where they are not asked for.
    virtual void neighbours_in_space(Id const* ids, std::uint64_t count, std::uint64_t const* offsets,
                                     std::uint64_t total, Id* targets, value_type* values) = 0;
    virtual void edge_values_in_space(edge_type const* edges, std::uint64_t count, value_type* values,
                                      std::uint8_t* present) = 0;

    [[nodiscard]] virtual std::vector<std::string> validate() = 0;
    [[nodiscard]] virtual std::vector<std::span<Id const>> row_places() = 0;
    [[nodiscard]] virtual memory_report memory() = 0;
    virtual void release_scratch() = 0;
    [[nodiscard]] virtual bool can_compact() const = 0;
    virtual compaction_report compact(std::uint64_t most_moved_bytes) = 0;
};
template <class Types>
using interface_of = core_interface<typename Types::id_type, typename Types::space_type,
                                    typename Types::layout_type, typename Types::stored_type>;

/// Makes an engine of these types. The library holds common ones compiled (graph/compiled.hpp). The body for
/// others is in graph/core/graph_core.hpp.
template <class Types>
[[nodiscard]] std::unique_ptr<interface_of<Types>> make_core(typename Types::space_type space,
                                                             graph_options const& options);

/// Whether a program can make an engine of these types: available_core() is declared for each that is
/// compiled, and for all where graph_core.hpp is included.
template <class Types>
concept available_types = requires(Types const* types) {
    available_core(types);
};

} // namespace rhizome::graph
