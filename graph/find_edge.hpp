// SPDX-License-Identifier: Apache-2.0
// Whether an edge is present: queries on the device, by one lane or by a tile together.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph {

/// The type of a view's neighbours() and in_neighbours().
template <class View>
using range_of_view = decltype(std::declval<View const&>().neighbours(id_of_view<View>{}));

/// The place of a neighbour in its range; undefined if it is not present.
struct neighbour_place {
    std::uint64_t place;
    bool present;
};

/// Where an edge u -> v was found: v is at `place` of neighbours(u) or, if `reversed`, u is at `place` of
/// in_neighbours(v).
struct edge_place {
    std::uint64_t place;
    bool present;
    bool reversed;
};

/// Whether the id is that of a live vertex.
template <graph_view View, class Id>
[[nodiscard]] RZ_HD bool is_vertex(View const& view, Id id) {
    return id < view.vertex_count() && view.is_live(id);
}

namespace detail {
/// A group of the calling lane alone.
struct lone_lane {
    [[nodiscard]] static RZ_HD std::uint32_t rank() { return 0; }
    [[nodiscard]] static RZ_HD std::uint32_t size() { return 1; }
};
} // namespace detail

/// Searches a range of neighbours for `target`; `Sorted`: they ascend. Cost: a binary search if they are also
/// contiguous, else a walk.
template <bool Sorted, class Range, class Id>
[[nodiscard]] RZ_HD neighbour_place find_neighbour(Range const& row, Id target) {
    if constexpr (Sorted && Range::contiguous) {
        std::uint64_t low = 0;
        for (std::uint64_t high = row.size(); low < high;) {
            std::uint64_t const middle = low + (high - low) / 2;
            if (row[middle] < target)
                low = middle + 1;
            else
                high = middle;
        }
        return {low, low < row.size() && row[low] == target};
    } else {
        neighbour_place found{0, false};
        row.for_each(detail::lone_lane{}, 0, row.size(), [&](std::uint64_t i, Id id) {
            if (id == target) found = {i, true};
        });
        return found;
    }
}

/// The same by a tile: all lanes call this with the same arguments and get the same answer. If the search
/// cannot be divided, all lanes read the same places, which is one access for the tile.
template <bool Sorted, class Tile, class Range, class Id>
[[nodiscard]] RZ_HD neighbour_place find_neighbour(Tile const& tile, Range const& row, Id target) {
    if constexpr (Sorted && Range::contiguous) {
        return find_neighbour<Sorted>(row, target);
    } else {
        std::uint64_t own = 0; // the place plus 1
        row.for_each(tile, 0, row.size(), [&](std::uint64_t i, Id id) {
            if (id == target) own = i + 1;
        });
        std::uint64_t const found = tile.max(own);
        return {found - 1, found != 0};
    }
}

namespace detail {
/// Whether the view has the rows of a vertex. The view of a part of a graph has those of the vertices that it
/// owns.
template <class View>
[[nodiscard]] RZ_HD bool has_rows_of([[maybe_unused]] View const& view, [[maybe_unused]] id_of_view<View> v) {
    if constexpr (requires { view.owns(v); })
        return view.owns(v);
    else
        return true;
}

template <class View, class Find>
[[nodiscard]] RZ_HD edge_place find_edge_with(View const& view, id_of_view<View> u, id_of_view<View> v,
                                              Find const& find) {
    if (!is_vertex(view, u) || !is_vertex(view, v) || !has_rows_of(view, u)) return {0, false, false};
    auto const row = view.neighbours(u);
    if (row.size() > tuning::one_sided_degree && view.has_in_arcs() && has_rows_of(view, v)) {
        auto const back = view.in_neighbours(v);
        if (back.size() < row.size()) {
            neighbour_place const found = find(back, u);
            return {found.place, found.present, true};
        }
    }
    neighbour_place const found = find(row, v);
    return {found.place, found.present, false};
}
} // namespace detail

/// Searches for the arc u -> v, or the edge {u, v} of an undirected graph. Not present if an end is no
/// vertex; on a partition_view, also if another rank owns u, whether or not the graph has the edge. Cost:
/// that of loading a row and of find_neighbour(). A long row is not searched if the row of the other end is
/// shorter and the view has in-arcs.
template <graph_view View>
[[nodiscard]] RZ_HD edge_place find_edge(View const& view, id_of_view<View> u, id_of_view<View> v) {
    return detail::find_edge_with(view, u, v, [](auto const& row, id_of_view<View> target) {
        return find_neighbour<View::sorted>(row, target);
    });
}
/// The same by a tile, all lanes of which ask for the same edge. It pays where ranges are not contiguous or
/// not sorted; elsewhere let each lane ask for an edge of its own.
template <class Tile, graph_view View>
[[nodiscard]] RZ_HD edge_place find_edge(Tile const& tile, View const& view, id_of_view<View> u,
                                         id_of_view<View> v) {
    return detail::find_edge_with(view, u, v, [&](auto const& row, id_of_view<View> target) {
        return find_neighbour<View::sorted>(tile, row, target);
    });
}

/// Whether there is an arc u -> v, or an edge {u, v} of an undirected graph; false if an end is no vertex,
/// and on a partition_view if another rank owns u. Cost: that of find_edge().
template <graph_view View>
[[nodiscard]] RZ_HD bool has_edge(View const& view, id_of_view<View> u, id_of_view<View> v) {
    return find_edge(view, u, v).present;
}
/// The same by a tile, as find_edge().
template <class Tile, graph_view View>
[[nodiscard]] RZ_HD bool has_edge(Tile const& tile, View const& view, id_of_view<View> u,
                                  id_of_view<View> v) {
    return find_edge(tile, view, u, v).present;
}

/// The value of the edge u -> v that find_edge() found. Precondition: found.present.
template <graph_view View>
[[nodiscard]] RZ_HD auto value_of_edge(View const& view, id_of_view<View> u, id_of_view<View> v,
                                       edge_place const& found) {
    return found.reversed ? view.in_values(v)[found.place] : view.values(u)[found.place];
}

} // namespace rhizome::graph
