// SPDX-License-Identifier: Apache-2.0
// Changes rows that lie in several pages. First each arc is searched for. Then new neighbours are appended,
// or the last neighbours take the places of the erased ones.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/distinct_arcs.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/layout/chained/chained_arrays.hpp>
#include <rhizome/graph/layout/chained/chained_format.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Numbers for the lanes of a tile or warp.
template <class Group>
struct ranks_in_tile {
    Group const& group;

    [[nodiscard]] RZ_HD exec::block_sum<std::uint32_t> operator()(bool counts) const {
        std::uint32_t const one = counts ? 1 : 0;
        return {group.exclusive_scan(one), group.sum(one)};
    }
};
/// The same for the threads of a block.
template <class Thread>
struct ranks_in_block {
    Thread const& thread;
    exec::block_sum_storage<std::uint32_t>& storage;

    [[nodiscard]] RZ_HD exec::block_sum<std::uint32_t> operator()(bool counts) const {
        return exec::block_exclusive_sum(thread, storage, counts ? 1u : 0u);
    }
};

/// Called by all lanes of a group; `ranks` is one of the above for the group.
template <class Format, bool Erasing>
struct chained_merge {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using arc_type = batch::slice_arc<id_type, Format::has_values>;
    using context_type = batch::chain_context<Format>;

    /// Searches for each neighbour among the row's arcs, which ascend and are distinct, and notes the page
    /// and the place of the arcs that are present. Changes nothing. Cost: degree * log(arcs) / lanes.
    template <class Group, class Ranks>
    static RZ_HD void judge(Group const& group, Ranks const& ranks, context_type const& context,
                            batch::chain_slice& slice, std::uint32_t count, batch::merge_tally& tally) {
        batch::chain_slice const own = slice;
        record_type const record = context.rows[own.row];
        arc_type const* const arcs = context.a.arcs + own.begin;
        id_type** const found = context.found + own.begin;
        std::uint32_t* const places = context.a.places + own.begin;
        for (std::uint32_t i = group.rank(); i < count; i += group.size())
            found[i] = nullptr;
        group.sync(); // before the first arc is found
        std::uint32_t end = record.degree;
        id_type* page = record.page();
        for (std::uint32_t number = pages_of_row<Format>(end); number-- != 0;) {
            std::uint32_t const start = Format::first_of(number);
            // Loaded before it is needed: following the links from page to page takes most of the time.
            id_type* const next = number == 0 ? nullptr : Format::older(page, number);
            for (std::uint32_t i = start + group.rank(); i < end; i += group.size()) {
                id_type const id = page[i - start];
                std::uint32_t const at = first_not_below(arcs, count, id);
                if (at == count || arcs[at].target != id) continue;
                found[at] = page;
                places[at] = i;
            }
            end = start;
            page = next;
        }
        group.sync();
        std::uint32_t changes = 0;
        for (std::uint32_t first = 0; first < count; first += group.size()) {
            std::uint32_t const i = first + group.rank();
            bool effective = false;
            if (i < count) {
                effective = (found[i] != nullptr) == Erasing;
                bool const stands = context.rules.stands_for_edge(own.row, arcs[i].target);
                tally.count(effective, stands);
                bool const present = found[i] != nullptr;
                context.template note_arc<Erasing>(own.begin + i, own.row, arcs[i], stands, present, [&] {
                    std::uint32_t const number = Format::page_of(places[i]);
                    return Format::values(found[i], number)[places[i] - Format::first_of(number)];
                });
            }
            changes += ranks(effective).total;
        }
        if (group.rank() == 0) {
            slice.count = count;
            slice.changes = changes;
        }
    }

    /// Appends new arcs, in the pages obtained for them; writes the values of present ones.
    template <class Group, class Ranks>
    static RZ_HD void extend(Group const& group, Ranks const& ranks, context_type const& context,
                             batch::chain_slice const& own) requires(!Erasing) {
        record_type* const place = context.rows + own.row;
        record_type const record = *place;
        std::uint64_t* const listed = context.pages + own.first_page;
        std::uint32_t const before = pages_of_row<Format>(record.degree);
        std::uint32_t next = record.degree;
        for (std::uint32_t first = 0; first < own.count; first += group.size()) {
            std::uint32_t const i = first + group.rank();
            id_type* page = nullptr;
            if (i < own.count) page = context.found[own.begin + i];
            bool const inserts = i < own.count && page == nullptr;
            auto const rank = ranks(inserts);
            if (i < own.count) {
                std::uint32_t const index = inserts ? next + rank.before : context.a.places[own.begin + i];
                std::uint32_t const number = Format::page_of(index);
                if (inserts)
                    page =
                        number < before ? record.page() : reinterpret_cast<id_type*>(listed[number - before]);
                arc_type const arc = context.a.arcs[own.begin + i];
                std::uint32_t const offset = index - Format::first_of(number);
                if (inserts) page[offset] = arc.target;
                if constexpr (Format::has_values)
                    Format::values(page, number)[offset] = context.new_values[arc.edge()];
            }
            next += rank.total;
        }
        if (own.changes == 0) return;
        Format::link(group, listed, own.page_count, before, record.page());
        group.sync(); // linked before the list is cleared, and all of the record is read
        if (group.rank() == 0) {
            id_type* const newest =
                own.page_count == 0 ? record.page() : reinterpret_cast<id_type*>(listed[own.page_count - 1]);
            *place = record_type::of(newest, before + own.page_count, next);
        }
        group.sync();
        for (std::uint32_t i = group.rank(); i < own.page_count; i += group.size())
            listed[i] = 0; // it belongs to the row now
    }

