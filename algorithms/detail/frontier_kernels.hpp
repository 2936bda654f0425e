// SPDX-License-Identifier: Apache-2.0
// The kernels of algorithms/frontier.hpp.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/for_each.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The view of a graph or snapshot; of a view, the view itself.
template <class Graph>
[[nodiscard]] auto view_of(Graph const& graph) {
    if constexpr (graph::graph_view<Graph>)
        return graph;
    else
        return graph.view();
}

/// A list that a kernel fills, in the memory of the space.
template <class Id>
struct found_ids {
    Id* ids;
    std::uint64_t room;   ///< ids for which there is memory
    std::uint64_t* count; ///< ids that were appended, also those without room; 0 before the kernel

    /// Appends v. One atomic for all lanes that arrive together.
    template <class Thread>
    RZ_HD void append(Thread const& thread, Id v) const {
        auto const group = thread.coalesced();
        std::uint64_t first = 0;
        // Relaxed: the places are disjoint, and the end of the launch publishes what is written there.
        if (group.is_leader())
            first = thread.device(*count).fetch_add(std::uint64_t{group.size()}, exec::order::relaxed);
        std::uint64_t const place = group.broadcast(first, 0) + group.rank();
        if (place < room) ids[place] = v;
    }
};

/// Appends the targets of the arcs for which the function is true.
template <class View, class Function>
struct follow_arcs {
    using id_type = typename View::id_type;

    graph::out_rows<View> rows;
    graph::basic_row_schedule<id_type, graph::listed_vertices<id_type>> schedule;
    Function function;
    found_ids<id_type> found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type u, auto const& row, std::uint64_t begin, std::uint64_t end) {
                if constexpr (graph::detail::has_edge_values<View>)
                    rows.view.for_each_edge(group, u, begin, end,
                                            [&](std::uint64_t, id_type v, auto const& value) {
                                                if (graph::detail::call(function, thread, u, v, value))
                                                    found.append(thread, v);
                                            });
                else
                    row.for_each(group, begin, end, [&](std::uint64_t, id_type v) {
                        if (graph::detail::call(function, thread, u, v)) found.append(thread, v);
                    });
            });
    }
};

/// Appends the ids of a list for which the predicate is true.
template <class Id, class Predicate>
struct keep_listed {
    Id const* ids;
    std::uint64_t count;
    Predicate predicate;
    found_ids<Id> found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            Id const v = ids[i];
            if (graph::detail::call(predicate, thread, v)) found.append(thread, v);
        });
    }
};

/// Appends the live vertices for which the predicate is true.
template <class View, class Predicate>
struct keep_vertices {
    View view;
    Predicate predicate;
    found_ids<typename View::id_type> found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<typename View::id_type>(i);
            if (view.is_live(v) && graph::detail::call(predicate, thread, v)) found.append(thread, v);
        });
    }
};

} // namespace rhizome::algorithms::detail
