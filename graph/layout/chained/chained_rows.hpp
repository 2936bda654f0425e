// SPDX-License-Identifier: Apache-2.0
// The kernels of a batch over rows in several pages. Each arc is searched for before the allocator is asked
// for anything, so that a batch asks for exactly the pages that it fills.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/draw.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/layout/chained/chained_arrays.hpp>
#include <rhizome/graph/layout/chained/chained_format.hpp>
#include <rhizome/graph/layout/chained/chained_merge.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::graph::batch {

/// Puts a slice into the list of the threads that will change its row.
template <class Thread, class Context>
RZ_HD void hand_out(Thread const& thread, Context const& context, std::uint32_t number, std::uint64_t row,
                    std::uint32_t begin, std::uint32_t count, batch::merger who) {
    context.slices[number] = {row, begin, count, 0, 0, 0, who};
    if (who == merger::warp)
        context.a.listed[draw(thread, context.a.now().middling, 1)] = number;
    else if (who == merger::block)
        context.a.heavy(draw(thread, context.a.now().heavy, 1)) = number;
}

/// If arcs were counted.
template <class Format>
struct place_chains {
    using id_type = typename Format::id_type;
    using shared = place_storage;

    basic_edge<id_type> const* edges;
    std::uint64_t slot_count;
    row_slots slots;
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint32_t const tile = thread.tile(exec::width<tuning::row_tile>).size();
        std::uint32_t const warp = thread.warp().size();
        place_rows(thread, thread.block().storage(), context.rules, edges, slot_count, 0, context.rows, slots,
                   context.a,
                   [&](bool speaks, std::uint32_t number, std::uint64_t row, auto const& record,
                       std::uint32_t begin, std::uint32_t count) {
                       if (!speaks) return;
                       std::uint32_t const degree = record.degree;
                       bool const light = count <= tile && degree <= tuning::tile_degree;
                       bool const middling = count <= warp && degree <= tuning::heavy_degree;
                       hand_out(thread, context, number, row, begin, count,
                                light      ? merger::registers
                                : middling ? merger::warp
                                           : merger::block);
                   });
    }
};

/// If arcs were sorted, and are distinct.
template <class Format>
struct place_sorted_chains {
    using id_type = typename Format::id_type;

    sorting_arrays<id_type> s;
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, context.a.now().slices(), [&](std::uint64_t i) {
            std::uint32_t const begin = s.changes_before(i);
            std::uint32_t const count = s.changes_before(i + 1) - begin;
            std::uint64_t const row = s.slice_row[i];
            bool const small =
                count <= tuning::tile_degree && context.rows[row].degree <= tuning::tile_degree;
            hand_out(thread, context, static_cast<std::uint32_t>(i), row, begin, count,
                     small ? merger::tile : merger::block);
        });
    }
};

/// Calls function(warp or tile, slice) for the rows that are small enough for one. Called by all threads.
template <class Thread, class Context, class Function>
RZ_HD void for_each_small_chain(Thread const& thread, Context const& context, Function&& function) {
    auto const& a = context.a;
    auto const warp = thread.warp();
    exec::for_each_group_item(warp, a.now().middling,
                              [&](std::uint64_t i) { function(warp, context.slices[a.listed[i]]); });
    auto const tile = thread.tile(exec::width<tuning::row_tile>);
    exec::for_each_group_item(tile, a.now().slices(), [&](std::uint64_t i) {
        chain_slice& own = context.slices[i];
        if (own.merger == merger::registers || own.merger == merger::tile) function(tile, own);
    });
}
/// Calls function(block, slice) for the other rows. Called by all threads.
template <class Thread, class Context, class Function>
RZ_HD void for_each_heavy_chain(Thread const& thread, Context const& context, Function&& function) {
    auto const block = thread.block();
    exec::for_each_group_item(block, context.a.now().heavy, [&](std::uint64_t i) {
        function(block, context.slices[context.a.heavy(static_cast<std::uint32_t>(i))]);
    });
}

