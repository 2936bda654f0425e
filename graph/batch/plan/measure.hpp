// SPDX-License-Identifier: Apache-2.0
// How much memory a large batch will ask for, before it asks: a heap that is clearly too small then grows
// once, instead of after a try.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/layout/chained/chained_arrays.hpp>
#include <rhizome/graph/limits.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Measures sorted arcs of contiguous rows.
template <class Format, class AllocatorRef>
struct measure_sorted_rows {
    AllocatorRef allocator;
    typename Format::record_type const* rows;
    sorting_arrays<typename Format::id_type> s;
    progress* now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t bytes = 0;
        exec::for_each_item(thread, now->slices(), [&](std::uint64_t i) {
            std::uint32_t const changes = s.changes_before(i + 1) - s.changes_before(i);
            auto const& record = rows[s.slice_row[i]];
            if (changes == 0 || overflows_row<typename Format::id_type>(record.degree, changes)) return;
            std::uint64_t const wanted = wanted_neighbours<Format, false>(allocator, record, changes);
            if (wanted != 0) bytes += allocator.usable_bytes(Format::bytes_for(wanted));
        });
        exec::add_to_total(thread, now->measured_bytes, bytes);
    }
};

/// Measures the list of pages of rows in several pages.
template <class Format, class AllocatorRef>
struct measure_pages {
    AllocatorRef allocator;
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t bytes = 0;
        exec::for_each_item(thread, context.a.now().pages,
                            [&](std::uint64_t i) { bytes += allocator.usable_bytes(context.pages[i]); });
        exec::add_to_total(thread, context.a.now().measured_bytes, bytes);
    }
};

/// Launches a measuring kernel and grows the heap by its result, if the batch may need more than the heap can
/// still have; the owner of the heap knows how much that is. Costs a wait in that case, otherwise nothing.
template <class Space, class Heap, class Format, class Kernel>
void grow_before(Space& space, Heap& heap, batch_run<Format> const& work, exec::launch_shape const& shape,
                 Kernel const& kernel) {
    if (!heap.may_lack(work.arc_count)) return;
    launch(space, shape, kernel);
    progress now{};
    space.copy_out(&now, &work.context.a.all->now, sizeof(now));
    if (!now.stopped()) heap.expect(now.measured_bytes, work.arc_count);
}

/// For a batch whose pages reserve_rows has counted as if no arc were there already. If the heap may be too
/// small for so many, it grows while most of the memory stays unused; otherwise the batch is stopped, to be
/// tried again sorted, when it asks only for what it needs.
template <class Space, class Heap, class Format>
void grow_or_sort(Space& space, Heap& heap, batch_run<Format> const& work) {
    if (!heap.may_lack(work.arc_count)) return;
    tallies found{};
    space.copy_out(&found, work.context.a.all, sizeof(found));
    std::uint64_t bytes = 0;
    for (counters const& share : found.share)
        bytes += share.needed_bytes;
    if (found.now.stopped() || heap.expects_at_most(bytes, work.arc_count)) return;
    found.now.unsorted = 1;
    space.copy_in(&work.context.a.all->now.unsorted, &found.now.unsorted, sizeof(found.now.unsorted));
}

} // namespace rhizome::graph::batch
