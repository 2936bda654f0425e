// SPDX-License-Identifier: Apache-2.0
// The first pass: counts the selected items, writes those of sparse chunks, and lists the steps that the
// second pass executes for the others.
#pragma once

#include <rhizome/compaction/detail/chunk.hpp>
#include <rhizome/compaction/detail/held.hpp>
#include <rhizome/compaction/detail/look_back.hpp>
#include <rhizome/compaction/detail/steps.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// The first pass of a compaction from one array to another: writes the elements of sparse chunks itself.
template <class Source, class Element>
struct array_target {
    static constexpr bool is_written = true;
    static constexpr std::uint32_t group_items = held_elements<Element>::capacity;
    static constexpr std::uint32_t parts = row_parts<Element>;
    using held = held_elements<Element>;

    Source source;
    Element* output;
};

/// The first pass of a compaction in place: writes no elements, and prepares in_place_kernel.
struct in_place_target {
    static constexpr bool is_written = false;

    std::uint32_t group_items; ///< as array_target has
    std::uint32_t parts;
    std::uint64_t* ticket;   ///< becomes the first step that moves elements
    std::uint32_t* progress; ///< as many words per chunk as rows have parts
};

/// Reads the mask once. Each block takes one tile by ticket: a chunk for each of its warps. A warp counts its
/// chunk; if few items are selected, it loads their elements before the block knows where they go, so that
/// these loads are under way during the look-back.
template <class Target>
struct scan_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = scan_blocks_side_by_side;
    static constexpr bool overlaps_launch = true;
    struct shared {
        chunk_storage chunks[most_block_warps];
        look_back_storage look_back;
        std::uint64_t totals[most_block_warps]; ///< items, and steps << 32, of each chunk
        std::uint64_t tile;
    };

    Target target;
    bit_mask mask;
    tile_table table;      ///< 0 at the beginning
    std::uint64_t* ticket; ///< 0 at the beginning
    listed_step* steps;
    std::uint64_t* step_count;
    std::uint64_t* count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        auto& storage = block.storage();
        std::uint32_t const warps = block.size() / warp.size();
        std::uint32_t const own = block.rank() / warp.size();
        // relaxed: the ticket only numbers tiles
        if (block.rank() == 0) storage.tile = thread.device(*ticket).fetch_add(1, exec::order::relaxed);
        block.sync();
        std::uint64_t const tile = storage.tile;
        std::uint64_t const chunk = tile * warps + own;
        chunk_storage& local = storage.chunks[own];
        load_chunk(warp, mask, chunk, local.words);
        warp.sync(); // the words are there
        row_summary const row = summarise_row(local.words, warp.rank());
        std::uint32_t const through = warp.inclusive_scan(row.count);
        std::uint32_t const before = through - row.count;
        std::uint32_t const items = warp.broadcast(through, warp_lanes - 1);
        bool const sparse = Target::is_written && items <= listed_items;
        row_group group{0, false};
        if (!sparse && items != 0) group = group_rows(warp, row.count, target.group_items);
        std::uint32_t const leaders = warp.ballot(group.leads);
        std::uint32_t const parts = group.rows_log2 == 0 ? target.parts : 1; // of each group
        if (warp.rank() == 0)
            storage.totals[own] = items | static_cast<std::uint64_t>(exec::popcount(leaders) * parts) << 32;
        block.sync();
        std::uint64_t lower = 0;
        std::uint64_t all = 0;
        RZ_UNROLL
        for (std::uint32_t i = 0; i < most_block_warps; ++i) {
            std::uint64_t const each = storage.totals[i]; // unspecified beyond the warps of the block
            if (i < own) lower += each;
            if (i < warps) all += each;
        }
        tile_sums const totals{static_cast<std::uint32_t>(all), all >> 32};
        publish_totals(thread, table, tile, totals);

        tile_sums earlier{};
        if constexpr (Target::is_written) {
            auto const source = target.source.from(chunk * chunk_items);
            typename Target::held held{};
            if (sparse && items != 0) {
                list_row(local.words, warp.rank(), row, local.list + before);
                warp.sync(); // the list is complete
                gather(warp, source, local.list, items, held);
            }
            earlier = look_back(thread, storage.look_back, table, tile, totals);
            if (sparse && items != 0) {
                auto* const out = target.output + earlier.items + static_cast<std::uint32_t>(lower);
                scatter(warp, held, items, out);
                for (std::uint32_t done = held.capacity; done < items; done += held.capacity) {
                    gather(warp, source, local.list + done, items - done, held);
                    scatter(warp, held, items - done, out + done);
                }
            }
        } else {
            earlier = look_back(thread, storage.look_back, table, tile, totals);
        }
        std::uint32_t const lower_lanes = (std::uint32_t{1} << warp.rank()) - 1;
        std::uint64_t const own_row = chunk * chunk_rows + warp.rank();
        std::uint64_t const begin = earlier.items + static_cast<std::uint32_t>(lower) + before;
        std::uint64_t const place =
            earlier.steps + (lower >> 32) + exec::popcount(leaders & lower_lanes) * parts;
        if (group.leads)
            for (std::uint32_t part = 0; part < parts; ++part)
                steps[place + part] = {packed_step(own_row, part, group.rows_log2), begin};
        if constexpr (!Target::is_written) mark_rows(warp, chunk, begin, row.count, place);
        if (tile + 1 == table.tiles && block.rank() == 0) finish(earlier, totals, table.tiles * warps);
    }

private:
    /// For in_place_kernel: marks rows that are not moved as read. These are rows without selected items, and
    /// the full rows at the beginning.
    template <class Warp>
    RZ_HD void mark_rows(Warp const& warp, std::uint64_t chunk, std::uint64_t begin, std::uint32_t items,
                         std::uint64_t place) const {
        bool const stays = begin == (chunk * chunk_rows + warp.rank()) * row_items; // all before are full
        std::uint32_t const done = warp.ballot(items == 0 || (stays && items == row_items));
        for (std::uint32_t part = 0; part < target.parts; ++part) {
            std::uint32_t const row = (part * warp_lanes + warp.rank()) / target.parts;
            std::uint32_t const word = warp.ballot((done >> row & 1) != 0);
            if (warp.rank() == 0) target.progress[chunk * target.parts + part] = word;
        }
        // Holds for one row: the first one that is not full.
        if (stays && items != row_items) *target.ticket = place;
    }

    RZ_HD void finish(tile_sums const& earlier, tile_sums const& totals, std::uint64_t chunks) const {
        *count = earlier.items + totals.items;
        *step_count = earlier.steps + totals.steps;
        if constexpr (!Target::is_written)
            if (earlier.items + totals.items == chunks * chunk_items) // there is no such row
                *target.ticket = earlier.steps + totals.steps;
    }
};

} // namespace rhizome::compaction::detail