/// Searches light and middling rows for their arcs, by tiles and warps.
template <class Format, bool Erasing>
struct judge_small_chains {
    using merge = chained_merge<Format, Erasing>;
    using distinct = distinct_arcs<typename Format::id_type, Format::has_values>;

    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        merge_tally tally;
        for_each_small_chain(thread, context, [&](auto const& group, chain_slice& own) {
            std::uint32_t count = own.count;
            if (own.merger != merger::tile) // the arcs of a tile's row are sorted already
                count = distinct::in_registers(group, a.arcs + own.begin, count);
            merge::judge(group, ranks_in_tile<std::remove_cvref_t<decltype(group)>>{group}, context, own,
                         count, tally);
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// The same for heavy rows, by blocks.
template <class Format, bool Erasing, bool Sorted>
struct judge_heavy_chains {
    using merge = chained_merge<Format, Erasing>;
    using distinct = distinct_arcs<typename Format::id_type, Format::has_values>;
    using shared = typename distinct::shared;

    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        merge_tally tally;
        for_each_heavy_chain(thread, context, [&](auto const& block, chain_slice& own) {
            std::uint32_t count = own.count;
            block.sync(); // all threads have read it before judging writes it
            if constexpr (!Sorted)
                count = distinct::in_block(thread, block.storage(), a.arcs + own.begin, count);
            merge::judge(block, ranks_in_block<Thread>{thread, block.storage().sums}, context, own, count,
                         tally);
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// Counts the pages that each row gets or loses: their places in the list, and the bytes of new pages. If the
/// batch was stopped, no row has changes.
template <class Format, bool Erasing>
struct list_pages {
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, context.a.now().slices(), [&](std::uint64_t i) {
            chain_slice& own = context.slices[i];
            if (own.changes == 0) return;
            std::uint32_t const degree = context.rows[own.row].degree;
            std::uint32_t const pages = pages_of_row<Format>(degree);
            if (!Erasing && overflows_row<typename Format::id_type>(degree, own.changes)) {
                thread.device(context.a.now().unsorted).store(progress::overflowing, exec::order::relaxed);
                return;
            }
            if constexpr (Erasing) {
                own.page_count = pages - Format::page_of(degree - own.changes);
                own.first_page = draw(thread, context.a.now().pages, own.page_count);
            } else {
                own.page_count = pages_of_row<Format>(degree + own.changes) - pages;
                own.first_page = draw(thread, context.a.now().pages, own.page_count);
                for (std::uint32_t page = 0; page < own.page_count; ++page)
                    context.pages[own.first_page + page] = Format::bytes(pages + page);
            }
        });
    }
};

/// Obtains the pages of the list, one thread per page.
template <class Format, class AllocatorRef>
struct obtain_pages {
    AllocatorRef allocator;
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t needed_bytes = 0;
        exec::for_each_item(thread, context.a.now().pages, [&](std::uint64_t i) {
            std::uint64_t const bytes = context.pages[i];
            needed_bytes += allocator.usable_bytes(bytes);
            auto const refused = thread.device(context.a.now().refused_pages);
            void* page = nullptr;
            // relaxed: a thread that does not see it yet tries in vain; later kernels see it
            if (refused.load(exec::order::relaxed) == 0) {
                page = allocator.allocate(thread, bytes);
                if (page == nullptr) refused.store(1, exec::order::relaxed);
            }
            context.pages[i] = reinterpret_cast<std::uint64_t>(page);
        });
        exec::add_to_total(thread, context.a.share(thread.rank()).needed_bytes, needed_bytes);
    }
};

/// Extends or shrinks one row. Called by all lanes of the group.
template <class Format, bool Erasing, class Group, class Ranks>
RZ_HD void change_chain(Group const& group, Ranks const& ranks, chain_context<Format> const& context,
                        chain_slice const& own) {
    if constexpr (Erasing)
        chained_merge<Format, true>::shrink(group, ranks, context, own);
    else
        chained_merge<Format, false>::extend(group, ranks, context, own);
}

template <class Format, bool Erasing>
struct change_small_chains {
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (context.a.now().stopped()) return;
        for_each_small_chain(thread, context, [&](auto const& group, chain_slice const& own) {
            change_chain<Format, Erasing>(group, ranks_in_tile<std::remove_cvref_t<decltype(group)>>{group},
                                          context, own);
        });
    }
};

template <class Format, bool Erasing>
struct change_heavy_chains {
    using shared = exec::block_sum_storage<std::uint32_t>;

    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (context.a.now().stopped()) return;
        for_each_heavy_chain(thread, context, [&](auto const& block, chain_slice const& own) {
            change_chain<Format, Erasing>(block, ranks_in_block<Thread>{thread, block.storage()}, context,
                                          own);
        });
    }
};

/// After the last step: gives back pages that no row has, and clears the slots. A batch that was refused
/// or stopped leaves no trace.
template <class Format, class AllocatorRef>
struct finish_chains {
    AllocatorRef allocator;
    row_slots slots;
    chain_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, context.a.now().slices(),
                            [&](std::uint64_t i) { slots[context.slices[i].row] = 0; });
        exec::for_each_item(thread, context.a.now().pages, [&](std::uint64_t i) {
            allocator.deallocate(thread, reinterpret_cast<void*>(context.pages[i]));
        });
    }
};

} // namespace rhizome::graph::batch
