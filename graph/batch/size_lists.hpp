// SPDX-License-Identifier: Apache-2.0
// What a batch asks of the allocator, or gives back to it, ordered by size. Lanes of a warp that request
// different sizes are served one after the other; lanes that request the same size share atomic operations.
// Adjacent rows request all sizes.
//
// Three kernels: one notes for each item its place among those of about equal size, one lists the items, and
// one has the allocator serve the list, a full warp of one size at a time.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Groups of sizes: each multiple of 16 bytes up to 512, then about a quarter of a power of two each.
struct size_buckets {
    static constexpr std::uint32_t count = 64;

    static constexpr std::uint32_t exact = 32; ///< the first so many have one size each

    [[nodiscard]] static RZ_HD constexpr std::uint32_t of(std::uint64_t bytes) {
        std::uint64_t const units = (bytes - 1) / 16;
        if (units < exact) return static_cast<std::uint32_t>(units);
        std::uint32_t const power = exec::bit_width(units) - 1; // at least 5
        std::uint32_t const bucket =
            exact + (power - 5) * 4 + static_cast<std::uint32_t>(units >> (power - 2) & 3);
        return bucket < count ? bucket : count - 1;
    }
    [[nodiscard]] static RZ_HD constexpr std::uint64_t bytes_of_exact(std::uint32_t bucket) {
        return (std::uint64_t{bucket} + 1) * 16;
    }
    /// Larger sizes are served first: small ones fragment the rest of a heap.
    static constexpr std::uint64_t small_bytes = 8192;
};

/// Requests for many pages of one size, and the pages of these requests: as graph::bulk_requests.
struct bulk_tally {
    std::uint32_t served;
    std::uint32_t pages;
    std::uint32_t refused;
    std::uint32_t refused_pages;

    RZ_HD void count(bool is_served, std::uint32_t number_of_pages) {
        (is_served ? served : refused) += 1;
        (is_served ? pages : refused_pages) += number_of_pages;
    }
};

/// How many items each bucket has and, once they are listed, how many there are in all. All zero at the
/// start.
struct alignas(64) size_counts {
    std::uint32_t of_bucket[size_buckets::count];
    std::uint32_t listed;
    std::uint32_t small; ///< items of small buckets; they come first in the list
    bulk_tally bulk;     ///< of the pages that were asked for
};

/// Shared memory of note_size.
struct size_note_storage {
    std::uint32_t counts[size_buckets::count];
    std::uint32_t first[size_buckets::count];
};

/// The place of this thread's item among all items of its bucket. Called by all threads of the block, each
/// with an item or none. Cost: one atomic operation per block and bucket.
template <class Thread>
[[nodiscard]] RZ_HD std::uint32_t note_size(Thread const& thread, size_note_storage& storage,
                                            size_counts& all, bool has_item, std::uint32_t bucket) {
    if constexpr (Thread::prefers_runs) // a block of one thread
        return has_item ? thread.device(all.of_bucket[bucket]).fetch_add(1u, exec::order::relaxed) : 0;
    auto const block = thread.block();
    for (std::uint32_t i = block.rank(); i < size_buckets::count; i += block.size())
        storage.counts[i] = 0;
    block.sync();
    std::uint32_t rank = 0;
    if (has_item) rank = thread.shared(storage.counts[bucket]).fetch_add(1u, exec::order::relaxed);
    block.sync();
    for (std::uint32_t i = block.rank(); i < size_buckets::count; i += block.size()) {
        std::uint32_t const count = storage.counts[i];
        if (count != 0)
            storage.first[i] = thread.device(all.of_bucket[i]).fetch_add(count, exec::order::relaxed);
    }
    block.sync();
    return has_item ? storage.first[bucket] + rank : 0;
}

/// Items: count() of them; at(i), a size_note of the i-th.
struct size_note {
    bool has_item;
    std::uint32_t bucket;
    std::uint32_t place; ///< from note_size
};

/// The list receives the numbers of the items, smallest sizes first.
template <class Items>
struct list_by_size {
    static constexpr bool overlaps_launch = true;
    Items items;
    size_counts* counts;
    std::uint32_t* list;

    struct shared {
        std::uint32_t first[size_buckets::count];
    };

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        for (std::uint32_t i = block.rank(); i < size_buckets::count; i += block.size()) {
            std::uint32_t before = 0;
            for (std::uint32_t bucket = 0; bucket < size_buckets::count; ++bucket)
                before += bucket < i ? counts->of_bucket[bucket] : 0;
            storage.first[i] = before;
            if (block.index() != 0) continue;
            if (i == size_buckets::of(size_buckets::small_bytes + 1)) counts->small = before;
            if (i + 1 == size_buckets::count) counts->listed = before + counts->of_bucket[i];
        }
        block.sync();
        exec::for_each_item(thread, items.count(), [&](std::uint64_t i) {
            size_note const note = items.at(i);
            if (note.has_item) list[storage.first[note.bucket] + note.place] = static_cast<std::uint32_t>(i);
        });
    }
};

/// Calls function(i) for this thread's share of the places of a list. Warps take 32 places at a time; warps
/// that run concurrently take places far apart, so that they do not all request one size.
template <class Thread, class Function>
RZ_HD void for_each_listed(Thread const& thread, std::uint32_t listed, Function&& function) {
    constexpr std::uint32_t run = 32;
    constexpr std::uint64_t stride = 0x9e37'79b1; // odd, so that each run of places is taken
    if (listed == 0) return;
    std::uint64_t const runs = (std::uint64_t{listed} + run - 1) / run;
    std::uint64_t const turns = exec::bit_ceil(runs);
    exec::for_each_item(thread, turns * run, [&](std::uint64_t i) {
        std::uint64_t const place = (i / run * stride & (turns - 1)) * run + i % run;
        if (place < listed) function(place);
    });
}

} // namespace rhizome::graph::batch
