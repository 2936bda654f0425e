// SPDX-License-Identifier: Apache-2.0
// Triangle counting, exact.
#pragma once

#include <rhizome/algorithms/detail/symmetric_copy.hpp>
#include <rhizome/algorithms/detail/triangle_marks.hpp>
#include <rhizome/algorithms/detail/triangle_sets.hpp>
#include <rhizome/algorithms/detail/triangle_short_rows.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {

/// Options of triangle_counter::count().
struct triangle_options {
    bool symmetrize = false; ///< true: count a directed graph in a symmetric copy; false: refuse it
};

/// Counts the triangles of the underlying simple undirected graph; directions and self-loops do not matter.
///
/// Scratch, kept between counts: none if all rows are sorted, contiguous and have at most 64 neighbours;
/// otherwise about 4 bytes per arc and 64 per vertex. A symmetric copy takes another 40 bytes per arc of the
/// directed graph and 20 per vertex. It has up to twice as many arcs as that graph, and the scratch for
/// counting grows with them.
///
/// SetWords: 32-bit words of shared memory in which a block keeps a set of neighbours. Leave the default.
/// Tests use small sets, so that small graphs reach the code for large ones.
template <class Space, std::uint32_t SetWords = tuning::triangle_block_words>
class triangle_counter {
public:
    /// Allocates a few bytes; count() allocates the rest of the scratch. Throws out_of_memory.
    ///
    /// `scratch`: source of all memory of this object; nullptr: the space. The budget of the space counts
    /// these bytes either way. The resource must outlive this object.
    explicit triangle_counter(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), symmetric_(space, scratch), scheduler_(space, scratch), degrees_(space, scratch),
          begins_(space, scratch), keys_(space, scratch), rows_(space, scratch), ends_(space, scratch),
          neighbours_(space, scratch), items_(space, scratch), primitives_(space, scratch),
          state_(std::move(space), scratch) {
        space_.fill(kept(), 0, sizeof(state));
    }

    /// Returns the number of triangles of the view. Waits. Preconditions: the view's memory lies in this
    /// space, and the view has no parallel arcs. Its ids must have 32 bits, which is checked at compile time.
    /// Throws std::invalid_argument for a view that is not symmetric unless options.symmetrize, and
    /// out_of_memory.
    ///
    /// Cost: one launch and one wait if rows are sorted and contiguous and no vertex has more than 64
    /// neighbours. Otherwise O(edges^1.5) in the worst case, with long rows split among warps and blocks, and
    /// two more waits. A symmetric copy takes two more waits.
    template <graph::graph_view View>
    [[nodiscard]] std::uint64_t count(View const& view, triangle_options const& options = {}) {
        return count_in(graph::untyped(view), options);
    }

private:
    template <class View>
    [[nodiscard]] std::uint64_t count_in(View const& view, triangle_options const& options);

    struct state {
        detail::triangle_total total;
        graph::row_totals rows;
        detail::around_lists::counts around;
    };

    /// In the memory of the space.
    [[nodiscard]] state* kept() { return state_.template at_least_of<state>(1); }

    /// Precondition: no row contains a neighbour twice, and every arc has its reverse.
    template <class View>
    [[nodiscard]] std::uint64_t count_symmetric(View const& view) {
        if constexpr (View::sorted && graph::range_of_rows<graph::out_rows<View>>::contiguous) {
            auto* const total = &kept()->total;
            if constexpr (Space::tile_lanes(32) == 1)
                launch(space_, cover_threads(space_, view.vertex_count() / tuning::triangle_strip_rows),
                       detail::count_by_marks<View, std::min(SetWords, tuning::triangle_marks)>{view, total});
            else
                launch(space_, cover_threads(space_, view.vertex_count()),
                       detail::count_around_short_rows<View>{view, total, last_.long_rows});
            detail::triangle_total const grown = growth();
            if (grown.long_rows == 0) return grown.triangles;
        }
        return count_in_sets(view);
    }

