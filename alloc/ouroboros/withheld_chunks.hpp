// SPDX-License-Identifier: Apache-2.0
// Empties chunks that have only few live pages. The owner withholds the emptiest chunks of each class, as
// many as leave enough free pages in the other chunks of the class. Its user moves the live blocks there and
// leaves the old pages behind, marked. trim() then finds the withheld chunks free.
#pragma once

#include <rhizome/alloc/chunk_records.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::alloc {

/// The value of a chunk's `listed` while it is withheld: the chunk counts as known, so that no thread lists
/// it.
inline constexpr std::uint64_t withheld = 2;

/// Chunks of one class that have both free and live pages, by how full they are; and which are withheld.
struct class_occupancy {
    static constexpr std::uint32_t levels = 16;

    std::uint64_t chunks[levels];
    std::uint64_t live[levels]; ///< pages
    std::uint64_t few_levels;   ///< all chunks of this many lowest levels are withheld
    std::uint64_t more_chunks;  ///< and this many of the next level
    std::uint64_t moving;       ///< pages that the withheld chunks have at most
    std::uint64_t taken;        ///< of more_chunks

    [[nodiscard]] static RZ_HD std::uint32_t level(std::uint32_t live, std::uint32_t pages) {
        return static_cast<std::uint32_t>(std::uint64_t{live} * levels / pages);
    }
    /// Decides which chunks are withheld: as many as leave a free page for each of their live pages, and have
    /// at most `most_moving` of these. Returns their number.
    [[nodiscard]] std::uint64_t decide(std::uint32_t pages, std::uint64_t most_moving) {
        std::uint64_t free_left = 0; // in chunks that are not withheld
        for (std::uint32_t i = 0; i < levels; ++i)
            free_left += chunks[i] * pages - live[i];
        moving = 0;
        std::uint64_t all = 0;
        for (few_levels = 0; few_levels < levels; ++few_levels) {
            std::uint64_t const free = chunks[few_levels] * pages - live[few_levels];
            std::uint64_t const with_level = moving + live[few_levels];
            if (with_level > free_left - free || with_level > most_moving) break;
            moving = with_level;
            free_left -= free;
            all += chunks[few_levels];
        }
        more_chunks = 0;
        if (few_levels == levels) return all;
        // One more chunk moves its live pages and withholds its free ones: together all of its pages.
        std::uint64_t const live_at_most =
            std::min<std::uint64_t>((std::uint64_t{few_levels} + 1) * pages / levels, pages - 1);
        more_chunks = std::min((free_left - moving) / pages, chunks[few_levels]);
        if (live_at_most != 0) more_chunks = std::min(more_chunks, (most_moving - moving) / live_at_most);
        moving += more_chunks * live_at_most;
        return all + more_chunks;
    }
};

namespace maintenance {

/// Calls function(listed, number of the class among those of all instances, live pages, pages) for each chunk
/// of pages of which some are marked.
template <class Thread, class Ref, class Function>
RZ_HD void for_each_partial_chunk(Thread const& thread, Ref const& ref, std::uint64_t chunks,
                                  Function&& function) {
    std::uint32_t first_class = 0;
    ref.for_each_instance([&](auto const& instance) {
        exec::for_each_item(thread, chunks / instance.span, [&](std::uint64_t chunk) {
            std::uint32_t const header = instance.table().header(thread, chunk);
            if (!instance.owns(header) || kind_of(header) != chunk_kind::pages) return;
            std::uint32_t const size_class = detail_of(header) & 0xff;
            std::uint32_t const pages = instance.pages_of(size_class);
            std::uint32_t marked = 0;
            for (std::uint32_t word = 0; word < (pages + 63) / 64; ++word)
                marked += exec::popcount(
                    thread.device(instance.table().marks(chunk, word)).load(exec::order::relaxed));
            if (marked != 0)
                function(instance.table().listed(chunk), first_class + size_class, pages - marked, pages);
        });
        first_class += instance.class_count;
    });
}

/// Runs after sort_out_chunks, when every free page is marked.
template <class Ref>
struct count_occupancy {
    Ref ref;
    std::uint64_t chunks;
    class_occupancy* classes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_partial_chunk(
            thread, ref, chunks,
            [&](std::uint64_t&, std::uint32_t number, std::uint32_t live, std::uint32_t pages) {
                class_occupancy& own = classes[number];
                std::uint32_t const level = class_occupancy::level(live, pages);
                thread.device(own.chunks[level]).fetch_add(1, exec::order::relaxed);
                thread.device(own.live[level]).fetch_add(live, exec::order::relaxed);
            });
    }
};

template <class Ref>
struct withhold_chunks {
    Ref ref;
    std::uint64_t chunks;
    class_occupancy* classes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_partial_chunk(
            thread, ref, chunks,
            [&](std::uint64_t& listed, std::uint32_t number, std::uint32_t live, std::uint32_t pages) {
                class_occupancy& own = classes[number];
                std::uint32_t const level = class_occupancy::level(live, pages);
                bool const taken =
                    level < own.few_levels ||
                    (level == own.few_levels && own.more_chunks != 0 &&
                     thread.device(own.taken).fetch_add(1, exec::order::relaxed) < own.more_chunks);
                if (taken) thread.device(listed).store(withheld, exec::order::relaxed);
            });
    }
};

} // namespace maintenance

} // namespace rhizome::alloc
