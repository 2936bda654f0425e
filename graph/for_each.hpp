// SPDX-License-Identifier: Apache-2.0
// Lambdas as kernels: over the vertices of a graph, and over its arcs.
//
// On a GPU the function is a lambda that is marked with RZ_LAMBDA, compiled by nvcc with --extended-lambda,
// as in
//     for_each_arc(g, [=] RZ_LAMBDA(vertex_id u, vertex_id v) { ... });
// or an object whose operator() is RZ_HD. It is copied to the device: what it captures by value must be
// trivially copyable. If it takes one more argument, a thread comes first, which gives atomic access to words
// in the memory of the space (exec/README.md):
//     for_each_arc(g, [=] RZ_LAMBDA(auto const& thread, vertex_id u, vertex_id v) {
//         thread.device(sums[v]).fetch_add(1u, exec::order::relaxed);
//     });
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>

/// Marks lambdas that run as kernels, between their brackets and their parameters.
#if defined(__CUDACC__)
#define RZ_LAMBDA __device__
#else
#define RZ_LAMBDA
#endif

namespace rhizome::graph {

namespace detail {

/// Whether for_each_edge() of a view gives values.
template <class View>
inline constexpr bool has_edge_values = requires {
    requires View::has_values;
};

/// Whether a view has rows of some vertices only (graph/partition/partition_view.hpp).
template <class View>
inline constexpr bool has_some_rows = requires(View const view, std::uint64_t row) {
    view.row_count();
    view.is_used(row);
    view.id_of(row);
};

/// The number of places at which visit_at() looks for vertices.
template <class View>
[[nodiscard]] RZ_HD std::uint64_t places_of(View const& view) {
    if constexpr (has_some_rows<View>)
        return view.row_count();
    else
        return view.vertex_count();
}
/// Calls visit(v) if there is a vertex v at a place: a vertex whose row the view has.
template <class View, class Visit>
RZ_HD void visit_at(View const& view, std::uint64_t place, Visit const& visit) {
    if constexpr (has_some_rows<View>) {
        if (view.is_used(place)) visit(view.id_of(place));
    } else {
        visit(static_cast<typename View::id_type>(place));
    }
}

/// function(thread, arguments...) if the function takes so many arguments, else function(arguments...).
template <class Function, class Thread, class... Arguments>
RZ_HD decltype(auto) call(Function const& function, Thread const& thread, Arguments const&... arguments) {
    if constexpr (std::is_invocable_v<Function const&, Thread const&, Arguments const&...>)
        return function(thread, arguments...);
    else
        return function(arguments...);
}

template <class View, class Function>
struct visit_vertices {
    View view;
    Function function;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, places_of(view), [&](std::uint64_t place) {
            visit_at(view, place, [&](typename View::id_type v) {
                if (view.is_live(v)) call(function, thread, v);
            });
        });
    }
};

template <class View, class Function>
struct visit_arcs {
    View view;
    Function function;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, places_of(view), [&](std::uint64_t place) {
            visit_at(view, place, [&](typename View::id_type u) { visit_row(thread, tile, u); });
        });
    }

private:
    template <class Thread, class Tile>
    RZ_HD void visit_row(Thread const& thread, Tile const& tile, typename View::id_type u) const {
        if constexpr (has_edge_values<View>) {
            view.for_each_edge(tile, u, 0, view.degree(u),
                               [&](std::uint64_t, typename View::id_type v, auto const& value) {
                                   call(function, thread, u, v, value);
                               });
        } else {
            auto const row = view.neighbours(u);
            row.for_each(tile, 0, row.size(),
                         [&](std::uint64_t, typename View::id_type v) { call(function, thread, u, v); });
        }
    }
};

} // namespace detail

/// Calls function(v), or function(thread, v), once for each live vertex v of the view, in some thread of the
/// space. Of a partition_view: once for each live vertex that the rank owns. Asynchronous, in the order of
/// the space. The graph must not change meanwhile. Cost: one launch.
template <class Space, graph_view View, class Function>
void for_each_vertex(Space& space, View const& view, Function const& function) {
    std::uint64_t const places = detail::places_of(view);
    if (places == 0) return;
    launch(space, cover_threads(space, places), detail::visit_vertices<View, Function>{view, function});
}
/// The same for the vertices of a graph.
template <class Graph, class Function>
void for_each_vertex(Graph& graph, Function const& function) {
    for_each_vertex(graph.space(), graph.view(), function);
}

/// Calls function(u, v) once for each arc u -> v of the view; where edges have values, function(u, v, value).
/// An undirected edge is two arcs, a self-loop one. Otherwise as for_each_vertex(). A few lanes share the
/// arcs of a vertex; for graphs with vertices of very many arcs see graph/row_schedule.hpp.
template <class Space, graph_view View, class Function>
void for_each_arc(Space& space, View const& view, Function const& function) {
    std::uint64_t const places = detail::places_of(view);
    if (places == 0) return;
    launch(space, exec::cover_tiles<tuning::row_tile>(space, places),
           detail::visit_arcs<View, Function>{view, function});
}
/// The same for the arcs of a graph.
template <class Graph, class Function>
void for_each_arc(Graph& graph, Function const& function) {
    for_each_arc(graph.space(), graph.view(), function);
}

} // namespace rhizome::graph
