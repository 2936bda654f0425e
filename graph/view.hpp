// What algorithms and users' kernels see of a graph: degrees and neighbours, never the owner.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/layout/row_format.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// The neighbours of one vertex where they lie side by side in the memory of the graph's space.
template <class Id>
class basic_neighbour_range {
public:
    using id_type = Id;
    static constexpr bool contiguous = true;

    RZ_HD basic_neighbour_range(Id const* ids, std::uint64_t size) : ids_(ids), size_(size) {}

    [[nodiscard]] RZ_HD std::uint64_t size() const { return size_; }
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return ids_[i]; }
    [[nodiscard]] RZ_HD Id const* begin() const { return ids_; }
    [[nodiscard]] RZ_HD Id const* end() const { return ids_ + size_; }

    /// function(i, id) for each neighbour number `first` to `last` - 1, by one of the lanes of a group, all
    /// of which call this.
    template <class Group, class Function>
    RZ_HD void for_each(Group const& group, std::uint64_t first, std::uint64_t last,
                        Function&& function) const {
        for (std::uint64_t i = first + group.rank(); i < last; i += group.size())
            function(i, ids_[i]);
    }

private:
    Id const* ids_;
    std::uint64_t size_;
};
using neighbour_range = basic_neighbour_range<vertex_id>;

/// What neighbours() gives: size(), forward iteration, and for_each() by a group of lanes. `contiguous`: also
/// pointers and operator[] in O(1).
template <class Range>
concept neighbours_of_vertex = requires(Range const range) {
    typename Range::id_type;
    { Range::contiguous } -> std::convertible_to<bool>;
    { range.size() } -> std::convertible_to<std::uint64_t>;
    range.begin() != range.end();
    { *range.begin() } -> std::convertible_to<typename Range::id_type>;
};

/// A graph as algorithms see it: trivially copyable, passed to kernels by value, good until the graph
/// changes.
///   sorted         neighbours ascend (static)
///   symmetric()    every arc has its reverse
///   has_in_arcs()  in_neighbours() may be called
///   is_live(v)     whether there is a vertex v; where it was deleted, it has no neighbours and is nobody's
///   live_vertex_count() of the vertex_count() ids
template <class View>
concept graph_view = std::is_trivially_copyable_v<View> && requires(View const view, vertex_id v) {
    { View::sorted } -> std::convertible_to<bool>;
    { view.vertex_count() } -> std::same_as<std::uint64_t>;
    { view.symmetric() } -> std::same_as<bool>;
    { view.has_in_arcs() } -> std::same_as<bool>;
    { view.degree(v) } -> std::convertible_to<std::uint64_t>;
    { view.neighbours(v) } -> neighbours_of_vertex;
    { view.in_neighbours(v) } -> neighbours_of_vertex;
    { view.is_live(v) } -> std::same_as<bool>;
    { view.live_vertex_count() } -> std::same_as<std::uint64_t>;
};

/// Views that say so have their ranges begin at multiples of 16 bytes in memory that is readable up to the
/// next multiple behind their ends: whole 16 bytes may be loaded.
template <class View>
inline constexpr bool has_padded_rows = false;
template <class View>
requires requires { View::padded_rows; }
inline constexpr bool has_padded_rows<View> = View::padded_rows;

/// The live structure in the contiguous layout. Rows of vertex v: v * stride (out) and v * stride + 1 (in).
/// Where edges have values, values(v)[i] belongs to neighbours(v)[i].
template <class Format>
class contiguous_view {
public:
    static constexpr bool sorted = true;
    static constexpr bool padded_rows = true; // records and pages alike
    static constexpr bool has_values = Format::has_values;
    using record_type = typename Format::record_type;
    using value_type = typename Format::value_type;

    contiguous_view(record_type const* rows, std::uint64_t vertices, std::uint32_t stride, bool symmetric)
        : rows_(rows), vertices_(vertices), stride_(stride), symmetric_(symmetric) {}

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD bool is_live(vertex_id) const { return true; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_ || stride_ == 2; }
    [[nodiscard]] RZ_HD std::uint32_t degree(vertex_id v) const {
        return rows_[std::uint64_t{v} * stride_].degree;
    }
    [[nodiscard]] RZ_HD neighbour_range neighbours(vertex_id v) const {
        return of_row(std::uint64_t{v} * stride_);
    }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD neighbour_range in_neighbours(vertex_id v) const { return of_row(in_row(v)); }

    /// The values of the edges to neighbours(v): degree(v) of them.
    [[nodiscard]] RZ_HD value_type const* values(vertex_id v) const requires has_values {
        return values_of_row(std::uint64_t{v} * stride_);
    }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD value_type const* in_values(vertex_id v) const requires has_values {
        return values_of_row(in_row(v));
    }

private:
    [[nodiscard]] RZ_HD std::uint64_t in_row(vertex_id v) const {
        return std::uint64_t{v} * stride_ + (symmetric_ ? 0 : 1);
    }
    [[nodiscard]] RZ_HD neighbour_range of_row(std::uint64_t row) const {
        record_type const record = rows_[row];
        return {Format::ids_of(rows_ + row, record), record.degree};
    }
    [[nodiscard]] RZ_HD value_type const* values_of_row(std::uint64_t row) const {
        record_type const record = rows_[row];
        return Format::values_of(record.page(), record.capacity());
    }

    record_type const* rows_;
    std::uint64_t vertices_;
    std::uint32_t stride_;
    bool symmetric_;
};
/// ... of a graph whose edges have no values.
using live_view = contiguous_view<row_format<vertex_id, void>>;

/// Compressed sparse rows: neighbours of v are targets[offsets[v]] to targets[offsets[v + 1] - 1], ascending.
class csr_view {
public:
    static constexpr bool sorted = true;

    csr_view(std::uint64_t const* offsets, vertex_id const* targets, std::uint64_t vertices, bool symmetric)
        : offsets_(offsets), targets_(targets), vertices_(vertices), symmetric_(symmetric) {}

    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD bool is_live(vertex_id) const { return true; }
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_; }
    [[nodiscard]] RZ_HD bool symmetric() const { return symmetric_; }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return symmetric_; }
    [[nodiscard]] RZ_HD std::uint64_t degree(vertex_id v) const {
        return offsets_[std::uint64_t{v} + 1] - offsets_[v];
    }
    [[nodiscard]] RZ_HD neighbour_range neighbours(vertex_id v) const {
        return {targets_ + offsets_[v], offsets_[std::uint64_t{v} + 1] - offsets_[v]};
    }
    /// Precondition: has_in_arcs().
    [[nodiscard]] RZ_HD neighbour_range in_neighbours(vertex_id v) const { return neighbours(v); }

private:
    std::uint64_t const* offsets_;
    vertex_id const* targets_;
    std::uint64_t vertices_;
    bool symmetric_;
};

static_assert(graph_view<live_view> && graph_view<csr_view>);

} // namespace rhizome::graph
