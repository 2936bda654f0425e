// SPDX-License-Identifier: Apache-2.0
// Compressed sparse rows as a list of edges, from which a graph is built.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::graph {

/// In the memory of the space; values[i] belongs to edges[i], or there are no values.
template <class Space, class Id, class Value>
struct row_edges {
    exec::buffer<Space, basic_edge<Id>> edges;
    exec::buffer<Space, Value> values;
};

namespace detail {

/// Whether a neighbour is listed: in symmetric rows, a pair of arcs is one edge.
template <class Id>
[[nodiscard]] RZ_HD bool lists_neighbour(bool each_pair_once, std::uint64_t row, Id neighbour) {
    return !each_pair_once || neighbour >= row;
}

/// Calls function(arc, row) for this warp's share of all arcs. Shares are windows of arcs, so that several
/// warps share a long row. Called by all lanes of the warp.
template <class Warp, class Id, class Function>
RZ_HD void for_each_arc_of_rows(Warp const& warp, basic_csr_view<Id> const& rows, std::uint64_t arcs,
                                Function&& function) {
    constexpr std::uint64_t window = 256;
    // The last row in [low, high] that begins at or before an arc.
    auto const row_of = [&](std::uint64_t arc, std::uint64_t low, std::uint64_t high) {
        while (low < high) {
            std::uint64_t const middle = low + (high - low + 1) / 2;
            if (rows.offsets()[middle] <= arc)
                low = middle;
            else
                high = middle - 1;
        }
        return low;
    };
    exec::for_each_group_item(warp, (arcs + window - 1) / window, [&](std::uint64_t number) {
        std::uint64_t const first = number * window;
        std::uint64_t const end = first + window < arcs ? first + window : arcs;
        std::uint64_t const low = row_of(first, 0, rows.vertex_count() - 1);
        std::uint64_t const high = row_of(end - 1, low, rows.vertex_count() - 1);
        for (std::uint64_t arc = first + warp.rank(); arc < end; arc += warp.size())
            function(arc, row_of(arc, low, high));
    });
}

/// flags[arc] becomes 1 if the arc is listed; the last flag is 0.
template <class Id>
struct mark_listed {
    basic_csr_view<Id> rows;
    std::uint64_t arcs;
    bool each_pair_once;
    std::uint64_t* flags; ///< arcs + 1

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() == 0) flags[arcs] = 0;
        for_each_arc_of_rows(thread.warp(), rows, arcs, [&](std::uint64_t arc, std::uint64_t row) {
            flags[arc] = lists_neighbour(each_pair_once, row, rows.targets()[arc]) ? 1 : 0;
        });
    }
};

template <class Id, class Value>
struct list_neighbours {
    basic_csr_view<Id> rows;
    std::uint64_t arcs;
    bool each_pair_once;
    std::uint64_t const* places; ///< of each listed arc in the list; nullptr: all arcs are listed
    basic_edge<Id>* edges;
    Value const* row_values; ///< nullptr: none
    Value* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_arc_of_rows(thread.warp(), rows, arcs, [&](std::uint64_t arc, std::uint64_t row) {
            Id const neighbour = rows.targets()[arc];
            if (!lists_neighbour(each_pair_once, row, neighbour)) return;
            std::uint64_t const place = places == nullptr ? arc : places[arc];
            edges[place] = {static_cast<Id>(row), neighbour};
            if (row_values != nullptr) values[place] = row_values[arc];
        });
    }
};

} // namespace detail

/// One edge per neighbour, row by row. If each pair of arcs counts once, arcs to smaller ids are left out.
/// `values` has one value per neighbour, or is nullptr. Throws out_of_memory. Waits if arcs are left out.
/// Cost: one pass over the rows, or two and a scan of the arcs; 8 bytes per edge (16 with 64-bit ids), and 8
/// per arc if arcs are left out, besides the values.
template <class Space, class Id, class Value>
[[nodiscard]] row_edges<Space, Id, Value> edges_of_rows(Space& space, exec::workspace<Space>& scratch,
                                                        basic_csr_view<Id> const& rows, Value const* values,
                                                        bool each_pair_once) {
    std::uint64_t const arcs = rows.arc_count();
    auto const each_arc = cover_threads(space, arcs);
    exec::buffer<Space, std::uint64_t> places(space, each_pair_once && arcs != 0 ? arcs + 1 : 0);
    std::uint64_t listed = arcs;
    if (places.size() != 0) {
        launch(space, each_arc, detail::mark_listed<Id>{rows, arcs, each_pair_once, places.data()});
        exclusive_scan(space, scratch, places.data(), places.data(), arcs + 1);
        space.copy_out(&listed, places.data() + arcs, sizeof(listed));
    }
    row_edges<Space, Id, Value> list{exec::buffer<Space, basic_edge<Id>>(space, listed),
                                     exec::buffer<Space, Value>(space, values == nullptr ? 0 : listed)};
    if (listed == 0) return list;
    launch(space, each_arc,
           detail::list_neighbours<Id, Value>{rows, arcs, each_pair_once, places.data(), list.edges.data(),
                                              values, list.values.data()});
    return list;
}

} // namespace rhizome::graph
