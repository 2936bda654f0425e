// SPDX-License-Identifier: Apache-2.0
// Pages that a batch requests in bulk: one request per size class for the whole grid. The sizes are known
// once all rows are planned. Each row's page is its rank among the rows of its class, in the order of rows,
// so that neighbouring rows lie side by side.
//
// One kernel counts the pages of each class in each part of the slices; the counts are scanned; one warp
// makes the requests; one kernel hands the pages out. Rows whose class has no run stay in the lists of sizes.
#pragma once

#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/reserve/bulk_arrays.hpp>
#include <rhizome/graph/batch/reserve/row_reserver.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The bucket that stands for all buckets of an allocator's size class. Precondition: bucket < exact.
template <class AllocatorRef>
[[nodiscard]] RZ_HD std::uint32_t class_bucket(AllocatorRef const& allocator, std::uint32_t bucket) {
    std::uint32_t const found =
        size_buckets::of(allocator.usable_bytes(size_buckets::bytes_of_exact(bucket)));
    return found < size_buckets::exact ? found : size_buckets::exact - 1;
}

/// The shared memory of rank_part: of each warp, the pages of each bucket so far.
struct rank_storage {
    static constexpr std::uint32_t warps = 8; // of a block of 256 threads
    std::uint32_t next[warps][size_buckets::exact];

    template <class Thread>
    [[nodiscard]] RZ_HD std::uint32_t* of_warp(Thread const& thread) {
        return next[thread.block().rank() / thread.warp().size()];
    }
};

/// Ranks the slices of a part that wait for small pages: calls function(number of the slice, slice, bucket,
/// slices of this bucket before it in the part). Called by all lanes of a warp; next[bucket] counts them all
/// afterwards.
template <class Format, class Thread, class AllocatorRef, class Arrays, class Function>
RZ_HD void rank_part(Thread const& thread, std::uint32_t* next, AllocatorRef const& allocator,
                     Arrays const& a, slices_by_row const& slices, std::uint64_t part, Function&& function) {
    auto const warp = thread.warp();
    for (std::uint32_t bucket = warp.rank(); bucket < size_buckets::exact; bucket += warp.size())
        next[bucket] = 0;
    warp.sync();
    std::uint64_t const begin = part * tuning::ranked_rows;
    std::uint64_t const all = slices.size(a.now());
    std::uint64_t const end = begin + tuning::ranked_rows < all ? begin + tuning::ranked_rows : all;
    for (std::uint64_t first = begin; first < end; first += warp.size()) {
        std::uint64_t const i = first + warp.rank();
        std::uint32_t number = 0;
        std::uint32_t bucket = size_buckets::exact; // none
        batch::slice own{};
        if (i < end) {
            number = slices[i];
            own = a.slices[number];
            size_note const note = noted_size<Format>(own);
            if (note.has_item && note.bucket < size_buckets::exact)
                bucket = class_bucket(allocator, note.bucket);
        }
        bool const waits = bucket < size_buckets::exact;
        auto const alike = warp.match(bucket);
        std::uint32_t const rank = waits ? next[bucket] + alike.rank() : 0;
        warp.sync(); // read before it is counted on
        if (waits && alike.is_leader()) next[bucket] += alike.size();
        warp.sync();
        if (waits) function(number, own, bucket, rank);
    }
}

/// Counts the pages of each bucket in each part.
template <class Format, class AllocatorRef>
struct count_bulk_pages {
    static constexpr bool overlaps_launch = true;
    using shared = rank_storage;

    AllocatorRef allocator;
    slices_by_row slices;
    bulk_arrays bulk;
    arrays<typename Format::id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint32_t* const next = thread.block().storage().of_warp(thread);
        exec::for_each_group_item(warp, bulk.parts, [&](std::uint64_t part) {
            rank_part<Format>(thread, next, allocator, a, slices, part,
                              [](std::uint32_t, batch::slice const&, std::uint32_t, std::uint32_t) {});
            for (std::uint32_t bucket = warp.rank(); bucket < size_buckets::exact; bucket += warp.size())
                bulk.counts[bucket * bulk.parts + part] = next[bucket];
            warp.sync(); // read before the next part clears it
        });
        if (thread.rank() == 0) bulk.counts[size_buckets::exact * bulk.parts] = 0;
    }
};

/// Requests a run of pages for each bucket whose pages fill several chunks. Rows that are served are no
/// longer counted as asking. One warp makes one request after the other: concurrent searches would leave gaps
/// that are too small for the next run.
template <class AllocatorRef>
struct take_runs {
    AllocatorRef allocator;
    bulk_arrays bulk;
    progress const* now;
    size_counts* asked;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.index() != 0) return;
        bool const vain = now->stopped();
        bulk_tally tally{};
        for (std::uint32_t bucket = 0; bucket < size_buckets::exact; ++bucket) {
            std::uint32_t const count = vain ? 0 : bulk.pages(bucket);
            std::uint64_t const bytes = size_buckets::bytes_of_exact(bucket);
            alloc::page_run run{};
            if (count * bytes >= tuning::least_run_bytes) {
                run = allocator.allocate_run(thread, warp, bytes, count);
                tally.count(run.first != nullptr, count);
            }
            if (warp.rank() == 0) bulk.runs[bucket] = run;
        }
        warp.sync(); // all lanes see the runs
        for (std::uint32_t bucket = warp.rank(); bucket < size_buckets::exact; bucket += warp.size())
            if (bulk.runs[class_bucket(allocator, bucket)].first != nullptr) asked->of_bucket[bucket] = 0;
        if (warp.rank() == 0) asked->bulk = tally;
    }
};

/// Hands out the pages of the runs.
template <class Format, class AllocatorRef>
struct grant_runs {
    using id_type = typename Format::id_type;
    using shared = rank_storage;

    AllocatorRef allocator;
    slices_by_row slices;
    bulk_arrays bulk;
    typename Format::record_type const* rows;
    row_piece* pieces; ///< as in obtain_listed
    bool erasing;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.zeros->asked.bulk.served == 0) return;
        row_reserver<Format, AllocatorRef, false> reserver(allocator, a);
        auto const warp = thread.warp();
        std::uint32_t* const next = thread.block().storage().of_warp(thread);
        exec::for_each_group_item(warp, bulk.parts, [&](std::uint64_t part) {
            auto const grant = [&](std::uint32_t number, batch::slice own, std::uint32_t bucket,
                                   std::uint32_t rank) {
                alloc::page_run const run = bulk.runs[bucket];
                if (run.first == nullptr) return;
                own.page = run.page(bulk.pages_before(bucket, part) + rank);
                own.capacity = Format::capacity_of(run.usable_bytes);
                if (pieces != nullptr)
                    reserver.hand_out_sorted(thread, own, number, rows[own.row], pieces, erasing);
                a.slices[number] = own;
            };
            rank_part<Format>(thread, next, allocator, a, slices, part, grant);
            warp.sync(); // read before the next part clears it
        });
    }
};

} // namespace rhizome::graph::batch
