// What algorithms and users' kernels see of a graph: degrees and neighbours, never the owner.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/layout/row_format.hpp>
#include <rhizome/graph/neighbour_range.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// A graph as algorithms see it: trivially copyable, passed to kernels by value, good until the graph
/// changes.
///   id_type        names a vertex
///   sorted         neighbours ascend (static)
///   vertex_count() names of vertices are below it; live_vertex_count() of them is_live(v), the others are
///                  erased and have no neighbours
///   symmetric()    every arc has its reverse
///   has_in_arcs()  in_neighbours() may be called
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

/// Views that say so have their ranges begin at multiples of 16 bytes in memory that is readable up to the
/// next multiple behind their ends: whole 16 bytes may be loaded.
template <class View>
inline constexpr bool has_padded_rows = false;
template <class View>
requires requires { View::padded_rows; }
inline constexpr bool has_padded_rows<View> = View::padded_rows;

/// The live structure, rows in some format. Rows of vertex v: v * stride (out) and v * stride + 1 (in). Where
/// edges have values, values(v)[i] belongs to neighbours(v)[i].
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

    row_view(record_type const* rows, std::uint64_t vertices, std::uint32_t stride, bool symmetric,
             dead_vertices dead)
        : rows_(rows), vertices_(vertices), dead_(dead), stride_(stride), symmetric_(symmetric) {}

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
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

private:
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
};
/// ... in the default layout, of a graph whose edges have no values.
using live_view = row_view<row_format<vertex_id, void>>;

template <class View>
using id_of_view = typename View::id_type;

/// Compressed sparse rows: neighbours of v are targets[offsets[v]] to targets[offsets[v + 1] - 1], ascending.
template <class Id>
class basic_csr_view {
public:
    static constexpr bool sorted = true;
    using id_type = Id;
    using range_type = basic_neighbour_range<Id>;

    basic_csr_view(std::uint64_t const* offsets, Id const* targets, std::uint64_t vertices, bool symmetric,
                   dead_vertices dead = {})
        : offsets_(offsets), targets_(targets), vertices_(vertices), dead_(dead), symmetric_(symmetric) {}

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// Precondition: v < vertex_count().
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    /// vertex_count() + 1, of which the last is the number of arcs; and as many targets as that says.
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

private:
    std::uint64_t const* offsets_;
    Id const* targets_;
    std::uint64_t vertices_;
    dead_vertices dead_;
    bool symmetric_;
};

using csr_view = basic_csr_view<vertex_id>;

static_assert(graph_view<live_view> && graph_view<csr_view>);

} // namespace rhizome::graph
