// Program 3 of a batch: moves and merges. Allocates nothing, and does nothing where the batch was stopped.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/sort_arcs.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Light rows by tiles, middling ones by warps.
template <class Layout, class Format, bool Erasing>
struct merge_small_rows {
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        progress const now = a.now();
        if (now.stopped()) return;
        merge_tally tally;
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, now.middling, [&](std::uint64_t i) {
            Layout::template merge<Format, Erasing>::run_by_warp(warp, context, a.segments[a.listed[i]],
                                                                 tally);
        });
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, now.segments(), [&](std::uint64_t i) {
            batch::segment& own = a.segments[i];
            // Not by its degree: the row may have become light just now.
            if (own.merger == merger::registers)
                Layout::template light_merge<Format, Erasing>::run(tile, context, own, tally);
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// Heavy rows by blocks.
template <class Layout, class Format, bool Erasing>
struct merge_heavy_rows {
    using shared = typename Layout::template merge<Format, Erasing>::shared;

    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        merge_tally tally;
        auto const block = thread.block();
        exec::for_each_group_item(block, a.now().heavy, [&](std::uint64_t i) {
            auto& own = a.segments[a.heavy(static_cast<std::uint32_t>(i))];
            Layout::template merge<Format, Erasing>::run_by_block(thread, block.storage(), context, own,
                                                                  tally);
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// Where arcs were sorted: rows by tiles.
template <class Layout, class Format, bool Erasing>
struct move_small_rows {
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

/// Where arcs were sorted: larger rows and pieces of them by blocks.
template <class Layout, class Format, bool Erasing>
struct move_pieces {
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
