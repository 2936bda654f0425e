// SPDX-License-Identifier: Apache-2.0
// Moves the neighbours of a row to their places after its listed arcs are merged.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/apply/row_window.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The lists are the arrays of the batch: the arcs of a row from its `begin` on, ascending, each with its
/// place.
template <class Format, bool Erasing>
struct contiguous_move {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using arc_type = batch::slice_arc<id_type, Format::has_values>;
    using context_type = batch::merge_context<Format>;
    using target_type = contiguous_target<Format>;

    /// Moves the whole row, in place or not, by a group of lanes that call this together.
    template <class Group>
    static RZ_HD void move(Group const& group, context_type const& context, batch::slice& slice,
                           record_type const& record, std::uint32_t changes) {
        if (changes == 0) return; // the page obtained for it goes back
        batch::slice const own = slice;
        row const moved(context, own, record, changes);
        std::uint32_t const stride = group.size() * row_window<Format>::width;
        std::uint32_t const lowest = moved.stop() / stride;
        std::uint32_t const windows = (record.degree + stride - 1) / stride;
        // In the order that overwrites nothing before it is read.
        if (Erasing)
            for (std::uint32_t number = lowest; number < windows; ++number)
                moved.shift(group, number * stride);
        else
            for (std::uint32_t number = windows; number-- > lowest;)
                moved.shift(group, number * stride);
        group.sync(); // the gaps exist before they are filled, and all of the record is read
        moved.fill(group, context, 0, changes);
        group.sync(); // the ids in a record are written before the record says how many
        if (group.rank() == 0) moved.target.commit(moved.place, slice);
    }

    /// Moves one piece of a row to other memory: so many of its neighbours, and of its arcs. Called by all
    /// threads of a block.
    template <class Group>
    static RZ_HD void move_piece(Group const& group, context_type const& context, batch::slice const& own,
                                 std::uint32_t number) {
        row const moved = apart(context, own);
        std::uint32_t const stride = group.size() * row_window<Format>::width;
        std::uint32_t const first = number * context.a.piece_degree;
        std::uint32_t const last = first + context.a.piece_degree;
        std::uint32_t const end = moved.record.degree < last ? moved.record.degree : last;
        for (std::uint32_t i = first; i < end; i += stride)
            moved.shift(group, i, end);
        moved.fill(group, context, first, own.count < last ? own.count : last);
    }
    /// Ends the row when all pieces are moved. Called by one thread.
    static RZ_HD void commit_pieces(context_type const& context, batch::slice& own) {
        row const moved = apart(context, own);
        std::uint32_t const degree = moved.target.record.degree;
        if (Format::is_inline(degree))
            for (std::uint32_t i = 0; i < degree; ++i)
                moved.place->ids[i] = moved.target.ids[i];
        moved.target.commit(moved.place, own);
    }

private:
    struct row {
        RZ_HD row(context_type const& context, batch::slice const& own, record_type const& old,
                  std::uint32_t changes)
            : place(context.rows + own.row), record(old), arcs(context.a.arcs + own.begin),
              places(context.a.places + own.begin), count(changes),
              target(target_type::template of<Erasing>(
                  place, old, own, Erasing ? old.degree - changes : old.degree + changes)) {}

        /// In place, neighbours before the first change stay where they are.
        [[nodiscard]] RZ_HD std::uint32_t stop() const { return target.moves ? 0 : places[0]; }

        /// Moves one window per lane, from `first` on, up to `end`.
        template <class Group>
        RZ_HD void shift(Group const& group, std::uint32_t first,
                         std::uint32_t end = ~std::uint32_t{0}) const {
            std::uint32_t const own = first + group.rank() * row_window<Format>::width;
            row_window<Format> window(place, own < end ? record : record_type{}, own, stop());
            window.template apply<Erasing>(places, count);
            window.load_values(record);
            group.sync(); // the window is read before any of it is written
            window.template store<Erasing>(target);
        }
        /// Writes new arcs [first, last) into their gaps.
        template <class Group>
        RZ_HD void fill(Group const& group, context_type const& context, std::uint32_t first,
                        std::uint32_t last) const {
            if constexpr (!Erasing)
                for (std::uint32_t i = first + group.rank(); i < last; i += group.size()) {
                    target.ids[places[i] + i] = arcs[i].target;
                    if constexpr (Format::has_values)
                        target.values()[places[i] + i] = context.new_values[arcs[i].edge()];
                }
        }

        record_type* place;
        record_type record;
        arc_type const* arcs;
        std::uint32_t const* places;
        std::uint32_t count;
        target_type target;
    };

    /// A row that is merged in pieces. Ids that will lie in the record wait in the memory of the erased arcs,
    /// of which only the places are needed: other pieces still read the record.
    [[nodiscard]] static RZ_HD row apart(context_type const& context, batch::slice const& own) {
        row moved(context, own, context.rows[own.row], own.count);
        if constexpr (!Format::has_values)
            if (Format::is_inline(moved.target.record.degree))
                moved.target.ids = reinterpret_cast<id_type*>(context.a.arcs + own.begin);
        return moved;
    }
};

} // namespace rhizome::graph