    /// Those of the last `changes` neighbours that stay take the places of erased ones before them. Pages
    /// behind the new end stay in the list and are given back.
    template <class Group, class Ranks>
    static RZ_HD void shrink(Group const& group, Ranks const& ranks, context_type const& context,
                             batch::chain_slice const& own) requires Erasing {
        if (own.changes == 0) return;
        record_type* const place = context.rows + own.row;
        record_type const record = *place;
        std::uint32_t const degree = record.degree - own.changes;
        std::uint32_t const first_number = Format::page_of(degree); // of the pages that are listed
        std::uint64_t* const listed = context.pages + own.first_page;
        std::uint32_t* const tail = context.a.numbers + own.begin; // the numbers are no longer needed
        if (group.rank() == 0) {
            id_type* page = record.page();
            for (std::uint32_t i = own.page_count; i-- != 0;) {
                listed[i] = reinterpret_cast<std::uint64_t>(page);
                if (i != 0) page = Format::older(page, first_number + i);
            }
        }
        for (std::uint32_t i = group.rank(); i < own.changes; i += group.size())
            tail[i] = 1;
        group.sync(); // the neighbours that stay are marked before the erased ones
        for (std::uint32_t i = group.rank(); i < own.count; i += group.size())
            if (context.found[own.begin + i] != nullptr && context.a.places[own.begin + i] >= degree)
                tail[context.a.places[own.begin + i] - degree] = 0;
        group.sync();
        list_marked(group, ranks, tail, own.changes);
        fill_gaps(group, ranks, context, own, degree, listed, tail);
        group.sync(); // all are moved before the row becomes shorter
        // The page that holds the last neighbour: the first in the list, or the one before it.
        std::uint32_t const kept = pages_of_row<Format>(degree) - first_number;
        if (group.rank() == 0) {
            auto* const first = reinterpret_cast<id_type*>(listed[0]);
            id_type* const newest = degree == 0 ? nullptr
                                    : kept != 0 ? first
                                                : Format::older(first, first_number);
            *place = record_type::of(newest, pages_of_row<Format>(degree), degree);
            if (kept != 0) listed[0] = 0;
        }
    }

private:
    [[nodiscard]] static RZ_HD std::uint32_t first_not_below(arc_type const* arcs, std::uint32_t count,
                                                             id_type id) {
        std::uint32_t low = 0;
        for (std::uint32_t high = count; low < high;) {
            std::uint32_t const middle = low + (high - low) / 2;
            if (arcs[middle].target < id)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    /// Turns marks into the list of the places where they are 1.
    template <class Group, class Ranks>
    static RZ_HD void list_marked(Group const& group, Ranks const& ranks, std::uint32_t* marks,
                                  std::uint32_t count) {
        std::uint32_t listed = 0;
        for (std::uint32_t first = 0; first < count; first += group.size()) {
            std::uint32_t const i = first + group.rank();
            bool const marked = i < count && marks[i] != 0;
            auto const rank = ranks(marked);
            group.sync(); // all of the window is read before any of it is written
            if (marked) marks[listed + rank.before] = i;
            listed += rank.total;
            group.sync();
        }
    }
    template <class Group, class Ranks>
    static RZ_HD void fill_gaps(Group const& group, Ranks const& ranks, context_type const& context,
                                batch::chain_slice const& own, std::uint32_t degree,
                                std::uint64_t const* listed, std::uint32_t const* staying) {
        std::uint32_t const first_number = Format::page_of(degree);
        std::uint32_t filled = 0;
        for (std::uint32_t first = 0; first < own.count; first += group.size()) {
            std::uint32_t const i = first + group.rank();
            id_type* page = nullptr;
            std::uint32_t index = 0;
            if (i < own.count) page = context.found[own.begin + i];
            if (page != nullptr) index = context.a.places[own.begin + i];
            bool const gap = page != nullptr && index < degree;
            auto const rank = ranks(gap);
            if (gap) {
                std::uint32_t const from = degree + staying[filled + rank.before];
                std::uint32_t const from_number = Format::page_of(from);
                auto* const from_page = reinterpret_cast<id_type*>(listed[from_number - first_number]);
                std::uint32_t const from_offset = from - Format::first_of(from_number);
                std::uint32_t const number = Format::page_of(index);
                page[index - Format::first_of(number)] = from_page[from_offset];
                if constexpr (Format::has_values)
                    Format::values(page, number)[index - Format::first_of(number)] =
                        Format::values(from_page, from_number)[from_offset];
            }
            filled += rank.total;
        }
    }
};

} // namespace rhizome::graph
