// SPDX-License-Identifier: Apache-2.0
// The steps of a batch over rows in several pages, one after the other.
#pragma once

#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/decision.hpp>
#include <rhizome/graph/batch/plan/count_arcs.hpp>
#include <rhizome/graph/batch/plan/measure.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>
#include <rhizome/graph/batch/report.hpp>
#include <rhizome/graph/layout/chained/chained_rows.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

template <class Format, bool Erasing>
struct chained_steps {
    using id_type = typename Format::id_type;
    static constexpr bool has_values = Format::has_values;
    using run_type = batch_run<Format>;
    using context_type = chain_context<Format>;

    /// Whether the arrays with one entry per arc are used.
    [[nodiscard]] static constexpr bool lists_arcs(std::uint64_t, bool) { return true; }
    /// As in contiguous_steps.
    static constexpr bool keeps_keys = false;
    template <class Space>
    [[nodiscard]] static constexpr bool orders_arcs(bool, bool) {
        return false;
    }

    template <class Space, class Heap, class Scratch>
    static void run(Space& space, Heap& heap, run_type const& work, Scratch& scratch, bool sorting) {
        context_type context = scratch.template cut_for_chains<Format>(work.context, work.arc_count);
        // Arcs that others replace have places, and no notes of their own.
        if (context.notes.wanted()) space.fill(context.notes.kinds, 0, work.arc_count);
        std::uint32_t const rows_at_most = context.a.rows_at_most;
        auto const blocks = cover_blocks(space, rows_at_most);
        auto const tiles = exec::cover_tiles<tuning::row_tile>(space, rows_at_most);
        if (sorting)
            place_sorted(space, work, scratch, context);
        else
            place_counted(space, work, context);
        launch(space, tiles, judge_small_chains<Format, Erasing>{context});
        if (sorting)
            launch(space, blocks, judge_heavy_chains<Format, Erasing, true>{context});
        else
            launch(space, blocks, judge_heavy_chains<Format, Erasing, false>{context});
        // Erasing asks for no pages, and a batch that is called off must not list the pages that rows would
        // lose.
        if (!Erasing || decide(space, work))
            launch(space, cover_threads(space, rows_at_most), list_pages<Format, Erasing>{context});
        auto const each_page = cover_threads(
            space,
            std::max<std::uint64_t>(rows_at_most, context_type::pages_at_most(work.arc_count, rows_at_most)));
        using ref_type = typename Heap::ref_type;
        if constexpr (!Erasing) {
            grow_before(space, heap, work, each_page, measure_pages<Format, ref_type>{heap.ref(), context});
            launch(space, each_page, obtain_pages<Format, ref_type>{heap.ref(), context});
            static_cast<void>(decide(space, work));
        }
        launch(space, tiles, change_small_chains<Format, Erasing>{context});
        launch(space, blocks, change_heavy_chains<Format, Erasing>{context});
        launch(space, each_page, finish_chains<Format, ref_type>{heap.ref(), work.slots, context});
        report<Format, Erasing>(space, work);
    }

private:
    template <class Space>
    static void place_counted(Space& space, run_type const& work, context_type const& context) {
        auto const& a = context.a;
        launch(space, cover_threads(space, work.edge_count),
               count_arcs<id_type, has_values>{context.rules, work.edges, work.edge_count, work.slots, a});
        launch(space, cover_threads(space, work.arc_count),
               place_chains<Format>{work.edges, work.arc_count, work.slots, context});
        launch(space, cover_threads(space, work.edge_count),
               scatter_arcs<id_type, has_values>{context.rules, work.edges, work.edge_count, work.slots, a});
    }
    /// The context has the arrays that are in use from then on.
    template <class Space, class Scratch>
    static void place_sorted(Space& space, run_type const& work, Scratch& scratch, context_type& context) {
        std::uint64_t const arcs = work.arc_count;
        auto const [keys, s, sorted] = sort_arcs(space, work, scratch);
        context.a = sorted.context.a;
        auto const each_arc = cover_threads(space, arcs + 1);
        launch(space, each_arc, mark_distinct<id_type>{keys, arcs, s, &context.a.all->now});
        add_up_marks(space, scratch, s.changes, arcs);
        launch(space, each_arc, list_arcs<id_type, has_values>{keys, s, context.a});
        launch(space, cover_threads(space, context.a.rows_at_most), place_sorted_chains<Format>{s, context});
    }
};

} // namespace rhizome::graph::batch
