// SPDX-License-Identifier: Apache-2.0
// Merges a light row in the registers of a tile: one load of the row, one store of what moves.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/apply/distinct_arcs.hpp>
#include <rhizome/graph/batch/apply/row_window.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph {

/// At most one arc per lane, and at most as many neighbours per lane as one load brings.
template <class Format, bool Erasing>
struct contiguous_light_merge {
    using id_type = typename Format::id_type;
    using distinct_type = distinct_arcs<id_type, Format::has_values>;
    using arc_type = typename distinct_type::arc_type;

    /// Called by all lanes of the tile.
    template <class Group>
    static RZ_HD void run(Group const& group, batch::merge_context<Format> const& context,
                          batch::slice& slice, batch::merge_tally& tally) {
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        row_window<Format> window(place, record, group.rank() * row_window<Format>::width, 0);

        bool const has_arc = group.rank() < own.count;
        arc_type arc{};
        if (has_arc) arc = context.a.arcs[own.begin + group.rank()];
        std::uint32_t smaller = 0; // how many neighbours are less than the lane's target
        bool present = false;
        bool repeated = false;
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            arc_type const other = distinct_type::shuffled(group, arc, lane);
            id_type const target = other.target;
            std::uint32_t const below = group.sum(window.count_below(target));
            bool const found = group.any(window.contains(target));
            if (lane == group.rank()) {
                smaller = below;
                present = found;
            }
            bool const counts = distinct_type::replaces(other, lane, arc, group.rank());
            repeated = repeated || (counts && lane != group.rank() && target == arc.target);
        }
        bool const distinct = has_arc && !repeated;
        bool const effective = distinct && present == Erasing;
        if (distinct) {
            bool const stands = context.rules.stands_for_edge(own.row, arc.target);
            tally.count(effective, stands);
            context.template note_arc<Erasing>(own.begin + group.rank(), own.row, arc, stands, present, [&] {
                return Format::values_of(record.page(), record.capacity())[smaller];
            });
        } else if (has_arc) {
            context.note_nothing(own.begin + group.rank());
        }
        if constexpr (Format::has_values && !Erasing) {
            if (distinct && present)
                Format::values_of(record.page(), record.capacity())[smaller] = context.new_values[arc.edge()];
            group.sync(); // values are updated before they move
        }
        std::uint32_t const changing = group.ballot(effective);
        if (changing == 0) return;

        std::uint32_t const changes = exec::popcount(changing);
        auto const target_row = contiguous_target<Format>::template of<Erasing>(
            place, record, own, Erasing ? record.degree - changes : record.degree + changes);
        window.load_values(record);
        std::uint32_t earlier = 0; // how many effective arcs are less than the lane's
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            if ((changing >> lane & 1) == 0) continue;
            id_type const target = group.shuffle(arc.target, lane);
            window.template apply<Erasing>(target);
            earlier += target < arc.target ? 1 : 0;
        }
        group.sync(); // the row is read before any of it is written
        window.template store<Erasing>(target_row);
        if (!Erasing && effective) {
            target_row.ids[smaller + earlier] = arc.target;
            if constexpr (Format::has_values)
                target_row.values()[smaller + earlier] = context.new_values[arc.edge()];
        }
        group.sync(); // the ids in a record are written before the record says how many
        if (group.rank() == 0) target_row.commit(place, slice);
    }
};

} // namespace rhizome::graph
