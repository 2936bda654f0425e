// SPDX-License-Identifier: Apache-2.0
// Applies a batch: moves and merges. Allocates nothing, and does nothing if the batch was stopped.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/apply/contiguous_light.hpp>
#include <rhizome/graph/batch/apply/contiguous_merge.hpp>
#include <rhizome/graph/batch/apply/contiguous_short.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/row_pages.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Blocks merge heavy rows, warps middling rows, and threads or tiles (threads_merge) light rows. One thread
/// tells `End` of each row once it is merged or was stopped; all threads tell it of the end of the batch.
/// ArcWindows: of the arcs of a row that one thread merges; 0: tiles merge light rows.
template <class Format, bool Erasing, class End, std::uint32_t ArcWindows = 1>
struct merge_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = ArcWindows < 2 ? 4 : 3; // 64 or 80 registers
    using merge = contiguous_merge<Format, Erasing>;
    using light_merge = contiguous_light_merge<Format, Erasing>;
    static constexpr bool by_tiles = ArcWindows == 0 || !threads_merge<Format>;
    using shared = typename merge::shared;

    merge_context<Format> context;
    End end;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        progress const now = context.a.now();
        merge_tally tally;
        // One loop for all kinds of rows, so that the kernel holds the code of `End` once.
        RZ_NO_UNROLL
        for (std::uint32_t kind = now.stopped() ? stopped : heavy; kind <= stopped; ++kind) {
            if (kind == stopped && !now.stopped()) break;
            end_rows(thread, now, kind, tally);
        }
        if (!now.stopped()) tally.add_to(thread, context.a.share(thread.rank()));
        end.end_batch(thread);
    }

private:
    // What merges a row.
    static constexpr std::uint32_t heavy = 0;    ///< a block
    static constexpr std::uint32_t middling = 1; ///< a warp
    static constexpr std::uint32_t light = 2;    ///< a thread or a tile
    static constexpr std::uint32_t stopped = 3;  ///< nothing: the batch was stopped

    template <class Thread>
    RZ_HD void end_rows(Thread const& thread, progress const& now, std::uint32_t kind,
                        merge_tally& tally) const {
        auto const& a = context.a;
        auto const block = thread.block();
        auto const warp = thread.warp();
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        std::uint64_t const items = kind == heavy      ? now.heavy
                                    : kind == middling ? now.middling
                                                       : now.slices();
        std::uint64_t const group = kind == heavy               ? block.index()
                                    : kind == middling          ? warp.index()
                                    : kind == light && by_tiles ? tile.index()
                                                                : thread.rank();
        std::uint64_t const groups = kind == heavy               ? block.count()
                                     : kind == middling          ? warp.count()
                                     : kind == light && by_tiles ? tile.count()
                                                                 : thread.size();
        exec::for_each_item_of(thread, group, groups, items, [&](std::uint64_t i) {
            std::uint64_t const number = kind == heavy      ? a.heavy(static_cast<std::uint32_t>(i))
                                         : kind == middling ? a.listed[i]
                                                            : i;
            batch::slice& own = a.slices[number];
            bool speaks = true;
            if (kind == heavy) {
                merge::run_by_block(thread, block.storage(), context, own, tally);
                speaks = block.is_leader();
            } else if (kind == middling) {
                merge::run_by_warp(warp, merge::part_of_warp(thread), context, own, tally);
                speaks = warp.rank() == 0;
            } else if (kind == light) {
                // Not decided by its degree: the row may have become light just now.
                if (own.merger != merger::registers) return;
                if constexpr (!by_tiles) {
                    contiguous_short_merge<Format, Erasing, ArcWindows>::run(context, own, tally);
                } else {
                    light_merge::run(tile, context, own, tally);
                    speaks = tile.rank() == 0;
                }
            }
            if (speaks) end.end_row(thread, own);
        });
    }
};

/// Where arcs were sorted: tiles move small rows.
template <class Format, bool Erasing>
struct move_small_rows {
    static constexpr bool overlaps_launch = true;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, a.now().slices(), [&](std::uint64_t i) {
            batch::slice& own = a.slices[i];
            if (own.merger == merger::tile)
                contiguous_merge<Format, Erasing>::move(tile, context, own, context.rows[own.row], own.count);
        });
    }
};

/// Where arcs were sorted: blocks move larger rows and pieces of rows.
template <class Format, bool Erasing>
struct move_pieces {
    static constexpr bool overlaps_launch = true;
    row_piece const* pieces;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        auto const block = thread.block();
        exec::for_each_group_item(block, a.now().pieces, [&](std::uint64_t i) {
            row_piece const piece = pieces[i];
            batch::slice& own = a.slices[piece.slice];
            using merge = contiguous_merge<Format, Erasing>;
            if (own.merger == merger::blocks)
                merge::move_piece(block, context, own, piece.number);
            else
                merge::move(block, context, own, context.rows[own.row], own.count);
        });
    }
};

} // namespace rhizome::graph::batch
