// SPDX-License-Identifier: Apache-2.0
// Queries about many edges or vertices at once, on any view. They run in the order of `space`. The view and
// all arrays lie in its memory, and must not change until the work is done.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/detail/copy_lists.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph {

/// What queries answer for the degree of an id that is not the id of a live vertex.
inline constexpr std::uint32_t no_degree = 0xffff'ffffu;

namespace detail {

/// Whether one lane is enough to search for an edge.
template <class View>
inline constexpr bool searched_by_lanes = View::sorted&& range_of_view<View>::contiguous;

/// Calls function(i, place) by one lane for each edge number i that belongs to this thread or its warp.
template <class Thread, class View, class Function>
RZ_HD void for_each_edge_place(Thread const& thread, View const& view,
                               basic_edge<id_of_view<View>> const* edges, std::uint64_t count,
                               Function&& function) {
    if constexpr (searched_by_lanes<View>) {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            function(i, find_edge(view, edges[i].source, edges[i].target));
        });
    } else {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, count, [&](std::uint64_t i) {
            edge_place const found = find_edge(warp, view, edges[i].source, edges[i].target);
            if (warp.rank() == 0) function(i, found);
        });
    }
}

template <class View, class Space>
[[nodiscard]] exec::launch_shape cover_edges(Space const& space, std::uint64_t count) {
    return searched_by_lanes<View> ? cover_threads(space, count) : exec::cover_tiles<32>(space, count);
}

template <class View>
struct answer_presence {
    View view;
    basic_edge<id_of_view<View>> const* edges;
    std::uint64_t count;
    std::uint8_t* present;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_edge_place(thread, view, edges, count, [&](std::uint64_t i, edge_place const& found) {
            present[i] = found.present ? 1 : 0;
        });
    }
};

template <class View, class Value>
struct answer_values {
    View view;
    basic_edge<id_of_view<View>> const* edges;
    std::uint64_t count;
    Value* values;
    std::uint8_t* present;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_edge_place(thread, view, edges, count, [&](std::uint64_t i, edge_place const& found) {
            values[i] =
                found.present ? value_of_edge(view, edges[i].source, edges[i].target, found) : Value{};
            present[i] = found.present ? 1 : 0;
        });
    }
};

template <class View>
[[nodiscard]] RZ_HD std::uint32_t degree_or_none(View const& view, id_of_view<View> id) {
    return is_vertex(view, id) ? static_cast<std::uint32_t>(view.degree(id)) : no_degree;
}

template <class View>
struct answer_degrees {
    View view;
    id_of_view<View> const* ids;
    std::uint64_t count;
    std::uint32_t* degrees;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t i) { degrees[i] = degree_or_none(view, ids[i]); });
    }
};

template <class View>
struct count_neighbours {
    View view;
    id_of_view<View> const* ids;
    std::uint64_t count;
    std::uint64_t* counts; ///< count + 1 of them; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count + 1, [&](std::uint64_t i) {
            counts[i] = i < count && is_vertex(view, ids[i]) ? view.degree(ids[i]) : 0;
        });
    }
};

} // namespace detail

/// present[i] becomes 1 if the view has edges[i], else 0. An edge with an end that is not a live vertex is
/// absent. `edges`, `present`: `count` elements; edges may repeat. Asynchronous, without allocation. Cost:
/// find_edge() for each edge, by one lane if neighbours are sorted and contiguous, else by one warp.
template <class Space, graph_view View>
void has_edges(Space& space, View const& view, basic_edge<id_of_view<View>> const* edges, std::uint64_t count,
               std::uint8_t* present) {
    if (count == 0) return;
    launch(space, detail::cover_edges<View>(space, count),
           detail::answer_presence<View>{view, edges, count, present});
}

/// As has_edges(); also writes the value of edges[i] to values[i], or Value{} if the edge is absent. The view
/// must have values of type Value. Cost: one more load per edge.
template <class Space, graph_view View, class Value>
void edge_values(Space& space, View const& view, basic_edge<id_of_view<View>> const* edges,
                 std::uint64_t count, Value* values, std::uint8_t* present) {
    if (count == 0) return;
    launch(space, detail::cover_edges<View>(space, count),
           detail::answer_values<View, Value>{view, edges, count, values, present});
}

/// degrees[i] becomes the (out-)degree of ids[i], or no_degree if ids[i] is not a live vertex. `ids`,
/// `degrees`: `count` elements; ids may repeat. Precondition for views of compressed sparse rows: all degrees
/// are less than 2^32 - 1. Asynchronous, without allocation. Cost: one load per id (two in compressed sparse
/// rows).
template <class Space, graph_view View>
void degrees_of(Space& space, View const& view, id_of_view<View> const* ids, std::uint64_t count,
                std::uint32_t* degrees) {
    if (count == 0) return;
    launch(space, cover_threads(space, count), detail::answer_degrees<View>{view, ids, count, degrees});
}

/// First half of a query for neighbours. neighbours_of() will write the (out-)neighbours of ids[i] to
/// positions offsets[i] to offsets[i + 1] - 1 of its arrays. Returns the total number of neighbours. `ids`:
/// `count` elements; ids may repeat, and an id that is not a live vertex has no neighbours. `offsets`: count
/// + 1 numbers. Throws out_of_memory if `scratch` cannot grow. Cost: one load per id, a scan, and one wait.
template <class Space, graph_view View>
[[nodiscard]] std::uint64_t neighbour_offsets(Space& space, exec::workspace<Space>& scratch, View const& view,
                                              id_of_view<View> const* ids, std::uint64_t count,
                                              std::uint64_t* offsets) {
    launch(space, cover_threads(space, count + 1), detail::count_neighbours<View>{view, ids, count, offsets});
    exclusive_scan(space, scratch, offsets, offsets, count + 1);
    std::uint64_t total = 0;
    space.copy_out(&total, offsets + count, sizeof(total));
    return total;
}

/// Second half: writes `total` neighbours to `targets`, in the view's order within each list. If Value is not
/// void, also writes the values of the edges to `values`. `offsets` and `total` are results of
/// neighbour_offsets() for the same ids, and the graph has not changed since. Asynchronous, without
/// allocation. Cost: one pass over the lists; several warps share a long one.
template <class Space, graph_view View, class Value = void>
void neighbours_of(Space& space, View const& view, id_of_view<View> const* ids, std::uint64_t count,
                   std::uint64_t const* offsets, std::uint64_t total, id_of_view<View>* targets,
                   Value* values = nullptr) {
    detail::copy_lists(space, view, ids, count, offsets, total, targets, values);
}

} // namespace rhizome::graph

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/graph/compiled_queries.hpp>
#endif
