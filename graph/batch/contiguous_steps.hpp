// SPDX-License-Identifier: Apache-2.0
// The steps of a batch over contiguous rows, one after the other.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/apply/apply.hpp>
#include <rhizome/graph/batch/apply/build.hpp>
#include <rhizome/graph/batch/apply/contiguous_ordered.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/decision.hpp>
#include <rhizome/graph/batch/finish.hpp>
#include <rhizome/graph/batch/plan/count_arcs.hpp>
#include <rhizome/graph/batch/plan/measure.hpp>
#include <rhizome/graph/batch/plan/order_by_row.hpp>
#include <rhizome/graph/batch/plan/row_bins.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/report.hpp>
#include <rhizome/graph/batch/reserve/binned_rows.hpp>
#include <rhizome/graph/batch/reserve/bulk_pages.hpp>
#include <rhizome/graph/batch/reserve/ordered_rows.hpp>
#include <rhizome/graph/batch/reserve/reserve.hpp>
#include <rhizome/graph/batch/scratch.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

template <class Format, bool Erasing>
struct contiguous_steps {
    using id_type = typename Format::id_type;
    static constexpr bool has_values = Format::has_values;
    using run_type = batch_run<Format>;
    using arrays_type = arrays<id_type, has_values>;

    /// Whether the arrays with one entry per arc are used. Loading a large graph needs none of them.
    [[nodiscard]] static constexpr bool lists_arcs(std::uint64_t graph_arcs, bool sorting) {
        return Erasing || graph_arcs != 0 || !sorting;
    }
    /// Whether sorted keys are needed after arcs are listed.
    static constexpr bool keeps_keys = has_values && !Erasing;
    /// Whether arcs that are not sorted as above are brought into the order of their rows and targets: where
    /// few threads take runs of rows, so that they find rows in the cache. `bulk`: pages are requested in
    /// bulk.
    template <class Space>
    [[nodiscard]] static constexpr bool orders_arcs(bool sorting, bool bulk) {
        return exec::threads_take_runs<Space> && !sorting && !bulk;
    }

    template <class Space, class Heap, class Scratch>
    static void run(Space& space, Heap& heap, run_type const& work, Scratch& scratch, bool sorting) {
        // Worth its launches where the device is full of requests. Threads of the host have one lane each.
        bool const listing =
            work.bulk.in_use() || (space.max_block_threads() > 1 && work.arc_count >= space.concurrency());
        if (sorting && listing)
            run_ordered<true>(space, heap, work, scratch);
        else if (sorting)
            run_ordered<false>(space, heap, work, scratch);
        else if (listing)
            run_counted(space, heap, work, scratch);
        else if constexpr (orders_arcs<Space>(false, false))
            run_in_order(space, heap, work, scratch);
        else
            run_small(space, heap.ref(), work);
    }

private:
    template <bool Listed, class Space, class AllocatorRef>
    static void finish(Space& space, AllocatorRef const& ref, run_type const& work) {
        auto const& a = work.context.a;
        auto const each_row = cover_threads(space, a.rows_at_most);
        launch(space, each_row,
               finish_rows<Format, AllocatorRef, Erasing, Listed>{ref, work.slots, work.context});
        if constexpr (Listed) {
            list(space, each_row, leaving_slices<Format, arrays_type>{a}, a.zeros->freed, a.places);
            free(space, ref, work, a.zeros->freed, a.places);
        } else {
            report<Format, Erasing>(space, work);
        }
    }
    /// Gives back the pages of listed slices and ends the batch.
    template <class Space, class AllocatorRef>
    static void free(Space& space, AllocatorRef const& ref, run_type const& work, size_counts const& counts,
                     std::uint32_t const* numbers) {
        auto const& a = work.context.a;
        bool const notes = work.context.notes.wanted();
        launch(space, cover_threads(space, a.rows_at_most),
               free_listed<AllocatorRef, arrays_type>{ref, numbers, &counts, a, work.report, !notes});
        if (notes) report<Format, Erasing>(space, work);
    }

    template <class Space, class Items>
    static void list(Space& space, exec::launch_shape const& shape, Items const& items, size_counts& counts,
                     std::uint32_t* numbers) {
        launch(space, shape, list_by_size<Items>{items, &counts, numbers});
    }
    /// The allocator serves the requests that were noted. The list lies in memory that is not in use by then.
    template <class Space, class AllocatorRef>
    static void obtain(Space& space, AllocatorRef const& ref, run_type const& work, std::uint32_t* numbers,
                       row_piece* pieces) {
        auto const& a = work.context.a;
        auto const each_row = cover_threads(space, a.rows_at_most);
        list(space, each_row, waiting_slices<Format, arrays_type>{a}, a.zeros->asked, numbers);
        launch(space, each_row,
               obtain_listed<Format, AllocatorRef>{ref, numbers, work.context.rows, pieces, Erasing, a});
    }

