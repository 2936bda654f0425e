// SPDX-License-Identifier: Apache-2.0
// Plans a batch: counts the arcs of each row, and numbers each arc within its row. Instead
// of sorting, each arc draws a number at its row. That takes one word per row, and most of these words are in
// cache.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/for_each_arc.hpp>
#include <rhizome/graph/batch/slots.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// slots[row] += the row's arcs.
template <class Id, bool HasValues>
struct count_arcs {
    static constexpr bool overlaps_launch = true;
    arc_rules<Id> rules;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    row_slots slots;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_arc(thread, rules, edges, edge_count, a,
                     [&](std::uint64_t arc, std::uint64_t, row_arc<Id> const& in, bool taken) {
                         a.numbers[arc] = taken ? draw(thread, in.row) : a.no_number;
                     });
    }

private:
    /// Lanes with arcs of one row draw together: a hub would otherwise take one atomic operation per arc.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t draw(Thread const& thread, std::uint64_t row) const {
        auto const group = thread.coalesced().match(row);
        std::uint32_t first = 0;
        if (group.is_leader())
            first = thread.device(slots[row]).fetch_add(group.size(), exec::order::relaxed);
        return group.broadcast(first, 0) + group.rank();
    }
};

/// Writes each arc to its row's part of `arcs`; slots[row] is where that begins.
template <class Id, bool HasValues>
struct scatter_arcs {
    static constexpr bool overlaps_launch = true;
    arc_rules<Id> rules;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    row_slots slots;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.now().stopped()) return;
        std::uint32_t const width = rules.arcs_per_edge();
        exec::for_each_item(thread, edge_count, [&](std::uint64_t i) {
            basic_edge<Id> const e = edges[i];
            for (std::uint32_t which = 0; which < width; ++which) {
                std::uint32_t const number = a.numbers[i * width + which];
                if (number == a.no_number) continue;
                row_arc<Id> const arc = rules.arc(e, which);
                a.arcs[slots[arc.row] + number] = slice_arc<Id, HasValues>::of(arc.target, i);
            }
        });
    }
};

} // namespace rhizome::graph::batch
