// SPDX-License-Identifier: Apache-2.0
// Merges rows of any length, by a warp or a block. First the effective arcs of a row and their places are
// listed; then the neighbours move apart or together, one window after the other.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_light.hpp>
#include <rhizome/graph/batch/apply/contiguous_middling.hpp>
#include <rhizome/graph/batch/apply/contiguous_move.hpp>
#include <rhizome/graph/batch/apply/distinct_arcs.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/format/row_search.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph {

template <class Format, bool Erasing>
struct contiguous_merge : contiguous_move<Format, Erasing> {
    using mover = contiguous_move<Format, Erasing>;
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using arc_type = batch::slice_arc<id_type, Format::has_values>;
    using context_type = batch::merge_context<Format>;

    using distinct_type = distinct_arcs<id_type, Format::has_values>;
    using shared = typename distinct_type::shared;

    /// The share of a warp in the block's shared memory.
    template <class Thread>
    [[nodiscard]] static RZ_HD arc_type* part_of_warp(Thread const& thread) {
        if constexpr (Format::has_values) {
            return nullptr; // not used
        } else {
            constexpr std::uint32_t each = contiguous_middling_merge<Format, Erasing>::most_each;
            std::uint32_t const lanes = thread.warp().size();
            return thread.block().storage().arcs + thread.block().rank() / lanes * lanes * each;
        }
    }
    /// Merges a row with at most one arc per lane. Called by all lanes of the warp; `part` is its share of
    /// shared memory.
    template <class Warp>
    static RZ_HD void run_by_warp(Warp const& warp, arc_type* part, context_type const& context,
                                  batch::slice& slice, batch::merge_tally& tally) {
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        using in_shared = contiguous_middling_merge<Format, Erasing>;
        if constexpr (!Format::has_values)
            if (in_shared::holds(record.degree, warp.size()))
                return in_shared::run(warp, part, context, slice, tally);
        bool const has_arc = warp.rank() < own.count;
        arc_type arc{};
        if (has_arc) arc = context.a.arcs[own.begin + warp.rank()];
        bool repeated = false;
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            arc_type const other = distinct_type::shuffled(warp, arc, lane);
            repeated = repeated ||
                       (other.target == arc.target && distinct_type::replaces(other, lane, arc, warp.rank()));
        }
        std::uint32_t smaller = 0;
        bool const effective =
            has_arc && judge(context, place, record, own, warp.rank(), arc, !repeated, smaller, tally);
        std::uint32_t const changing = warp.ballot(effective);
        std::uint32_t earlier = 0;
        for (std::uint32_t lane = 0; lane < own.count; ++lane) {
            id_type const target = warp.shuffle(arc.target, lane);
            earlier += (changing >> lane & 1) != 0 && target < arc.target ? 1 : 0;
        }
        warp.sync(); // all arcs are read before any is written
        if (effective) {
            context.a.arcs[own.begin + earlier] = arc;
            context.a.places[own.begin + earlier] = smaller;
        }
        warp.sync(); // the list is written before it is read, and values are updated before they move
        mover::move(warp, context, slice, record, warp.sum(effective ? 1u : 0u));
    }

    /// Merges a row with at most as many arcs as a block sorts. Called by all threads of the block; its
    /// shared memory is `storage`.
    template <class Thread>
    static RZ_HD void run_by_block(Thread const& thread, shared& storage, context_type const& context,
                                   batch::slice& slice, batch::merge_tally& tally) {
        auto const block = thread.block();
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        arc_type* const listed = context.a.arcs + own.begin;
        arc_type* const arcs = storage.arcs;
        for (std::uint32_t i = block.rank(); i < own.count; i += block.size())
            arcs[i] = listed[i];
        exec::sort_in_block(block, arcs, own.count,
                            [](arc_type const& left, arc_type const& right) { return left.before(right); });
        std::uint32_t changes = 0;
        for (std::uint32_t first = 0; first < own.count; first += block.size()) {
            std::uint32_t const i = first + block.rank();
            bool effective = false;
            arc_type arc{};
            std::uint32_t smaller = 0;
            if (i < own.count) {
                arc = arcs[i];
                bool const repeated = !distinct_type::counts_in_order(arcs, i, own.count);
                effective = judge(context, place, record, own, i, arc, !repeated, smaller, tally);
            }
            auto const sum = exec::block_exclusive_sum(thread, storage.sums, effective ? 1u : 0u);
            if (effective) {
                listed[changes + sum.before] = arc;
                context.a.places[own.begin + changes + sum.before] = smaller;
            }
            changes += sum.total;
        }
        block.sync(); // the list is written before it is read, and values are updated before they move
        mover::move(block, context, slice, record, changes);
        block.sync(); // the storage is used again
    }

private:
    /// Whether arc number `i` of the row changes it, and its place; counts the arc. Writes the value of a
    /// present one. `distinct`: no other arc replaces it; otherwise it does nothing.
    [[nodiscard]] static RZ_HD bool judge(context_type const& context, record_type* place,
                                          record_type const& record, batch::slice const& own, std::uint32_t i,
                                          arc_type const& arc, bool distinct, std::uint32_t& smaller,
                                          batch::merge_tally& tally) {
        if (!distinct) {
            context.note_nothing(own.begin + i);
            return false;
        }
        auto const found = find_in_row(Format::ids_of(place, record), record.degree, arc.target);
        smaller = found.place;
        bool const effective = found.present == Erasing;
        bool const stands = context.rules.stands_for_edge(own.row, arc.target);
        tally.count(effective, stands);
        context.template note_arc<Erasing>(own.begin + i, own.row, arc, stands, found.present, [&] {
            return Format::values_of(record.page(), record.capacity())[found.place];
        });
        if constexpr (Format::has_values && !Erasing)
            if (found.present)
                Format::values_of(record.page(), record.capacity())[found.place] =
                    context.new_values[arc.edge()];
        return effective;
    }
};

} // namespace rhizome::graph