    /// Takes the scratch of order_by_row() and obtain_bulk(), which allocate nothing then.
    template <class Space, class Scratch>
    static void prepare_bulk(Space& space, run_type const& work, Scratch& scratch) {
        for (std::uint64_t const words : {work.bulk.count_words(), work.bulk.mark_words + 1})
            prepare_scan(space, scratch.primitives, words);
    }
    /// Requests pages in bulk, where the batch does so, and hands them out in the order of rows. Requests
    /// that are not served stay noted.
    template <class Space, class AllocatorRef, class Scratch>
    static void obtain_bulk(Space& space, AllocatorRef const& ref, run_type const& work, Scratch& scratch,
                            [[maybe_unused]] slices_by_row const& slices, row_piece* pieces) {
        if constexpr (alloc::gives_runs<AllocatorRef>) {
            auto const& a = work.context.a;
            bulk_arrays const& bulk = work.bulk;
            auto const each_part = exec::cover_tiles<32>(space, bulk.parts);
            launch(space, each_part, count_bulk_pages<Format, AllocatorRef>{ref, slices, bulk, a});
            exclusive_scan(space, scratch.primitives, bulk.counts, bulk.counts, bulk.count_words());
            launch(space, one_warp(space), take_runs<AllocatorRef>{ref, bulk, &a.all->now, &a.zeros->asked});
            launch(
                space, each_part,
                grant_runs<Format, AllocatorRef>{ref, slices, bulk, work.context.rows, pieces, Erasing, a});
        }
    }
    /// For slices in any order. `order`: memory for a number per slice.
    template <class Space, class Scratch>
    [[nodiscard]] static slices_by_row order_by_row(Space& space, run_type const& work, Scratch& scratch,
                                                    std::uint32_t* order) {
        auto const& a = work.context.a;
        bulk_arrays const& bulk = work.bulk;
        auto const each_row = cover_threads(space, a.rows_at_most);
        space.fill(bulk.marks, 0, bulk.mark_words * sizeof(std::uint32_t));
        launch(space, each_row, mark_waiting_rows<Format>{a, bulk});
        launch(space, cover_threads(space, bulk.mark_words + 1), count_marks{bulk});
        exclusive_scan(space, scratch.primitives, bulk.before, bulk.before, bulk.mark_words + 1);
        launch(space, each_row, list_marked_rows<Format>{a, bulk, order});
        return {order, bulk.before + bulk.mark_words};
    }

