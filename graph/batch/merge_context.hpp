// SPDX-License-Identifier: Apache-2.0
// What merges take and what they count, in every layout.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

template <class Format>
struct merge_context {
    using id_type = typename Format::id_type;

    arc_rules<id_type> rules;
    typename Format::record_type* rows;
    typename Format::value_type const* new_values; ///< one per edge of the batch
    arrays<id_type, Format::has_values> a;
};

/// The counts of one lane.
struct merge_tally {
    std::uint64_t edges = 0;
    std::uint64_t effective_arcs = 0;
    std::uint64_t effective_edges = 0;

    /// Counts a distinct arc; `representative`: it stands for its edge.
    RZ_HD void count(bool effective, bool representative) {
        edges += representative ? 1 : 0;
        effective_arcs += effective ? 1 : 0;
        effective_edges += effective && representative ? 1 : 0;
    }
    template <class Thread>
    RZ_HD void add_to(Thread const& thread, counters& total) const {
        exec::add_to_total(thread, total.edges, edges);
        exec::add_to_total(thread, total.effective_arcs, effective_arcs);
        exec::add_to_total(thread, total.effective_edges, effective_edges);
    }
};

} // namespace rhizome::graph::batch
