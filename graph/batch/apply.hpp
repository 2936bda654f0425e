// Program 3 of a batch: moves and merges. Allocates nothing, and does nothing if the batch was stopped.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/sort_arcs.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Blocks merge heavy rows, warps middling rows, tiles light rows. One thread tells `End` of each row once it
/// is merged or was stopped; all threads tell it of the end of the batch.
template <class Layout, class Format, bool Erasing, class End>
struct merge_rows {
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t blocks_side_by_side = 4; // the kernel waits for memory: 64 registers
                                                            // suffice
    using merge = typename Layout::template merge<Format, Erasing>;
    using light_merge = typename Layout::template light_merge<Format, Erasing>;
    using shared = typename merge::shared;

    merge_context<Format> context;
    End end;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        progress const now = context.a.now();
        if (now.stopped())
            exec::for_each_item(thread, now.segments(),
                                [&](std::uint64_t i) { end.end_row(thread, context.a.segments[i]); });
        else
            merge_all(thread, now);
        end.end_batch(thread);
    }

private:
    template <class Thread>
    RZ_HD void merge_all(Thread const& thread, progress const& now) const {
        auto const& a = context.a;
        merge_tally tally;
        auto const block = thread.block();
        exec::for_each_group_item(block, now.heavy, [&](std::uint64_t i) {
            batch::segment& own = a.segments[a.heavy(static_cast<std::uint32_t>(i))];
            merge::run_by_block(thread, block.storage(), context, own, tally);
            if (block.is_leader()) end.end_row(thread, own);
        });
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, now.middling, [&](std::uint64_t i) {
            batch::segment& own = a.segments[a.listed[i]];
            merge::run_by_warp(warp, context, own, tally);
            if (warp.rank() == 0) end.end_row(thread, own);
        });
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, now.segments(), [&](std::uint64_t i) {
            batch::segment& own = a.segments[i];
            // Not decided by its degree: the row may have become light just now.
            if (own.merger != merger::registers) return;
            light_merge::run(tile, context, own, tally);
            if (tile.rank() == 0) end.end_row(thread, own);
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// Where arcs were sorted: tiles move small rows.
template <class Layout, class Format, bool Erasing>
struct move_small_rows {
    static constexpr bool overlaps_launch = true;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, a.now().segments(), [&](std::uint64_t i) {
            batch::segment& own = a.segments[i];
            if (own.merger == merger::tile)
                Layout::template merge<Format, Erasing>::move(tile, context, own, context.rows[own.row],
                                                              own.count);
        });
    }
};

/// Where arcs were sorted: blocks move larger rows and pieces of rows.
template <class Layout, class Format, bool Erasing>
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
            batch::segment& own = a.segments[piece.segment];
            using merge = typename Layout::template merge<Format, Erasing>;
            if (own.merger == merger::blocks)
                merge::move_piece(block, context, own, piece.number);
            else
                merge::move(block, context, own, context.rows[own.row], own.count);
        });
    }
};

} // namespace rhizome::graph::batch
