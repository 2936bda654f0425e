// SPDX-License-Identifier: Apache-2.0
// Views: read-only access to a graph from algorithms and from the user's kernels. A view owns no memory.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/format/row_format.hpp>
#include <rhizome/graph/format/stored_value.hpp>
#include <rhizome/graph/format/vertex_record.hpp>
#include <rhizome/graph/neighbour_range.hpp>
#include <rhizome/graph/types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::graph {

/// What an algorithm reads of a graph. A view is trivially copyable, passed to kernels by value, and valid
/// until the graph changes.
///     id_type              type of a vertex id
///     sorted               neighbours ascend (static)
///     vertex_count()       all vertex ids, including those of erased vertices, are less than this value
///     live_vertex_count()  number of ids v with is_live(v); the other ids are those of erased vertices
///     is_live(v)           v is not erased; erased vertices have no neighbours
///     symmetric()          every arc has its reverse
///     has_in_arcs()        in_neighbours() may be called
///     degree(v)            number of out-neighbours
///     neighbours(v)        range of the out-neighbours
///     in_neighbours(v)     range of the in-neighbours; precondition: has_in_arcs()
///
/// Precondition of the functions of v: v < vertex_count(). The views of this library also have arc_count(),
/// and for_each_edge(), which gives each neighbour together with the value of its edge.
template <class View>
concept graph_view = std::is_trivially_copyable_v<View> &&
    requires(View const view, typename View::id_type v) {
    { View::sorted } -> std::convertible_to<bool>;
    { view.vertex_count() } -> std::same_as<std::uint64_t>;
    { view.live_vertex_count() } -> std::same_as<std::uint64_t>;
    { view.is_live(v) } -> std::same_as<bool>;
    { view.symmetric() } -> std::same_as<bool>;
    { view.has_in_arcs() } -> std::same_as<bool>;
    { view.degree(v) } -> std::convertible_to<std::uint64_t>;
    { view.neighbours(v) } -> neighbours_of_vertex;
    { view.in_neighbours(v) } -> neighbours_of_vertex;
};

/// Whether each neighbour list begins at a multiple of 16 bytes, and may be read up to the next multiple of
/// 16 bytes after its end. Kernels may then use 16-byte loads.
template <class View>
inline constexpr bool has_padded_rows = false;
template <class View>
requires requires { View::padded_rows; }
inline constexpr bool has_padded_rows<View> = View::padded_rows;

/// The view of a dynamic graph: reads the graph's own memory, without a copy. `Format` says how neighbours
/// lie in memory. `stride` is the number of rows per vertex: 2 in a graph with in_arcs, else 1. Row
/// v * stride holds the out-neighbours of v, row v * stride + 1 (if stride is 2) its in-neighbours. If edges
/// have values, values(v)[i] belongs to neighbours(v)[i].
template <class Format>
class row_view {
public:
    /// Whether neighbours ascend.
    static constexpr bool sorted = Format::sorted;
    /// See has_padded_rows. True for contiguous rows: vertex records and pages are both padded to 16 bytes.
    static constexpr bool padded_rows = Format::range_type::contiguous;
    /// Whether edges have values.
    static constexpr bool has_values = Format::has_values;
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using value_type = typename Format::value_type;
    using range_type = typename Format::range_type;
    using value_range = typename Format::value_range;

    /// `arcs`: the number of arcs of the out-adjacency.
    row_view(record_type const* rows, std::uint64_t vertices, std::uint32_t stride, bool symmetric,
             dead_vertices dead, std::uint64_t arcs)
        : rows_(rows), vertices_(vertices), dead_(dead), stride_(stride), symmetric_(symmetric), arcs_(arcs) {
    }

