// A graph as algorithms and kernels of callers see it: degrees and neighbours, without the owner.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/format/row_format.hpp>
#include <rhizome/graph/format/vertex_record.hpp>
#include <rhizome/graph/neighbour_range.hpp>
#include <rhizome/graph/types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// A graph as algorithms see it: trivially copyable, passed to kernels by value, valid until the graph
/// changes.
///     id_type              type of a vertex id
///     sorted               neighbours ascend (static)
///     vertex_count()       all vertex ids, including those of erased vertices, are less than this value
///     live_vertex_count()  ids that is_live(v); the others are erased vertices, without neighbours
///     symmetric()          every arc has its reverse
///     has_in_arcs()        in_neighbours() may be called
///
/// The views of this library also have arc_count(), and for_each_edge(), which gives each neighbour together
/// with the value of its edge.
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

/// Whether ranges begin at multiples of 16 bytes, in memory that is readable up to the next such multiple
/// behind their ends. Whole 16 bytes may then be loaded.
template <class View>
inline constexpr bool has_padded_rows = false;
template <class View>
requires requires { View::padded_rows; }
inline constexpr bool has_padded_rows<View> = View::padded_rows;

/// The live structure, with rows in some format. The rows of vertex v are v * stride (out) and v * stride + 1
/// (in). Where edges have values, values(v)[i] belongs to neighbours(v)[i].
template <class Format>
class row_view {
public:
    static constexpr bool sorted = Format::sorted;
    static constexpr bool padded_rows = Format::range_type::contiguous; // records and pages alike
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

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// The sum of all degrees: an undirected edge counts twice, a self-loop once. Cost: a load.
    [[nodiscard]] RZ_HD std::uint64_t arc_count() const { return arcs_; }
    /// Precondition: v < vertex_count().
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_ || stride_ == 2; }
    [[nodiscard]] RZ_HD std::uint32_t degree(id_type v) const {
        return rows_[std::uint64_t{v} * stride_].degree;
    }
    [[nodiscard]] RZ_HD range_type neighbours(id_type v) const { return of_row(std::uint64_t{v} * stride_); }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD range_type in_neighbours(id_type v) const { return of_row(in_row(v)); }

    /// The values of the edges to neighbours(v): degree(v) of them.
    [[nodiscard]] RZ_HD value_range values(id_type v) const requires has_values {
        return Format::values_of_row(rows_[std::uint64_t{v} * stride_]);
    }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD value_range in_values(id_type v) const requires has_values {
        return Format::values_of_row(rows_[in_row(v)]);
    }

    /// Calls function(i, id, value) for edges number `first` to `last` - 1 of vertex v where edges have
    /// values, else function(i, id). One lane of a group calls it for each edge; all lanes of the group call
    /// for_each_edge(). `i` and the order are those of neighbours(v). `value` is a reference that is valid
    /// until the graph changes. It is constant, since an undirected edge, or an edge of a graph with in-arcs,
    /// has its value in two rows. Precondition: last <= degree(v). Cost: one load per id and per value; in
    /// layouts with several pages per row, each page is found once for both.
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
    /// The same for the edges that lead to v. Precondition: has_in_arcs().
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                                Function&& function) const {
        for_each_edge_of_row(group, in_row(v), first, last, function);
    }
    template <class Group, class Function>
    RZ_HD void for_each_in_edge(Group const& group, id_type v, Function&& function) const {
        for_each_edge_of_row(group, in_row(v), 0, rows_[in_row(v)].degree, function);
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
using live_view = row_view<row_format<vertex_id, void>>;

template <class View>
using id_of_view = typename View::id_type;

/// Compressed sparse rows: the neighbours of v are targets[offsets[v]] to targets[offsets[v + 1] - 1],
/// ascending. Where edges have values, values[i] is that of the edge to targets[i].
template <class Id, class Value = void>
class basic_csr_view;

template <class Id>
class basic_csr_view<Id, void> {
public:
    static constexpr bool sorted = true;
    static constexpr bool has_values = false;
    using id_type = Id;
    using range_type = basic_neighbour_range<Id>;

    /// `offsets`: vertices + 1 of them; the last is `arcs`. `targets`: `arcs` of them.
    basic_csr_view(std::uint64_t const* offsets, Id const* targets, std::uint64_t vertices,
                   std::uint64_t arcs, bool symmetric, dead_vertices dead = {})
        : offsets_(offsets), targets_(targets), vertices_(vertices), arcs_(arcs), dead_(dead),
          symmetric_(symmetric) {}

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// The sum of all degrees. Cost: a load.
    [[nodiscard]] RZ_HD std::uint64_t arc_count() const { return arcs_; }
    /// Precondition: v < vertex_count().
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    /// vertex_count() + 1 of them; the last is arc_count(), the number of targets.
    [[nodiscard]] RZ_HD std::uint64_t const* offsets() const { return offsets_; }
    [[nodiscard]] RZ_HD Id const* targets() const { return targets_; }
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_; }
    [[nodiscard]] RZ_HD std::uint64_t degree(Id v) const {
        return offsets_[std::uint64_t{v} + 1] - offsets_[v];
    }
    [[nodiscard]] RZ_HD range_type neighbours(Id v) const {
        return {targets_ + offsets_[v], offsets_[std::uint64_t{v} + 1] - offsets_[v]};
    }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD range_type in_neighbours(Id v) const { return neighbours(v); }

    /// Calls function(i, id) for neighbours number `first` to `last` - 1 of v, as row_view::for_each_edge().
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        neighbours(v).for_each(group, first, last, function);
    }
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, Function&& function) const {
        auto const row = neighbours(v);
        row.for_each(group, 0, row.size(), function);
    }
    /// Precondition: has_in_arcs().
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

// Doxygen takes the base of this class for the class itself.
/// @cond
/// The same where edges have values. It converts to a view of the same rows without values.
template <class Id, class Value>
class basic_csr_view : public basic_csr_view<Id, void> {
    using rows_type = basic_csr_view<Id, void>;

public:
    static constexpr bool has_values = true;
    using value_type = Value;
    using value_range = Value const*;

    /// `values`: rows.arc_count() of them.
    basic_csr_view(rows_type const& rows, Value const* values) : rows_type(rows), values_(values) {}

    /// The values of all edges, in the order of targets().
    [[nodiscard]] RZ_HD Value const* values() const { return values_; }
    /// The values of the edges to neighbours(v): degree(v) of them.
    [[nodiscard]] RZ_HD value_range values(Id v) const { return values_ + this->offsets()[v]; }
    /// Precondition: has_in_arcs().
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
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, Id v, Function&& function) const {
        for_each_edge(group, v, 0, this->degree(v), function);
    }
    /// Precondition: has_in_arcs().
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

using csr_view = basic_csr_view<vertex_id>;

static_assert(graph_view<live_view> && graph_view<csr_view> && graph_view<basic_csr_view<vertex_id, float>>);

} // namespace rhizome::graph
