// SPDX-License-Identifier: Apache-2.0
// Finishes a batch: commits rows that several blocks have merged, gives back unused and replaced
// pages, and clears the slots. A batch that was refused or stopped leaves no trace.
#pragma once

#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/apply/contiguous_merge.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/batch/slots.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Ends one row as soon as it is merged. One lane at a time, since rows have pages of different sizes.
template <class AllocatorRef>
struct finish_at_once {
    AllocatorRef allocator;
    row_slots slots;
    report_batch report;
    bool reports; ///< false: a later kernel does

    template <class Thread>
    RZ_HD void end_row(Thread const& thread, batch::slice const& own) const {
        slots[own.row] = 0;
        allocator.deallocate(exec::alone(thread), own.page);
    }
    template <class Thread>
    RZ_HD void end_batch(Thread const& thread) const {
        if (reports) report.by_last_block(thread);
    }
};
/// The same if a later kernel gives the pages back.
struct clear_slots {
    row_slots slots;
    std::uint32_t bins = 0; ///< of rows: the batch has used their words, and not those of rows

    template <class Thread>
    RZ_HD void end_row(Thread const&, batch::slice const& own) const {
        if (bins == 0) slots[own.row] = 0;
    }
    template <class Thread>
    RZ_HD void end_batch(Thread const& thread) const {
        exec::for_each_item(thread, 2 * bins, [&](std::uint64_t i) { slots.bin_words()[i] = 0; });
    }
};

/// With Listed, pages to give back are only noted, each with its place in the slice's count.
template <class Format, class AllocatorRef, bool Erasing, bool Listed>
struct finish_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 3; // 80 registers: the kernel waits for memory
    using shared = size_note_storage;

    AllocatorRef allocator;
    row_slots slots;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        auto const block = thread.block();
        bool const stopped = a.now().stopped();
        std::uint32_t const slices = a.now().slices();
        exec::for_each_group_item(
            block, (std::uint64_t{slices} + block.size() - 1) / block.size(), [&](std::uint64_t round) {
                std::uint64_t const i = round * block.size() + block.rank();
                batch::slice own{};
                if (i < slices) {
                    own = a.slices[i];
                    if (own.merger == merger::blocks && !stopped)
                        contiguous_merge<Format, Erasing>::commit_pieces(context, own);
                    slots[own.row] = 0;
                }
                if constexpr (Listed) {
                    own.count = note_size(thread, block.storage(), a.zeros->freed, own.page != nullptr,
                                          size_buckets::of(Format::bytes_for(own.capacity)));
                    if (i < slices) a.slices[i] = own;
                } else {
                    allocator.deallocate(exec::alone(thread), own.page);
                }
            });
    }
};

/// The slices with a page to give back, as list_by_size takes them.
template <class Format, class Arrays>
struct leaving_slices {
    Arrays a;

    [[nodiscard]] RZ_HD std::uint64_t count() const { return a.now().slices(); }
    [[nodiscard]] RZ_HD size_note at(std::uint64_t i) const {
        batch::slice const& own = a.slices[i];
        return {own.page != nullptr, size_buckets::of(Format::bytes_for(own.capacity)), own.count};
    }
};

/// Gives back the pages of the listed slices that have one to give back, and ends the batch.
template <class AllocatorRef, class Arrays>
struct free_listed {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 3; // as finish_rows

    AllocatorRef allocator;
    std::uint32_t const* list;
    size_counts const* counts; ///< of the list
    Arrays a;
    report_batch report;
    bool reports; ///< false: a later kernel does

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_listed(thread, counts->listed,
                        [&](std::uint64_t i) { allocator.deallocate(thread, a.slices[list[i]].page); });
        if (reports) report.by_last_block(thread);
    }
};

} // namespace rhizome::graph::batch
