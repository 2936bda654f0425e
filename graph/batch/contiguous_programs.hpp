// The programs of a batch over contiguous rows, one after the other.
#pragma once

#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/apply.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/count_arcs.hpp>
#include <rhizome/graph/batch/finish.hpp>
#include <rhizome/graph/batch/measure.hpp>
#include <rhizome/graph/batch/reserve.hpp>
#include <rhizome/graph/batch/scratch.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/batch/sort_arcs.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

template <class Layout, class Format, bool Erasing>
struct contiguous_programs {
    using id_type = typename Format::id_type;
    static constexpr bool has_values = Format::has_values;
    using run_type = batch_run<Format>;
    using arrays_type = arrays<id_type, has_values>;

    template <class Space, class Heap, class Scratch>
    static void run(Space& space, Heap& heap, run_type const& work, Scratch& scratch, bool sorting) {
        // Worth its launches where the device is full of requests. A host's threads have one lane each.
        bool const listing =
            space.max_block_threads() > 1 && work.arc_count >= space.concurrency() / tuning::listing_share;
        if (listing)
            run_all<true>(space, heap, work, scratch, sorting);
        else
            run_all<false>(space, heap, work, scratch, sorting);
    }

private:
    template <bool Listed, class Space, class Heap, class Scratch>
    static void run_all(Space& space, Heap& heap, run_type const& work, Scratch& scratch, bool sorting) {
        if (sorting)
            run_sorted<Listed>(space, heap, work, scratch);
        else
            run_counted<Listed>(space, heap.ref(), work);
        auto const& a = work.context.a;
        auto const ref = heap.ref();
        using ref_type = typename Heap::ref_type;
        auto const each_row = cover_threads(space, a.rows_at_most);
        launch(space, each_row,
               finish_rows<Layout, Format, ref_type, Erasing, Listed>{ref, work.slots, work.context});
        if constexpr (Listed) {
            list(space, each_row, leaving_segments<Format, arrays_type>{a}, a.zeros->freed, a.places);
            launch(space, each_row, free_listed<ref_type, arrays_type>{ref, a.places, a});
        }
    }

    template <class Space, class Items>
    static void list(Space& space, exec::launch_shape const& shape, Items const& items, size_counts& counts,
                     std::uint32_t* numbers) {
        launch(space, shape, list_by_size<Items>{items, &counts, numbers});
    }
    /// The allocator serves what was noted; the list lies where nothing else does by then.
    template <bool Sorted, class Space, class AllocatorRef>
    static void obtain(Space& space, AllocatorRef const& ref, run_type const& work, std::uint32_t* numbers,
                       row_piece* pieces) {
        auto const& a = work.context.a;
        auto const each_row = cover_threads(space, a.rows_at_most);
        using reserver = row_reserver<Layout, Format, AllocatorRef, Erasing>;
        list(space, each_row, waiting_segments<reserver, arrays_type>{a}, a.zeros->asked, numbers);
        launch(space, each_row,
               obtain_listed<Layout, Format, AllocatorRef, Erasing, Sorted>{ref, numbers, work.context.rows,
                                                                            pieces, a});
    }

    template <bool Listed, class Space, class AllocatorRef>
    static void run_counted(Space& space, AllocatorRef const& ref, run_type const& work) {
        auto const& a = work.context.a;
        auto const& rules = work.context.rules;
        launch(space, cover_threads(space, work.edge_count),
               count_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
        launch(space, cover_threads(space, work.arc_count),
               reserve_rows<Layout, Format, AllocatorRef, Erasing, Listed>{
                   ref, rules, work.edges, work.arc_count, work.context.rows, work.slots, a});
        if constexpr (Listed) obtain<false>(space, ref, work, a.places, nullptr);
        launch(space, cover_threads(space, work.edge_count),
               scatter_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
        launch(space, exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most),
               merge_small_rows<Layout, Format, Erasing>{work.context});
        launch(space, cover_blocks(space, a.rows_at_most),
               merge_heavy_rows<Layout, Format, Erasing>{work.context});
    }

    template <bool Listed, class Space, class Heap, class Scratch>
    static void run_sorted(Space& space, Heap& heap, run_type const& work, Scratch& scratch) {
        auto const& a = work.context.a;
        std::uint64_t const arcs = work.arc_count;
        auto const each_arc = cover_threads(space, arcs + 1);
        sorted_arcs<id_type> const sorted = sort_arcs(space, work, scratch);
        sorting_arrays<id_type> const& s = sorted.s;
        packed_keys<id_type> const& keys = sorted.keys;
        launch(space, each_arc, judge_arcs<Format, Erasing>{keys, arcs, s, work.context});
        exclusive_scan(space, scratch.primitives, s.flags, s.changes_before, arcs + 1);
        launch(space, each_arc, list_arcs<id_type, has_values>{keys, s, a});
        auto const each_row = cover_threads(space, a.rows_at_most);
        using ref_type = typename Heap::ref_type;
        if constexpr (!Erasing)
            grow_before(space, heap, work, each_row,
                        measure_sorted_rows<Layout, Format, ref_type>{heap.ref(), keys, work.context.rows, s,
                                                                      &a.all->now});
        launch(space, each_row,
               reserve_sorted_rows<Layout, Format, ref_type, Erasing, Listed>{heap.ref(), keys,
                                                                              work.context.rows, s, a});
        if constexpr (Listed) obtain<true>(space, heap.ref(), work, a.listed, s.pieces);
        if constexpr (has_values && !Erasing)
            launch(space, each_arc, update_values<Format>{keys, arcs, s, work.context});
        launch(space, exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most),
               move_small_rows<Layout, Format, Erasing>{work.context});
        launch(space, cover_blocks(space, a.rows_at_most + (arcs + work.graph_arcs) / tuning::piece_degree),
               move_pieces<Layout, Format, Erasing>{s.pieces, work.context});
    }
};

} // namespace rhizome::graph::batch
