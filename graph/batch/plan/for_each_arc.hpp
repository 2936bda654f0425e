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
/// Counts rejected edges and refused self-loops. Called by all threads.
template <class Thread, class Id, class Arrays, class Function>
RZ_HD void for_each_arc(Thread const& thread, arc_rules<Id> const& rules, basic_edge<Id> const* edges,
                        std::uint64_t edge_count, Arrays const& a, Function&& function) {
    std::uint64_t rejected = 0;
    std::uint64_t self_loops = 0;
    std::uint32_t const width = rules.arcs_per_edge();
    exec::for_each_item(thread, edge_count, [&](std::uint64_t i) {
        basic_edge<Id> const e = edges[i];
        verdict const found = rules.judge(e);
        rejected += found == verdict::rejected ? 1 : 0;
        self_loops += found == verdict::self_loop ? 1 : 0;
        for (std::uint32_t which = 0; which < width; ++which) {
            row_arc<Id> const arc = rules.arc(e, which);
            function(i * width + which, i, arc, found == verdict::taken && arc.exists);
        }
    });
    exec::add_to_total(thread, a.share(thread.rank()).rejected, rejected);
    if (rules.refuses_unknown_ids && rejected != 0)
        thread.device(a.now().unknown_ids).store(1u, exec::order::relaxed);
    exec::add_to_total(thread, a.share(thread.rank()).self_loops, self_loops);
}

} // namespace rhizome::graph::batch
