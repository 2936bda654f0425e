// SPDX-License-Identifier: Apache-2.0
// Merges a middling row in the registers of a warp: all its neighbours are loaded at once.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph {

/// For rows without values. Each lane has at most one arc, and `most_each` neighbours as far apart as the
/// warp is wide, so that the warp reads and writes whole lines.
template <class Format, bool Erasing>
struct contiguous_middling_merge {
    using id_type = typename Format::id_type;
    static constexpr std::uint32_t most_each = 16;

    /// Whether a warp of so many lanes can hold the row.
    [[nodiscard]] static RZ_HD bool holds(std::uint32_t degree, std::uint32_t lanes) {
        return !Format::has_values && degree <= most_each * lanes;
    }

    /// Called by all lanes of the warp.
    template <class Warp>
    static RZ_HD void run(Warp const& warp, batch::merge_context<Format> const& context, batch::slice& slice,
                          batch::merge_tally& tally) {
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        bool const has_arc = warp.rank() < own.count;
        id_type arc{};
        if (has_arc) arc = context.a.arcs[own.begin + warp.rank()].target;
        id_type const* const row = Format::ids_of(place, record);
        std::uint32_t const lanes = warp.size();
        std::uint32_t const rounds = (record.degree + lanes - 1) / lanes; // the same in all lanes
        id_type ids[most_each] = {};
        for (std::uint32_t k = 0; k < most_each; ++k) {
            if (k >= rounds) break;
            std::uint32_t const i = k * lanes + warp.rank();
            ids[k] = i < record.degree ? row[i] : no_id;
        }

        std::uint32_t smaller = 0; // how many neighbours are less than the lane's arc
        bool present = false;
        bool repeated = false;
        RZ_NO_UNROLL
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            id_type const target = warp.shuffle(arc, lane);
            std::uint32_t below = 0;
            bool found = false;
            for (std::uint32_t k = 0; k < most_each; ++k) {
                if (k >= rounds) break;
                below += ids[k] < target ? 1 : 0;
                found = found || ids[k] == target;
            }
            below = warp.sum(below);
            found = warp.any(found);
            if (lane == warp.rank()) {
                smaller = below;
                present = found;
            }
            repeated = repeated || (lane < warp.rank() && target == arc);
        }
        bool const distinct = has_arc && !repeated;
        bool const effective = distinct && present == Erasing;
        if (distinct) {
            bool const stands = context.rules.stands_for_edge(own.row, arc);
            tally.count(effective, stands);
            context.template note<Erasing>(own.begin + warp.rank(), own.row, arc, 0, stands, present,
                                           [] { return typename Format::value_type{}; });
        } else if (has_arc) {
            context.note_nothing(own.begin + warp.rank());
        }
        std::uint32_t const changing = warp.ballot(effective);
        if (changing == 0) return;

        std::uint32_t const changes = exec::popcount(changing);
        auto const target_row = contiguous_target<Format>::template of<Erasing>(
            place, record, own, Erasing ? record.degree - changes : record.degree + changes);
        warp.sync(); // the row is read before any of it is written
        for (std::uint32_t k = 0; k < most_each; ++k) {
            if (k >= rounds) break;
            std::uint32_t shift = 0;
            bool gone = false;
            RZ_NO_UNROLL
            for (std::uint32_t left = changing; left != 0; left &= left - 1) {
                id_type const target = warp.shuffle(arc, exec::countr_zero(left));
                shift += target < ids[k] ? 1 : 0;
                gone = gone || (Erasing && target == ids[k]);
            }
            std::uint32_t const i = k * lanes + warp.rank();
            if (i < record.degree && !gone && (target_row.moves || shift != 0))
                target_row.ids[Erasing ? i - shift : i + shift] = ids[k];
        }
        if constexpr (!Erasing) {
            std::uint32_t earlier = 0; // how many effective arcs are less than the lane's
            RZ_NO_UNROLL
            for (std::uint32_t left = changing; left != 0; left &= left - 1)
                earlier += warp.shuffle(arc, exec::countr_zero(left)) < arc ? 1 : 0;
            if (effective) target_row.ids[smaller + earlier] = arc;
        }
        warp.sync(); // the ids in a record are written before the record says how many
        if (warp.rank() == 0) target_row.commit(place, slice);
    }

private:
    static constexpr id_type no_id = static_cast<id_type>(~id_type{0});
};

} // namespace rhizome::graph
