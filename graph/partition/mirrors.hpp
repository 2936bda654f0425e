// SPDX-License-Identifier: Apache-2.0
// Whether each arc of a graph that is divided among ranks has its mirror at the rank of its other end.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/partition/partition_view.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace rhizome::graph {

/// What a check of mirrors counts at a rank.
struct mirror_counts {
    std::uint64_t missing = 0;         ///< arcs that have arrived and whose mirror is not here
    std::uint64_t unequal_values = 0;  ///< arcs whose mirror has another value
    std::uint64_t representatives = 0; ///< arcs of this rank that lead to the same or a greater id
    std::uint64_t unknown_ends = 0;    ///< arcs of all ranks with an end that is no live vertex
};

namespace detail {

/// edges[i] = arc number first + i of a copy of the rows, turned round: from its target to its source.
template <class View>
struct turn_arcs {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t const* offsets; ///< of all rows
    id_type const* targets;
    std::uint64_t first;
    std::uint64_t count;
    basic_edge<id_type>* edges;
    mirror_counts* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t representatives = 0;
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            std::uint64_t low = 0; // the last row that begins at the arc, or before it
            for (std::uint64_t high = view.row_count(); high - low > 1;) {
                std::uint64_t const middle = low + (high - low) / 2;
                if (offsets[middle] <= first + i)
                    low = middle;
                else
                    high = middle;
            }
            edges[i] = {targets[first + i], view.id_of(low)};
            representatives += edges[i].target <= edges[i].source ? 1 : 0;
        });
        exec::add_to_total(thread, found->representatives, representatives);
    }
};

/// Looks for each arc that has arrived.
template <class View, class Value>
struct find_mirrors {
    using id_type = typename View::id_type;

    View view;
    bool in_rows; ///< whether mirrors are in the rows of in-neighbours
    routed_arc<id_type> const* arcs;
    Value const* values; ///< nullptr: none
    std::uint64_t count;
    mirror_counts* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t missing = 0;
        std::uint64_t unequal = 0;
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            id_type const row = arcs[i].source;
            auto const& rows = view.rows();
            neighbour_place const place = find_neighbour<View::sorted>(
                in_rows ? rows.in_neighbours(row) : rows.neighbours(row), arcs[i].target);
            missing += place.present ? 0 : 1;
            if constexpr (View::has_values) {
                if (!place.present) return;
                auto const of_row = in_rows ? rows.in_values(row) : rows.values(row);
                Value const mirror = of_row[place.place];
                auto const* const left = reinterpret_cast<unsigned char const*>(values + i);
                auto const* const right = reinterpret_cast<unsigned char const*>(&mirror);
                bool same = true;
                for (std::uint64_t byte = 0; byte < sizeof(Value); ++byte)
                    same = same && left[byte] == right[byte];
                unequal += same ? 0 : 1;
            }
        });
        exec::add_to_total(thread, found->missing, missing);
        exec::add_to_total(thread, found->unequal_values, unequal);
    }
};

} // namespace detail

/// Sends each arc of `copy`, a snapshot of this rank's rows, to the rank that owns its target, which looks
/// for the mirror. All ranks call it. In a directed graph without in-arcs, arcs have no mirrors; the call
/// then only checks that their ends are live vertices. Arcs are exchanged in rounds of up to `arcs_at_once`
/// per rank. Throws as arc_exchange::exchange(). Waits.
template <class Space, class View, class Exchange, class Csr, class Value>
[[nodiscard]] mirror_counts check_mirrors(comm::communicator<Space>& self, View const& view,
                                          Exchange& exchange, Csr const& copy, Value const* values,
                                          std::uint64_t arcs_at_once = tuning::mirror_arcs) {
    using id_type = typename View::id_type;
    Space& space = self.space();
    std::uint64_t const arcs = copy.targets.size();
    routing_rules<id_type, std::remove_cvref_t<decltype(view.owners())>> const rules{
        view.owners(), view.vertex_count(), true, false, true, view.dead().bits};
    exec::buffer<Space, basic_edge<id_type>> turned(space);
    exec::buffer<Space, mirror_counts> found(space);
    std::uint64_t rounds = 0;
    for (std::uint64_t const each : all_or_none(self, 1, [&] {
             turned.discard_and_resize(std::min(arcs, arcs_at_once));
             found.discard_and_resize(1);
             found.fill_bytes(0);
             return std::vector<std::uint64_t>{(arcs + arcs_at_once - 1) / arcs_at_once};
         }))
        rounds = std::max(rounds, each);
    std::uint64_t unknown = 0;
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::uint64_t const first = std::min(arcs, round * arcs_at_once);
        std::uint64_t const count = std::min(arcs - first, arcs_at_once);
        if (count != 0)
            launch(space, cover_threads(space, count),
                   detail::turn_arcs<View>{view, copy.offsets.data(), copy.targets.data(), first, count,
                                           turned.data(), found.data()});
        auto const arrived =
            exchange.exchange(rules, turned.data(), values == nullptr ? nullptr : values + first, count);
        unknown += arrived.rejected;
        if (arrived.count != 0 && view.has_in_arcs())
            launch(space, cover_threads(space, arrived.count),
                   detail::find_mirrors<View, Value>{view, !view.symmetric(), arrived.arcs, arrived.values,
                                                     arrived.count, found.data()});
    }
    mirror_counts counts = found.to_host()[0];
    counts.unknown_ends = unknown;
    return counts;
}

} // namespace rhizome::graph