    /// A small batch: starting each kernel takes most of its time.
    template <class Space, class AllocatorRef>
    static void run_small(Space& space, AllocatorRef const& ref, run_type const& work) {
        auto const& a = work.context.a;
        auto const& rules = work.context.rules;
        bool const spread = work.arc_count < space.concurrency() / tuning::spread_share;
        count_arcs<id_type, has_values> const count{rules, work.edges, work.edge_count, work.slots, a};
        reserve_rows<Format, AllocatorRef, Erasing, false> const reserve{ref,
                                                                         rules,
                                                                         work.edges,
                                                                         work.arc_count,
                                                                         0,
                                                                         false,
                                                                         spread ? 0 : tuning::short_arcs,
                                                                         work.context.rows,
                                                                         work.slots,
                                                                         a};
        scatter_arcs<id_type, has_values> const scatter{rules, work.edges, work.edge_count, work.slots, a};
        using end_type = finish_at_once<AllocatorRef>;
        end_type const end{ref, work.slots, work.report, !work.context.notes.wanted()};
        auto const each_tile = exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most);
        std::uint32_t const threads = spread ? tuning::spread_block_threads : 256;
        launch(space, cover_threads(space, work.edge_count, threads), count);
        launch(space, cover_threads(space, work.arc_count, threads), reserve);
        static_cast<void>(decide(space, work));
        launch(space, cover_threads(space, work.edge_count, threads), scatter);
        if constexpr (threads_merge<Format>)
            if (!spread)
                launch(space, each_tile, merge_rows<Format, Erasing, end_type, 1>{work.context, end});
        if (spread || !threads_merge<Format>)
            launch(space, each_tile, merge_rows<Format, Erasing, end_type, 0>{work.context, end});
        if (work.context.notes.wanted()) report<Format, Erasing>(space, work);
    }

    /// A batch on few threads, which visits rows in ascending order.
    template <class Space, class Heap, class Scratch>
    static void run_in_order(Space& space, Heap& heap, run_type const& begun, Scratch& scratch) {
        using ref_type = typename Heap::ref_type;
        ordered_arcs<Format> const ordered = order_arcs(space, begun, scratch);
        run_type const& work = ordered.work;
        auto const& a = work.context.a;
        auto const each_row = cover_threads(space, a.rows_at_most);
        launch(space, cover_threads(space, work.arc_count),
               list_ordered_rows<Format, ref_type, Erasing>{heap.ref(), ordered.keys, work.arc_count,
                                                            ordered.s, work.context.rows, a});
        // The host reads the memory of such a space.
        if (!Erasing && !a.now().stopped()) heap.keep_chunks_for(a.now().measured_bytes);
        launch(space, each_row,
               reserve_ordered_rows<Format, ref_type, Erasing>{heap.ref(), work.context.rows, a});
        static_cast<void>(decide(space, work));
        launch(space, each_row,
               merge_ordered_rows<Format, ref_type, Erasing>{heap.ref(), ordered.keys, ordered.s,
                                                             work.context, work.report,
                                                             !work.context.notes.wanted()});
        if (work.context.notes.wanted()) report<Format, Erasing>(space, work);
    }

    /// A large batch.
    template <class Space, class Heap, class Scratch>
    static void run_counted(Space& space, Heap& heap, run_type const& work, Scratch& scratch) {
        using ref_type = typename Heap::ref_type;
        auto const& a = work.context.a;
        auto const& rules = work.context.rules;
        // From the first kernel on the slots are in use: a batch that then lacked memory could not begin
        // anew.
        if (work.bulk.in_use()) prepare_bulk(space, work, scratch);
        bool const sweeps = work.arc_count >= work.row_count / tuning::sweeping_share;
        std::uint64_t const swept_rows = sweeps ? work.row_count : 0;
        bool const dense = threads_merge<Format> && work.arc_count >= tuning::sorting_share * work.row_count;
        reserve_rows<Format, ref_type, Erasing, true> const reserve{heap.ref(),
                                                                    rules,
                                                                    work.edges,
                                                                    work.arc_count,
                                                                    swept_rows,
                                                                    !work.bulk.in_use(),
                                                                    dense ? tuning::dense_short_arcs
                                                                          : tuning::short_arcs,
                                                                    work.context.rows,
                                                                    work.slots,
                                                                    a};
        std::uint32_t bins = 0;
        if (sweeps && bins_arcs<Space>(work)) {
            bins = bin_and_reserve(space, work, reserve);
        } else {
            launch(space, cover_threads(space, work.edge_count),
                   count_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
            launch(space, cover_threads(space, sweeps ? work.row_count : work.arc_count), reserve);
            launch(space, cover_threads(space, work.edge_count),
                   scatter_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
        }
        if (!Erasing && dense) grow_or_sort(space, heap, work);
        ref_type const ref = heap.ref();
        if (work.bulk.in_use())
            obtain_bulk(space, ref, work, scratch, order_by_row(space, work, scratch, a.places), nullptr);
        std::uint32_t* const listed = a.numbers; // the arcs are in place, and their numbers no longer needed
        obtain(space, ref, work, listed, nullptr);
        static_cast<void>(decide(space, work));
        auto const each_tile = exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most);
        clear_slots const end{work.slots, bins};
        if constexpr (threads_merge<Format>)
            if (dense)
                launch(space, each_tile,
                       merge_rows<Format, Erasing, clear_slots, tuning::dense_short_arcs / 4>{work.context,
                                                                                              end});
        if (!dense) launch(space, each_tile, merge_rows<Format, Erasing, clear_slots>{work.context, end});
        if (work.bulk.in_use()) // rows that were served in bulk are not listed
            finish<true>(space, ref, work);
        else // only rows that asked for a page, or may leave theirs, have one to give back
            free(space, ref, work, a.zeros->asked, listed);
    }
    /// Whether a batch that visits most rows brings its arcs into bins of rows: where single threads merge
    /// rows, and not if rows are served in bulk, which clears other words.
    template <class Space>
    [[nodiscard]] static bool bins_arcs(run_type const& work) {
        return threads_merge<Format> && !exec::threads_take_runs<Space> && work.may_bin &&
               !work.bulk.in_use() && row_bins::serve(work.row_count);
    }
    /// Returns the number of bins.
    template <class Space, class Reserve>
    static std::uint32_t bin_and_reserve([[maybe_unused]] Space& space, [[maybe_unused]] run_type const& work,
                                         [[maybe_unused]] Reserve const& reserve) {
        if constexpr (threads_merge<Format> && !exec::threads_take_runs<Space>) {
            auto const& a = work.context.a;
            auto const& rules = work.context.rules;
            auto const bins = row_bins::of(work.slots, work.row_count, work.arc_count);
            auto* const binned = reinterpret_cast<binned_arc*>(a.numbers); // and places
            launch(space, cover_threads(space, work.edge_count / count_bins<id_type>::edges_at_a_time),
                   count_bins<id_type>{rules, work.edges, work.edge_count, bins, a});
            launch(space,
                   cover_threads(space, work.arc_count / bin_arcs<id_type>::each,
                                 bin_arcs<id_type>::block_threads),
                   bin_arcs<id_type>{rules, work.edges, work.edge_count, bins, binned, a});
            launch(space, cover_blocks(space, bins.count),
                   reserve_binned_rows<Format, Reserve>{reserve, bins, binned});
            return bins.count;
        } else {
            return 0;
        }
    }

    template <bool Listed, class Space, class Heap, class Scratch>
    static void run_ordered(Space& space, Heap& heap, run_type const& work, Scratch& scratch) {
        if constexpr (!Erasing)
            if (!lists_arcs(work.graph_arcs, true)) return run_first<Listed>(space, heap, work, scratch);
        run_sorted<Listed>(space, heap, work, scratch);
    }

    /// The batch that loads a graph.
    template <bool Listed, class Space, class Heap, class Scratch>
    static void run_first(Space& space, Heap& heap, run_type const& begun, Scratch& scratch) {
        auto const [keys, s, work] = sort_arcs(space, begun, scratch);
        auto const& a = work.context.a;
        std::uint64_t const arcs = work.arc_count;
        auto const each_arc = cover_threads(space, arcs + 1);
        auto const each_row = cover_threads(space, a.rows_at_most);
        using ref_type = typename Heap::ref_type;
        launch(space, each_arc, judge_arcs<Format, false, true>{keys, arcs, s, work.context});
        add_up_marks(space, scratch, s.changes, arcs);
        grow_before(space, heap, work, each_row,
                    measure_sorted_rows<Format, ref_type>{heap.ref(), work.context.rows, s, &a.all->now});
        launch(
            space, each_row,
            reserve_sorted_rows<Format, ref_type, false, Listed, false>{heap.ref(), work.context.rows, s, a});
        if constexpr (Listed) {
            if (work.bulk.in_use()) obtain_bulk(space, heap.ref(), work, scratch, {}, nullptr);
            obtain(space, heap.ref(), work, a.listed, nullptr);
        }
        static_cast<void>(decide(space, work));
        launch(space, each_row, commit_first_rows<Format, ref_type>{heap.ref(), work.context});
        launch(space, each_arc, place_first_arcs<Format>{keys, s, work.context});
        report<Format, Erasing>(space, work);
    }

    template <bool Listed, class Space, class Heap, class Scratch>
    static void run_sorted(Space& space, Heap& heap, run_type const& begun, Scratch& scratch) {
        auto const [keys, s, work] = sort_arcs(space, begun, scratch);
        auto const& a = work.context.a;
        std::uint64_t const arcs = work.arc_count;
        auto const each_arc = cover_threads(space, arcs + 1);
        launch(space, each_arc, judge_arcs<Format, Erasing>{keys, arcs, s, work.context});
        add_up_marks(space, scratch, s.changes, arcs);
        launch(space, each_arc, list_arcs<id_type, has_values>{keys, s, a});
        launch(space, each_arc, list_places<id_type, has_values>{s.changes, a});
        auto const each_row = cover_threads(space, a.rows_at_most);
        using ref_type = typename Heap::ref_type;
        if constexpr (!Erasing)
            grow_before(space, heap, work, each_row,
                        measure_sorted_rows<Format, ref_type>{heap.ref(), work.context.rows, s, &a.all->now});
        launch(space, each_row,
               reserve_sorted_rows<Format, ref_type, Erasing, Listed>{heap.ref(), work.context.rows, s, a});
        if constexpr (Listed) {
            if (work.bulk.in_use()) obtain_bulk(space, heap.ref(), work, scratch, {}, s.pieces);
            obtain(space, heap.ref(), work, a.listed, s.pieces);
        }
        static_cast<void>(decide(space, work));
        if constexpr (has_values && !Erasing)
            launch(space, each_arc, update_values<Format>{keys, s, work.context});
        launch(space, exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most),
               move_small_rows<Format, Erasing>{work.context});
        launch(space, cover_blocks(space, a.rows_at_most + (arcs + work.graph_arcs) / a.piece_degree),
               move_pieces<Format, Erasing>{s.pieces, work.context});
        finish<Listed>(space, heap.ref(), work);
    }
};

} // namespace rhizome::graph::batch
