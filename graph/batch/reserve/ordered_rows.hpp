// SPDX-License-Identifier: Apache-2.0
// Reserves what a batch needs whose arcs are in order, but have not been compared with the rows: pages for
// the most that each row may need, as reserve_rows. For spaces with few threads that take runs of items:
// visiting rows at random takes them longer than sorting the arcs.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/batch/reserve/row_reserver.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/limits.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Lists the rows that the batch touches, and adds up the bytes of the pages that they will request. A thread
/// lists the rows that begin in its run of arcs.
template <class Format, class AllocatorRef, bool Erasing>
struct list_ordered_rows {
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    packed_keys<id_type> keys;
    std::uint64_t slot_count; ///< arcs, taken or not
    sorting_arrays<id_type> s;
    typename Format::record_type const* rows;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const taken = slot_count - a.now().dropped;
        std::uint64_t own = 0; // rows << 32 | arcs, as progress::cursor
        exec::for_each_item(thread, taken, [&](std::uint64_t i) {
            own += (s.is_first(keys, i) ? std::uint64_t{1} << 32 : 0) + 1;
        });
        if (own == 0) return;
        auto number = static_cast<std::uint32_t>(
            thread.device(a.now().cursor).fetch_add(own, exec::order::relaxed) >> 32);
        std::uint64_t bytes = 0;
        exec::for_each_item(thread, taken, [&](std::uint64_t i) {
            if (!s.is_first(keys, i)) return;
            std::uint64_t const row = keys.row_of(s.pairs.keys[i]);
            std::uint64_t end = i + 1;
            while (end < taken && keys.row_of(s.pairs.keys[end]) == row)
                ++end;
            auto const count = static_cast<std::uint32_t>(end - i);
            // Such rows are merged in pieces, for which arcs must be judged first.
            if (count > most_block_arcs<slice_arc<id_type, Format::has_values>>)
                thread.device(a.now().unsorted).store(1, exec::order::relaxed);
            a.slices[number++] = {row, nullptr, static_cast<std::uint32_t>(i), count, 0, merger::tile};
            if constexpr (!Erasing) {
                auto const record = rows[row];
                if (overflows_row<id_type>(record.degree, count)) return;
                std::uint64_t const wanted = wanted_neighbours<Format, false>(allocator, record, count);
                if (wanted != 0) bytes += allocator.usable_bytes(Format::bytes_for(wanted));
            }
        });
        if constexpr (!Erasing) exec::add_to_total(thread, a.now().measured_bytes, bytes);
    }
};

/// Requests the pages of the listed rows.
template <class Format, class AllocatorRef, bool Erasing>
struct reserve_ordered_rows {
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    typename Format::record_type const* rows;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Format, AllocatorRef, Erasing> reserver(allocator, a);
        exec::for_each_item(thread, a.now().slices(), [&](std::uint64_t i) {
            batch::slice& own = a.slices[i];
            reserver.obtain_in_warp(thread, own, reserver.wish_of_counted(thread, rows[own.row], own.count));
        });
        reserver.add_totals(thread);
    }
};

} // namespace rhizome::graph::batch