    /// All vertex ids, including those of erased vertices, are less than this value.
    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    /// The number of vertices that are not erased.
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// The sum of all degrees: an undirected edge counts twice, a self-loop once. The view stores it.
    [[nodiscard]] RZ_HD std::uint64_t arc_count() const { return arcs_; }
    /// Whether vertex v is not erased. Precondition: v < vertex_count(). Cost: one load if the graph has
    /// erased vertices, else none.
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    /// Whether every arc has its reverse: true for an undirected graph.
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    /// Whether in_neighbours() may be called: for an undirected graph, or one made with in_arcs.
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_ || stride_ == 2; }
    /// The number of out-neighbours of v; 0 for an erased vertex. Precondition: v < vertex_count(). Cost: one
    /// load.
    [[nodiscard]] RZ_HD std::uint32_t degree(id_type v) const {
        return rows_[std::uint64_t{v} * stride_].degree;
    }
    /// The out-neighbours of v in the order of the layout; ascending if `sorted`. Valid until the graph
    /// changes. Precondition: v < vertex_count(). Cost: one load.
    [[nodiscard]] RZ_HD range_type neighbours(id_type v) const { return of_row(std::uint64_t{v} * stride_); }
    /// The in-neighbours of v: the vertices from which an arc leads to v. Otherwise as neighbours().
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD range_type in_neighbours(id_type v) const { return of_row(in_row(v)); }

    /// The values of the edges to neighbours(v): degree(v) of them.
    [[nodiscard]] RZ_HD value_range values(id_type v) const requires has_values {
        return Format::values_of_row(rows_[std::uint64_t{v} * stride_]);
    }
    /// The values of the edges from in_neighbours(v). Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD value_range in_values(id_type v) const requires has_values {
        return Format::values_of_row(rows_[in_row(v)]);
    }

    /// Calls function(i, id, value) for each i from `first` to `last` - 1. `id` is neighbour i of v, and
    /// `value` the value of the edge to it. In a graph without values it calls function(i, id). All lanes of
    /// `group` (a tile or a warp) call for_each_edge() together and share the edges: for each edge exactly
    /// one lane calls `function`. The numbers i are those of neighbours(v). `value` is a reference to const
    /// that is valid until the graph changes: an undirected edge, or an edge of a graph with in-arcs, has its
    /// value in two rows, so a kernel must not change it in one of them. Precondition: last <= degree(v).
    /// Cost: one load per id and per value; in layouts with several pages per row, each page is found once
    /// for both.
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        for_each_edge_of_row(group, std::uint64_t{v} * stride_, first, last, function);
    }
    /// The same for all edges of v.
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, id_type v, Function&& function) const {
        for_each_edge_of_row(group, std::uint64_t{v} * stride_, 0, degree(v), function);
    }
    /// The same for the edges that lead to v: `id` is in-neighbour i of v. Precondition: has_in_arcs().
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                                Function&& function) const {
        for_each_edge_of_row(group, in_row(v), first, last, function);
    }
    /// The same for all edges that lead to v. Precondition: has_in_arcs().
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, id_type v, Function&& function) const {
        for_each_edge_of_row(group, in_row(v), 0, rows_[in_row(v)].degree, function);
    }

    /// The same view with values of another format. Precondition: the graph stores values of this type, or
    /// none is read through the view.
    template <class Other>
    [[nodiscard]] row_view<Other> as() const {
        static_assert(std::is_same_v<typename Other::record_type, record_type>);
        return {rows_, vertices_, stride_, symmetric_, dead_, arcs_};
    }

private:
    template <class Group, class Function>
    RZ_HD void for_each_edge_of_row(Group const& group, std::uint64_t row, std::uint64_t first,
                                    std::uint64_t last, Function&& function) const {
        record_type const record = rows_[row];
        if constexpr (has_values)
            Format::for_each_edge(rows_ + row, record, group, first, last, function);
        else
            Format::neighbours(rows_ + row, record).for_each(group, first, last, function);
    }
    [[nodiscard]] RZ_HD std::uint64_t in_row(id_type v) const {
        return std::uint64_t{v} * stride_ + (symmetric_ ? 0 : 1);
    }
    [[nodiscard]] RZ_HD range_type of_row(std::uint64_t row) const {
        record_type const record = rows_[row];
        return Format::neighbours(rows_ + row, record);
    }

    record_type const* rows_;
    std::uint64_t vertices_;
    dead_vertices dead_;
    std::uint32_t stride_;
    bool symmetric_;
    std::uint64_t arcs_;
};
/// A view of the default layout, of a graph whose edges have no values.
using default_view = row_view<row_format<vertex_id, void>>;

/// The id type of a view.
template <class View>
using id_of_view = typename View::id_type;

/// Compressed sparse rows, with all arrays in the memory of the space. The neighbours of v are
/// targets[offsets[v]] to targets[offsets[v + 1] - 1], in ascending order. If edges have values, values[i]
/// is that of the edge to targets[i]. Only dynamic_graph::insert_rows_in_space() also accepts rows whose
/// neighbours do not ascend.
template <class Id, class Value = void>
class basic_csr_view;

template <class Id>
class basic_csr_view<Id, void> {
public:
    static constexpr bool sorted = true;
    static constexpr bool has_values = false;
    using id_type = Id;
    using range_type = basic_neighbour_range<Id>;

    /// `offsets`: vertices + 1 numbers; the last is `arcs`. `targets`: `arcs` ids. `symmetric`: every arc
    /// has its reverse; this is not checked. `dead`: the number of erased vertices, and one bit per vertex,
    /// set if the vertex is erased; by default no vertex is erased.
    basic_csr_view(std::uint64_t const* offsets, Id const* targets, std::uint64_t vertices,
                   std::uint64_t arcs, bool symmetric, dead_vertices dead = {})
        : offsets_(offsets), targets_(targets), vertices_(vertices), arcs_(arcs), dead_(dead),
          symmetric_(symmetric) {}

