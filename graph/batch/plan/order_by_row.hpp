// SPDX-License-Identifier: Apache-2.0
// The order of rows for the slices of a batch whose arcs were counted, which lie in the order of its edges. A
// bit per row of the graph replaces a sort: the place of a slice is the number of bits before its own. Cost:
// a pass over the slices for each of two kernels, and over one bit per row of the graph.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/reserve/bulk_arrays.hpp>
#include <rhizome/graph/batch/reserve/row_reserver.hpp>
#include <rhizome/graph/batch/size_lists.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Whether a slice waits for a page of an exact bucket.
template <class Format>
[[nodiscard]] RZ_HD bool waits_for_small_page(batch::slice const& own) {
    size_note const note = noted_size<Format>(own);
    return note.has_item && note.bucket < size_buckets::exact;
}

/// Sets the bit of each row that waits for a small page.
template <class Format>
struct mark_waiting_rows {
    static constexpr bool overlaps_launch = true;
    arrays<typename Format::id_type, Format::has_values> a;
    bulk_arrays bulk;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, a.now().slices(), [&](std::uint64_t i) {
            batch::slice const own = a.slices[i];
            if (!waits_for_small_page<Format>(own)) return;
            // relaxed: read by the next kernels
            thread.device(bulk.marks[own.row / 32]).fetch_or(1u << own.row % 32, exec::order::relaxed);
        });
    }
};

/// Counts the bits of each word.
struct count_marks {
    static constexpr bool overlaps_launch = true;
    bulk_arrays bulk;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, bulk.mark_words + 1, [&](std::uint64_t i) {
            bulk.before[i] = i == bulk.mark_words ? 0 : exec::popcount(bulk.marks[i]);
        });
    }
};

/// Writes the number of each slice that waits for a small page to its place in the order of rows.
template <class Format>
struct list_marked_rows {
    static constexpr bool overlaps_launch = true;
    arrays<typename Format::id_type, Format::has_values> a;
    bulk_arrays bulk;
    std::uint32_t* order;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, a.now().slices(), [&](std::uint64_t i) {
            batch::slice const own = a.slices[i];
            if (!waits_for_small_page<Format>(own)) return;
            std::uint32_t const below = bulk.marks[own.row / 32] & ((1u << own.row % 32) - 1);
            order[bulk.before[own.row / 32] + exec::popcount(below)] = static_cast<std::uint32_t>(i);
        });
    }
};

} // namespace rhizome::graph::batch
