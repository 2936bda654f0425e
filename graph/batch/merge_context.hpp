// SPDX-License-Identifier: Apache-2.0
// What merges take and what they count, in every layout.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/change_notes.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

template <class Format>
struct merge_context {
    using id_type = typename Format::id_type;

    arc_rules<id_type> rules;
    typename Format::record_type* rows;
    typename Format::value_type const* new_values; ///< one per edge of the batch
    arrays<id_type, Format::has_values> a;
    change_notes<id_type, typename Format::value_type> notes{};

    // If the batch lists its changes: what the arc at place `at` does to its edge.

    /// It does nothing: another arc of the batch replaces it.
    RZ_HD void note_nothing(std::uint64_t at) const {
        if (notes.wanted()) notes.kinds[at] = edge_change::none;
    }
    /// `edge`: the edge of the batch that brings its value. `stands`: rules.stands_for_edge(). `present`: the
    /// row has the arc; old_value() then returns its value. Called before the row is changed.
    template <bool Erasing, class OldValue>
    RZ_HD void note(std::uint64_t at, std::uint64_t row, id_type target, std::uint64_t edge, bool stands,
                    bool present, OldValue const& old_value) const {
        if (!notes.wanted()) return;
        auto kind = edge_change::none;
        if (stands) {
            if (present == Erasing)
                kind = edge_change::applied;
            else if (Format::has_values && !Erasing)
                kind = edge_change::updated;
        }
        notes.kinds[at] = kind;
        if (kind == edge_change::none) return;
        notes.edges[at] = {static_cast<id_type>(rules.vertex_of(row)), target};
        if constexpr (Format::has_values) {
            if constexpr (!Erasing) notes.numbers[at] = static_cast<std::uint32_t>(edge);
            if (present) notes.before[at] = old_value();
        }
    }
    /// The same for an arc of the array of arcs.
    template <bool Erasing, class Arc, class OldValue>
    RZ_HD void note_arc(std::uint64_t at, std::uint64_t row, Arc const& arc, bool stands, bool present,
                        OldValue const& old_value) const {
        if constexpr (Format::has_values)
            note<Erasing>(at, row, arc.target, arc.edge(), stands, present, old_value);
        else
            note<Erasing>(at, row, arc.target, 0, stands, present, old_value);
    }
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