    /// All vertex ids, including those of erased vertices, are less than this value.
    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    /// The number of vertices that are not erased.
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// The sum of all degrees. The view stores it.
    [[nodiscard]] RZ_HD std::uint64_t arc_count() const { return arcs_; }
    /// Whether vertex v is not erased. Precondition: v < vertex_count().
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    /// vertex_count() + 1 numbers in the memory of the space; the last is arc_count().
    [[nodiscard]] RZ_HD std::uint64_t const* offsets() const { return offsets_; }
    /// arc_count() neighbour ids in the memory of the space, row after row.
    [[nodiscard]] RZ_HD Id const* targets() const { return targets_; }
    /// Whether every arc has its reverse.
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    /// Whether in_neighbours() may be called: if the view is symmetric.
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_; }
    /// The number of neighbours of v. Precondition: v < vertex_count(). Cost: two loads.
    [[nodiscard]] RZ_HD std::uint64_t degree(Id v) const {
        return offsets_[std::uint64_t{v} + 1] - offsets_[v];
    }
    /// The neighbours of v. Precondition: v < vertex_count(). Cost: two loads.
    [[nodiscard]] RZ_HD range_type neighbours(Id v) const {
        return {targets_ + offsets_[v], offsets_[std::uint64_t{v} + 1] - offsets_[v]};
    }
    /// The same as neighbours(v). Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD range_type in_neighbours(Id v) const { return neighbours(v); }

    /// Calls function(i, id) for neighbours number `first` to `last` - 1 of v, as row_view::for_each_edge().
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        neighbours(v).for_each(group, first, last, function);
    }
    /// The same for all neighbours of v.
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, Function&& function) const {
        auto const row = neighbours(v);
        row.for_each(group, 0, row.size(), function);
    }
    /// The same as for_each_edge(). Precondition: has_in_arcs().
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, Id v, std::uint64_t first, std::uint64_t last,
                                Function&& function) const {
        for_each_edge(group, v, first, last, function);
    }
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, Id v, Function&& function) const {
        for_each_edge(group, v, function);
    }

private:
    std::uint64_t const* offsets_;
    Id const* targets_;
    std::uint64_t vertices_;
    std::uint64_t arcs_;
    dead_vertices dead_;
    bool symmetric_;
};

// Hidden from Doxygen, which confuses this primary template with its base class, a partial specialisation.
/// @cond
/// Compressed sparse rows with edge values. Converts to a view of the same rows without values.
template <class Id, class Value>
class basic_csr_view : public basic_csr_view<Id, void> {
    using rows_type = basic_csr_view<Id, void>;

public:
    static constexpr bool has_values = true;
    using value_type = Value;
    using value_range = Value const*;

    /// `values`: rows.arc_count() of them, in the memory of the space.
    basic_csr_view(rows_type const& rows, Value const* values) : rows_type(rows), values_(values) {}

    /// The values of all edges, in the order of targets().
    [[nodiscard]] RZ_HD Value const* values() const { return values_; }
    /// The values of the edges to neighbours(v): degree(v) of them.
    [[nodiscard]] RZ_HD value_range values(Id v) const { return values_ + this->offsets()[v]; }
    /// The same as values(v). Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD value_range in_values(Id v) const { return values(v); }

    /// Calls function(i, id, value) for edges number `first` to `last` - 1 of v, as
    /// row_view::for_each_edge().
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        std::uint64_t const begin = this->offsets()[v];
        Id const* const ids = this->targets() + begin;
        Value const* const of_row = values_ + begin;
        for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
            function(i, ids[i], of_row[i]);
    }
    /// The same for all edges of v.
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, Function&& function) const {
        for_each_edge(group, v, 0, this->degree(v), function);
    }
    /// The same as for_each_edge(). Precondition: has_in_arcs().
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, Id v, std::uint64_t first, std::uint64_t last,
                                Function&& function) const {
        for_each_edge(group, v, first, last, function);
    }
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, Id v, Function&& function) const {
        for_each_edge(group, v, function);
    }

private:
    Value const* values_;
};
/// @endcond

/// Compressed sparse rows with 32-bit ids, without values.
using csr_view = basic_csr_view<vertex_id>;

namespace detail {
template <class View>
struct untyped {
    static View const& of(View const& view) { return view; }
};
template <class Id, class Value>
struct untyped<row_view<row_format<Id, Value>>> {
    using format = row_format<Id, std::conditional_t<std::is_void_v<Value>, void, stored_value<8, 8>>>;
    static row_view<format> of(row_view<row_format<Id, Value>> const& view) {
        return view.template as<format>();
    }
};
template <class Id, class Value>
struct untyped<basic_csr_view<Id, Value>> {
    static basic_csr_view<Id> of(basic_csr_view<Id, Value> const& view) { return view; }
};
} // namespace detail

/// A view of the same neighbours whose type does not depend on the type of the edges' values, for algorithms
/// that read no values: compiled once, they serve graphs with values of any type.
template <graph_view View>
[[nodiscard]] auto untyped(View const& view) {
    return detail::untyped<View>::of(view);
}
template <graph_view View>
using untyped_view = decltype(untyped(std::declval<View const&>()));

static_assert(graph_view<default_view> && graph_view<csr_view> &&
              graph_view<basic_csr_view<vertex_id, float>>);

} // namespace rhizome::graph
