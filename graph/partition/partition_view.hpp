// SPDX-License-Identifier: Apache-2.0
// What a rank's kernels read of a graph that is divided among ranks.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The view of one rank of a partitioned_graph: the rows of the vertices that the rank **owns**, with ids of
/// the whole graph. It is a graph_view whose vertex_count() is that of the whole graph. Degrees of vertices
/// that other ranks own are 0 here, and their neighbours may not be asked for. Valid until the next change of
/// the graph.
///
/// A kernel that visits the owned vertices goes over the row numbers 0 to row_count() - 1:
///
///     exec::for_each_item(thread, view.row_count(), [&](std::uint64_t row) {
///         if (!view.is_used(row)) return;
///         auto const v = view.id_of(row);   // id in the whole graph
///         ... view.neighbours(v) ...        // ids in the whole graph
///     });
///
/// Rows: the row_view of the rank's own graph, which numbers vertices by their rows.
template <class Rows, owner_policy Owners>
class partition_view {
public:
    using rows_type = Rows;
    using id_type = typename Rows::id_type;
    using range_type = typename Rows::range_type;
    using value_type = typename Rows::value_type;
    using value_range = typename Rows::value_range;
    static constexpr bool sorted = Rows::sorted;
    static constexpr bool padded_rows = Rows::padded_rows;
    static constexpr bool has_values = Rows::has_values;

    partition_view(Rows const& rows, Owners const& owners, std::uint32_t rank, std::uint64_t vertices,
                   dead_vertices dead)
        : rows_(rows), owners_(owners), rank_(rank), vertices_(vertices), dead_(dead) {}

    /// All vertex ids of the whole graph are less than this value.
    [[nodiscard]] RZ_HD std::uint64_t vertex_count() const { return vertices_; }
    /// The number of vertices of the whole graph that are not erased.
    [[nodiscard]] RZ_HD std::uint64_t live_vertex_count() const { return vertices_ - dead_.count; }
    /// Whether vertex v is not erased; also for vertices of other ranks.
    [[nodiscard]] RZ_HD bool is_live(id_type v) const {
        return dead_.bits == nullptr || !is_dead(dead_.bits, v);
    }
    [[nodiscard]] RZ_HD bool symmetric() const { return rows_.symmetric(); }
    [[nodiscard]] RZ_HD bool has_in_arcs() const { return rows_.has_in_arcs(); }
    /// The sum of the degrees of the owned vertices.
    [[nodiscard]] RZ_HD std::uint64_t arc_count() const { return rows_.arc_count(); }

    /// Which vertices are erased.
    [[nodiscard]] RZ_HD dead_vertices const& dead() const { return dead_; }
    [[nodiscard]] RZ_HD Owners const& owners() const { return owners_; }
    [[nodiscard]] RZ_HD std::uint32_t rank() const { return rank_; }
    /// Whether this rank has the rows of vertex v.
    [[nodiscard]] RZ_HD bool owns(id_type v) const { return owners_.owner(v) == rank_; }
    /// The number of rows. Some may belong to ids that are not in use yet.
    [[nodiscard]] RZ_HD std::uint64_t row_count() const { return rows_.vertex_count(); }
    /// Whether a row belongs to an id less than vertex_count().
    [[nodiscard]] RZ_HD bool is_used(std::uint64_t row) const {
        return owners_.global(rank_, row) < vertices_;
    }
    /// The id of the vertex that has the row. Precondition: is_used(row).
    [[nodiscard]] RZ_HD id_type id_of(std::uint64_t row) const {
        return static_cast<id_type>(owners_.global(rank_, row));
    }
    /// The row of an owned vertex.
    [[nodiscard]] RZ_HD id_type row_of(id_type v) const { return static_cast<id_type>(owners_.row(v)); }
    /// The rows by their numbers: rows().neighbours(row_of(v)) is neighbours(v).
    [[nodiscard]] RZ_HD Rows const& rows() const { return rows_; }

    /// The number of out-neighbours of v; 0 if another rank owns v.
    [[nodiscard]] RZ_HD std::uint32_t degree(id_type v) const {
        return owns(v) ? rows_.degree(row_of(v)) : 0;
    }
    // The rest as in row_view. Precondition: owns(v).
    [[nodiscard]] RZ_HD range_type neighbours(id_type v) const { return rows_.neighbours(row_of(v)); }
    [[nodiscard]] RZ_HD range_type in_neighbours(id_type v) const { return rows_.in_neighbours(row_of(v)); }
    [[nodiscard]] RZ_HD value_range values(id_type v) const requires has_values {
        return rows_.values(row_of(v));
    }
    [[nodiscard]] RZ_HD value_range in_values(id_type v) const requires has_values {
        return rows_.in_values(row_of(v));
    }
    template <class Group, class Function>
    RZ_HD void for_each_edge(Group const& group, id_type v, std::uint64_t first, std::uint64_t last,
                             Function&& function) const {
        rows_.for_each_edge(group, row_of(v), first, last, function);
    }

private:
    Rows rows_;
    Owners owners_;
    std::uint32_t rank_;
    std::uint64_t vertices_;
    dead_vertices dead_;
};

/// The rows of a rank as a graph of their own, for algorithms that go over the rows of a view: a vertex is a
/// row number, but neighbours are ids of the whole graph. Rows that belong to no vertex, or to an erased one,
/// are not live.
template <class View>
class rows_of_rank : public View::rows_type {
public:
    explicit rows_of_rank(View const& view) : View::rows_type(view.rows()), view_(view) {}

    [[nodiscard]] RZ_HD bool is_live(typename View::id_type row) const {
        return view_.is_used(row) && view_.is_live(view_.id_of(row));
    }

private:
    View view_;
};

static_assert(graph_view<partition_view<default_view, modulo_owners>> &&
              graph_view<rows_of_rank<partition_view<default_view, modulo_owners>>> &&
              graph_view<partition_view<default_view, hash_owners>>);

} // namespace rhizome::graph
