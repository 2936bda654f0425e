// SPDX-License-Identifier: Apache-2.0
// The first pass over a batch: each arc of each edge, and how many edges are not taken.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Calls function(number of the arc, number of its edge, arc, whether it is taken) for this thread's share.
/// Counts rejected edges and refused self-loops. Called by all threads. A thread waits for AtATime of its
/// edges together.
template <std::uint32_t AtATime = 1, class Thread, class Id, class Arrays, class Function>
RZ_HD void for_each_arc(Thread const& thread, arc_rules<Id> const& rules, basic_edge<Id> const* edges,
                        std::uint64_t edge_count, Arrays const& a, Function&& function) {
    std::uint64_t rejected = 0;
    std::uint64_t self_loops = 0;
    std::uint32_t const width = rules.arcs_per_edge();
    auto const take = [&](std::uint64_t i, basic_edge<Id> const& e) {
        verdict const found = rules.judge(e);
        rejected += found == verdict::rejected ? 1 : 0;
        self_loops += found == verdict::self_loop ? 1 : 0;
        for (std::uint32_t which = 0; which < width; ++which) {
            row_arc<Id> const arc = rules.arc(e, which);
            function(i * width + which, i, arc, found == verdict::taken && arc.exists);
        }
    };
    if constexpr (AtATime == 1 || Thread::prefers_runs) {
        exec::for_each_item(thread, edge_count, [&](std::uint64_t i) { take(i, edges[i]); });
    } else {
        for (std::uint64_t first = thread.rank(); first < edge_count; first += AtATime * thread.size()) {
            basic_edge<Id> some[AtATime] = {};
            RZ_UNROLL
            for (std::uint32_t k = 0; k < AtATime; ++k)
                if (first + k * thread.size() < edge_count) some[k] = edges[first + k * thread.size()];
            RZ_UNROLL
            for (std::uint32_t k = 0; k < AtATime; ++k)
                if (first + k * thread.size() < edge_count) take(first + k * thread.size(), some[k]);
        }
    }
    exec::add_to_total(thread, a.share(thread.rank()).rejected, rejected);
    if (rules.refuses_unknown_ids && rejected != 0)
        thread.device(a.now().unknown_ids).store(1u, exec::order::relaxed);
    exec::add_to_total(thread, a.share(thread.rank()).self_loops, self_loops);
}

} // namespace rhizome::graph::batch
