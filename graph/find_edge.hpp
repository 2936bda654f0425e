// Whether an edge is there, asked on the device: by one lane, or by a tile together.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph {

/// What a view's neighbours() and in_neighbours() give.
template <class View>
using range_of_view = decltype(std::declval<View const&>().neighbours(id_of_view<View>{}));

/// Number of a neighbour in its range; of one that is not there, nothing.
struct neighbour_place {
    std::uint64_t place;
    bool present;
};

/// Where an edge u -> v was found: v stands at `place` of neighbours(u), or, `reversed`, u at `place` of
/// in_neighbours(v).
struct edge_place {
    std::uint64_t place;
    bool present;
    bool reversed;
};

/// Whether the id is one of a live vertex.
template <graph_view View, class Id>
[[nodiscard]] RZ_HD bool is_vertex(View const& view, Id id) {
    return id < view.vertex_count() && view.is_live(id);
}

namespace detail {
/// A group of the caller alone.
struct lone_lane {
    [[nodiscard]] static RZ_HD std::uint32_t rank() { return 0; }
    [[nodiscard]] static RZ_HD std::uint32_t size() { return 1; }
};
} // namespace detail

/// Looks for `target` in a range of neighbours, which ascend where `Sorted`. Cost: a binary search where they
/// also lie side by side, else a walk.
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

/// The same by a tile, all of whose lanes call this with the same arguments and get the same answer. Where
/// there is nothing to share out, each lane searches the same places: one access for all of them.
template <bool Sorted, class Tile, class Range, class Id>
[[nodiscard]] RZ_HD neighbour_place find_neighbour(Tile const& tile, Range const& row, Id target) {
    if constexpr (Sorted && Range::contiguous) {
        return find_neighbour<Sorted>(row, target);
    } else {
        std::uint64_t own = 0; // the place, from 1
        row.for_each(tile, 0, row.size(), [&](std::uint64_t i, Id id) {
            if (id == target) own = i + 1;
        });
        std::uint64_t const found = tile.max(own);
        return {found - 1, found != 0};
    }
}

namespace detail {
template <class View, class Find>
[[nodiscard]] RZ_HD edge_place find_edge_with(View const& view, id_of_view<View> u, id_of_view<View> v,
                                              Find const& find) {
    if (!is_vertex(view, u) || !is_vertex(view, v)) return {0, false, false};
    auto const row = view.neighbours(u);
    if (row.size() > tuning::one_sided_degree && view.has_in_arcs()) {
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

/// Looks for the arc u -> v, or the edge {u, v} of an undirected graph. Not present where an end is no
/// vertex. Cost: the loads of a row and a search in it (find_neighbour); a long row is left alone if the
/// other end's is shorter and the view has in-arcs.
template <graph_view View>
[[nodiscard]] RZ_HD edge_place find_edge(View const& view, id_of_view<View> u, id_of_view<View> v) {
    return detail::find_edge_with(view, u, v, [](auto const& row, id_of_view<View> target) {
        return find_neighbour<View::sorted>(row, target);
    });
}
/// The same by a tile, all of whose lanes ask for the same edge. Pays where ranges are not contiguous or not
/// sorted; else each lane asks better for an edge of its own.
template <class Tile, graph_view View>
[[nodiscard]] RZ_HD edge_place find_edge(Tile const& tile, View const& view, id_of_view<View> u,
                                         id_of_view<View> v) {
    return detail::find_edge_with(view, u, v, [&](auto const& row, id_of_view<View> target) {
        return find_neighbour<View::sorted>(tile, row, target);
    });
}

/// Whether there is an arc u -> v, or an edge {u, v} of an undirected graph; false where an end is no vertex.
/// Cost: that of find_edge().
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

/// The value of the edge u -> v that find_edge() has found. Precondition: found.present.
template <graph_view View>
[[nodiscard]] RZ_HD auto value_of_edge(View const& view, id_of_view<View> u, id_of_view<View> v,
                                       edge_place const& found) {
    return found.reversed ? view.in_values(v)[found.place] : view.values(u)[found.place];
}

} // namespace rhizome::graph
