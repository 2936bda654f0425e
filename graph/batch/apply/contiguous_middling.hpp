// SPDX-License-Identifier: Apache-2.0
// Merges a middling row by a warp, which holds all its neighbours in shared memory.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph {

/// For rows without values. Each lane has at most one arc. The warp reads and writes windows as wide as it
/// is.
template <class Format, bool Erasing>
struct contiguous_middling_merge {
    using id_type = typename Format::id_type;
    using arc_type = batch::slice_arc<id_type, Format::has_values>;
    /// Neighbours per lane of a block of 256 threads, whose warps share the memory in which a block sorts.
    static constexpr std::uint32_t most_each = tuning::block_sort_bytes / (256 * sizeof(arc_type));

    /// Whether a warp of so many lanes can hold the row.
    [[nodiscard]] static RZ_HD bool holds(std::uint32_t degree, std::uint32_t lanes) {
        return !Format::has_values && degree <= most_each * lanes;
    }

    /// Called by all lanes of the warp. `ids`: memory for as many ids as it can hold.
    template <class Warp>
    static RZ_HD void run(Warp const& warp, arc_type* ids, batch::merge_context<Format> const& context,
                          batch::slice& slice, batch::merge_tally& tally) {
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        bool const has_arc = warp.rank() < own.count;
        id_type arc{};
        if (has_arc) arc = context.a.arcs[own.begin + warp.rank()].target;
        id_type const* const row = Format::ids_of(place, record);
        std::uint32_t const lanes = warp.size();
        constexpr std::uint32_t at_a_time = 4; // loads that a lane waits for together
        for (std::uint32_t first = warp.rank(); first < record.degree; first += at_a_time * lanes) {
            id_type some[at_a_time] = {};
            RZ_UNROLL
            for (std::uint32_t k = 0; k < at_a_time; ++k)
                if (first + k * lanes < record.degree) some[k] = row[first + k * lanes];
            RZ_UNROLL
            for (std::uint32_t k = 0; k < at_a_time; ++k)
                if (first + k * lanes < record.degree) ids[first + k * lanes].target = some[k];
        }
        std::uint32_t less = 0; // bit i: the arc of lane i is less than the lane's
        bool repeated = false;
        RZ_NO_UNROLL
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            id_type const target = warp.shuffle(arc, lane);
            less |= target < arc ? 1u << lane : 0u;
            repeated = repeated || (lane < warp.rank() && target == arc);
        }
        warp.sync();               // the ids are in place
        std::uint32_t smaller = 0; // how many neighbours are less than the lane's arc
        for (std::uint32_t high = record.degree; smaller < high;) {
            std::uint32_t const middle = (smaller + high) / 2;
            if (ids[middle].target < arc)
                smaller = middle + 1;
            else
                high = middle;
        }
        bool const present = smaller < record.degree && ids[smaller].target == arc;
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
        if (changing == 0) {
            warp.sync(); // the ids are read before those of the next row are written
            return;
        }

        std::uint32_t const changes = exec::popcount(changing);
        std::uint32_t const degree = Erasing ? record.degree - changes : record.degree + changes;
        auto const target_row = contiguous_target<Format>::template of<Erasing>(place, record, own, degree);
        // Where the row changes: of a neighbour that goes, its place; of one that comes, its place
        // afterwards.
        std::uint32_t const changed = Erasing ? smaller : smaller + exec::popcount(less & changing);
        std::uint32_t const first = warp.min(effective ? changed : ~std::uint32_t{0});
        std::uint32_t const windows = ((Erasing ? record.degree : degree) + lanes - 1) / lanes;
        std::uint32_t before = 0; // changed places in earlier windows
        RZ_NO_UNROLL
        for (std::uint32_t window = target_row.moves ? 0 : first / lanes; window < windows; ++window) {
            std::uint32_t const begin = window * lanes;
            // Bits of different lanes differ, so that their sum has them all.
            std::uint32_t const bits =
                warp.sum(effective && changed - begin < lanes ? 1u << (changed - begin) : 0u);
            std::uint32_t const i = begin + warp.rank();
            std::uint32_t const shift = before + exec::popcount(bits & ((1u << warp.rank()) - 1));
            bool const is_changed = (bits >> warp.rank() & 1) != 0;
            if (!is_changed && i < (Erasing ? record.degree : degree) && (target_row.moves || i > first))
                target_row.ids[Erasing ? i - shift : i] = ids[Erasing ? i : i - shift].target;
            before += exec::popcount(bits);
        }
        if (!Erasing && effective) target_row.ids[changed] = arc;
        warp.sync(); // the ids in a record are written before the record says how many
        if (warp.rank() == 0) target_row.commit(place, slice);
    }
};

} // namespace rhizome::graph
