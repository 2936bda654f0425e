// SPDX-License-Identifier: Apache-2.0
// Reserves what a batch needs: finds places for the arcs of each row that the batch touches, and obtains
// every page that the batch may need, before anything is changed.
//
// In a small batch each lane asks the allocator for its own row, since rows want pages of different sizes;
// the lanes of a warp search together for large pages. A large batch (Listed) only notes its requests and
// makes them in the order of sizes. That is two more launches, and a fraction of the time.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/reserve/row_reserver.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/batch/slots.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// If arcs were counted.
template <class Format, class AllocatorRef, bool Erasing, bool Listed>
struct reserve_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 4; // requests wait for memory: 64 registers suffice
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    arc_rules<id_type> rules;
    basic_edge<id_type> const* edges;
    std::uint64_t slot_count; ///< arcs, taken or not
    std::uint64_t swept_rows; ///< as place_rows takes it
    bool lists_leaving;       ///< Listed: rows that may give their page back are listed, too
    std::uint32_t short_arcs; ///< as is_short() takes it; 0: tiles merge light rows
    typename Format::record_type const* rows;
    row_slots slots;
    arrays<id_type, Format::has_values> a;

    struct shared {
        place_storage places;
        size_note_storage notes;
    };

    using reserver_type = row_reserver<Format, AllocatorRef, Erasing>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        reserver_type reserver(allocator, a);
        auto& storage = thread.block().storage();
        place_rows(thread, storage.places, rules, edges, slot_count, swept_rows, rows, slots, a,
                   [&](auto const&... found) { take(thread, storage.notes, reserver, found...); });
        reserver.add_totals(thread);
    }
    /// As place_rows() calls it.
    template <class Thread>
    RZ_HD void take(Thread const& thread, size_note_storage& notes, reserver_type& reserver, bool speaks,
                    std::uint32_t number, std::uint64_t row, typename Format::record_type const& record,
                    std::uint32_t begin, std::uint32_t count) const {
        batch::slice own{row, nullptr, begin, count, 0, merger::registers};
        page_wish wish;
        if (speaks) wish = reserver.wish_of_counted(thread, record, count);
        if constexpr (Listed) {
            if (speaks && lists_leaving && wish.neighbours == 0 && reserver.may_leave(record, count))
                wish = {record.capacity(), false, false};
            reserver.note(thread, notes, own, wish);
        } else {
            reserver.obtain_in_warp(thread, own, wish);
        }
        if (!speaks) return;
        reserver.hand_out_counted(thread, own, number, record, short_arcs);
        a.slices[number] = own;
    }
};

/// If arcs were sorted.
template <class Format, class AllocatorRef, bool Erasing, bool Listed, bool HandsOut = true>
struct reserve_sorted_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 4; // as reserve_rows
    using id_type = typename Format::id_type;
    using shared = size_note_storage;

    AllocatorRef allocator;
    typename Format::record_type const* rows;
    sorting_arrays<id_type> s;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Format, AllocatorRef, Erasing> reserver(allocator, a);
        auto const block = thread.block();
        std::uint32_t const slices = a.now().slices();
        exec::for_each_group_item(
            block, (std::uint64_t{slices} + block.size() - 1) / block.size(), [&](std::uint64_t round) {
                std::uint64_t const i = round * block.size() + block.rank();
                bool const has_row = i < slices;
                batch::slice own{};
                typename Format::record_type record{};
                page_wish wish;
                if (has_row) {
                    std::uint32_t const begin = s.slice_begin[i];
                    std::uint32_t const end = s.slice_begin[i + 1];
                    std::uint32_t const first_change = s.changes.count(begin);
                    own = {s.slice_row[i], nullptr, first_change, s.changes.count(end) - first_change, 0,
                           merger::nobody};
                    if (end - begin > most_block_arcs<slice_arc<id_type, Format::has_values>>)
                        thread.device(a.now().crowded).store(1, exec::order::relaxed);
                    record = rows[own.row];
                    wish = reserver.wish_of_sorted(thread, record, own.count);
                }
                if constexpr (Listed)
                    reserver.note(thread, block.storage(), own, wish);
                else
                    reserver.obtain_in_warp(thread, own, wish);
                if (!has_row) return;
                auto const number = static_cast<std::uint32_t>(i);
                // Rows that still wait for a page get it with the list.
                if (HandsOut && (!Listed || wish.neighbours == 0))
                    reserver.hand_out_sorted(thread, own, number, record, s.pieces, Erasing);
                a.slices[number] = own;
            });
        reserver.add_totals(thread);
    }
};

/// The slices that wait for a page, as list_by_size takes them.
template <class Format, class Arrays>
struct waiting_slices {
    Arrays a;

    [[nodiscard]] RZ_HD std::uint64_t count() const { return a.now().slices(); }
    [[nodiscard]] RZ_HD size_note at(std::uint64_t i) const { return noted_size<Format>(a.slices[i]); }
};

/// Serves the requests of the list. One kernel for all kinds of batches, since most of its code is the
/// allocator's.
template <class Format, class AllocatorRef>
struct obtain_listed {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 4; // as reserve_rows
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    std::uint32_t const* list;
    typename Format::record_type const* rows;
    row_piece* pieces; ///< where arcs were sorted; nullptr elsewhere
    bool erasing;      ///< read where arcs were sorted
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Format, AllocatorRef, false> reserver(allocator, a);
        auto const grant = [&](std::uint64_t i, auto const& obtain, bool speaks) {
            std::uint32_t const number = list[i];
            batch::slice own = a.slices[number];
            obtain(own, waiting_wish::wish_of(own));
            if (!speaks) return;
            if (pieces != nullptr)
                reserver.hand_out_sorted(thread, own, number, rows[own.row], pieces, erasing);
            a.slices[number] = own;
        };
        size_counts const& asked = a.zeros->asked;
        // One warp per request: the search for a large page takes long.
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, asked.listed - asked.small, [&](std::uint64_t i) {
            auto const obtain = [&](batch::slice& own, page_wish const& wish) {
                reserver.obtain_together(thread, warp, own, wish);
            };
            grant(asked.small + i, obtain, warp.rank() == 0);
        });
        for_each_listed(thread, asked.small, [&](std::uint64_t i) {
            grant(
                i, [&](auto& own, auto const& wish) { reserver.obtain(thread, own, wish); }, true);
        });
    }
};

} // namespace rhizome::graph::batch