    template <class View>
    [[nodiscard]] std::uint64_t count_in_sets(View const& view) {
        std::uint64_t const vertices = view.vertex_count();
        graph::row_totals totals{};
        graph::out_rows<View> const rows{view};
        graph::row_schedule const schedule = survey(rows, totals);

        auto* const placed = rows_.template at_least_of<detail::oriented_row>(vertices);
        auto* const ends = ends_.template at_least_of<std::uint64_t>(vertices);
        detail::oriented_rows const oriented{
            placed, ends, neighbours_.template at_least_of<detail::degree_rank>(totals.arcs)};
        std::uint64_t const capacity = detail::around_lists::capacity_for(vertices, totals.arcs);
        detail::around_lists const lists{items_.template at_least_of<detail::around_vertex>(capacity),
                                         capacity, &kept()->around};
        space_.fill(lists.count, 0, sizeof(*lists.count));
        auto const packing = detail::degree_packing::of(vertices, vertices);
        std::uint64_t const* const sorted = sort_keys(space_, primitives_, keys(vertices),
                                                      keys(vertices) + vertices, vertices, packing.bits());
        detail::degree_rank* const ranks = degrees(vertices); // the degrees are no longer needed
        launch(space_, cover_threads(space_, vertices),
               detail::write_ranks{packing, sorted, begins(vertices), ranks, placed, ends});
        launch(space_, cover_rows(space_, schedule),
               detail::orient_rows<graph::out_rows<View>, detail::ranks_of_all>{
                   rows, schedule, {ranks}, oriented});
        launch(space_, cover_threads(space_, vertices),
               detail::list_around<detail::oriented_rows>{vertices, oriented, lists});
        auto* const total = &kept()->total;
        launch(space_, exec::cover_blocks(space_, capacity),
               detail::count_around_by_blocks<SetWords, detail::oriented_rows>{{oriented}, lists, total});
        launch(space_, exec::cover_tiles<32>(space_, capacity),
               detail::count_around_by_warps<detail::oriented_rows>{{oriented}, lists, total});
        return growth().triangles;
    }

    /// Writes degrees and sorting keys, and the offsets that the rows would have in one array. Plans which
    /// threads visit which rows. Waits.
    template <class Rows>
    [[nodiscard]] graph::row_schedule survey(Rows const& rows, graph::row_totals& totals) {
        std::uint64_t const vertices = rows.view.vertex_count();
        auto* const device_totals = &kept()->rows;
        space_.fill(device_totals, 0, sizeof(totals));
        launch(space_, cover_threads(space_, vertices + 1),
               detail::write_degrees<Rows>{rows, detail::degree_packing::of(vertices, vertices),
                                           degrees(vertices), keys(vertices), device_totals});
        exclusive_scan(space_, primitives_, degrees(vertices), begins(vertices), vertices + 1);
        space_.copy_out(&totals, device_totals, sizeof(totals));
        return scheduler_.plan_counted(space_, rows, graph::all_vertices<graph::vertex_id>{vertices}, totals,
                                       device_totals);
    }

    [[nodiscard]] std::uint32_t* degrees(std::uint64_t vertices) {
        return degrees_.template at_least_of<std::uint32_t>(vertices + 1);
    }
    [[nodiscard]] std::uint64_t* begins(std::uint64_t vertices) {
        return begins_.template at_least_of<std::uint64_t>(vertices + 1);
    }
    [[nodiscard]] std::uint64_t* keys(std::uint64_t vertices) {
        return keys_.template at_least_of<std::uint64_t>(2 * vertices);
    }

    /// By how much the totals have grown since the last call.
    [[nodiscard]] detail::triangle_total growth() {
        detail::triangle_total const before = last_;
        space_.copy_out(&last_, &kept()->total, sizeof(last_));
        return {last_.triangles - before.triangles, last_.long_rows - before.long_rows};
    }

    Space space_;
    detail::symmetric_copy<Space> symmetric_;
    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> degrees_;
    exec::workspace<Space> begins_;
    exec::workspace<Space> keys_;
    exec::workspace<Space> rows_;
    exec::workspace<Space> ends_;
    exec::workspace<Space> neighbours_;
    exec::workspace<Space> items_;
    exec::workspace<Space> primitives_;
    exec::workspace<Space> state_; ///< kept()
    detail::triangle_total last_{};
};

template <class Space, std::uint32_t SetWords>
template <class View>
std::uint64_t triangle_counter<Space, SetWords>::count_in(View const& view, triangle_options const& options) {
    static_assert(sizeof(typename View::id_type) == sizeof(graph::vertex_id),
                  "triangles are counted by ranks of 32 bits: the ids of the view must have 32 bits too");
    if (!view.symmetric() && !options.symmetrize)
        throw std::invalid_argument("triangles: the graph is directed; triangles are counted in undirected "
                                    "graphs, or in a symmetric copy on request");
    if (view.vertex_count() == 0) return 0;
    if (!view.symmetric()) return count_symmetric(symmetric_.of(space_, view));
    return count_symmetric(view);
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
