// The programs of a batch over contiguous rows, one after the other.
#pragma once

#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/apply.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/count_arcs.hpp>
#include <rhizome/graph/batch/measure.hpp>
#include <rhizome/graph/batch/reserve.hpp>
#include <rhizome/graph/batch/scratch.hpp>
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

    template <class Space, class Heap, class Scratch>
    static void run(Space& space, Heap& heap, run_type const& work, Scratch& scratch, bool sorting) {
        if (sorting)
            run_sorted(space, heap, work, scratch);
        else
            run_counted(space, heap.ref(), work);
        launch(space, cover_threads(space, work.context.a.rows_at_most),
               finish_rows<Layout, Format, typename Heap::ref_type, Erasing>{heap.ref(), work.slots,
                                                                             work.context});
    }

private:
    template <class Space, class AllocatorRef>
    static void run_counted(Space& space, AllocatorRef const& ref, run_type const& work) {
        auto const& a = work.context.a;
        auto const& rules = work.context.rules;
        launch(space, cover_threads(space, work.edge_count),
               count_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
        launch(space, cover_threads(space, work.arc_count),
               reserve_rows<Layout, Format, AllocatorRef, Erasing>{ref, rules, work.edges, work.arc_count,
                                                                   work.context.rows, work.slots, a});
        launch(space, cover_threads(space, work.edge_count),
               scatter_arcs<id_type, has_values>{rules, work.edges, work.edge_count, work.slots, a});
        launch(space, exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most),
               merge_small_rows<Layout, Format, Erasing>{work.context});
        launch(space, cover_blocks(space, a.rows_at_most),
               merge_heavy_rows<Layout, Format, Erasing>{work.context});
    }

    template <class Space, class Heap, class Scratch>
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
               reserve_sorted_rows<Layout, Format, ref_type, Erasing>{heap.ref(), keys, work.context.rows, s,
                                                                      a});
        if constexpr (has_values && !Erasing)
            launch(space, each_arc, update_values<Format>{keys, arcs, s, work.context});
        launch(space, exec::cover_tiles<tuning::row_tile>(space, a.rows_at_most),
               move_small_rows<Layout, Format, Erasing>{work.context});
        launch(space, cover_blocks(space, a.rows_at_most + (arcs + work.graph_arcs) / tuning::piece_degree),
               move_pieces<Layout, Format, Erasing>{s.pieces, work.context});
    }
};

} // namespace rhizome::graph::batch
