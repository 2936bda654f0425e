// SPDX-License-Identifier: Apache-2.0
// The triangles of each vertex.
#pragma once

#include <rhizome/algorithms/detail/symmetric_copy.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {
namespace detail {

/// For each arc u -> v with u < v: finds the common neighbours w > v, by looking up those of the shorter row
/// in the longer one, and adds the triangle to all three vertices. Rows ascend and are contiguous.
template <class View>
struct count_at_vertices {
    using id_type = typename View::id_type;
    using rows_type = graph::out_rows<View>;

    rows_type rows;
    graph::basic_row_schedule<id_type> schedule;
    std::uint64_t* counts; ///< per vertex; 0 before
    std::uint64_t* total;  ///< 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t all = 0;
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type u, auto const& row, std::uint64_t begin, std::uint64_t end) {
                std::uint64_t own = 0; // of u
                row.for_each(group, begin, end, [&](std::uint64_t, id_type v) {
                    if (v <= u) return;
                    std::uint64_t const found = around(thread, row, rows(v), v);
                    if (found != 0) (void)thread.device(counts[v]).fetch_add(found, exec::order::relaxed);
                    own += found;
                });
                if (own != 0) (void)thread.device(counts[u]).fetch_add(own, exec::order::relaxed);
                all += own;
            });
        exec::add_to_total(thread, *total, all);
    }

private:
    /// The number of ids greater than v in both rows; each gets one more triangle.
    template <class Thread, class Row>
    RZ_HD std::uint64_t around(Thread const& thread, Row const& first, Row const& second, id_type v) const {
        Row const& shorter = first.size() < second.size() ? first : second;
        Row const& longer = first.size() < second.size() ? second : first;
        std::uint64_t place = position(longer, 0, v);
        std::uint64_t found = 0;
        for (std::uint64_t i = position(shorter, 0, v); i < shorter.size() && place < longer.size(); ++i) {
            id_type const w = shorter[i];
            place = position(longer, place, w - 1);
            if (place < longer.size() && longer[place] == w) {
                (void)thread.device(counts[w]).fetch_add(1, exec::order::relaxed);
                ++found;
            }
        }
        return found;
    }
    /// The first place, from `from` on, of an id greater than `id`.
    template <class Row>
    [[nodiscard]] static RZ_HD std::uint64_t position(Row const& row, std::uint64_t from, id_type id) {
        std::uint64_t low = from;
        std::uint64_t high = row.size();
        while (low < high) {
            std::uint64_t const middle = low + (high - low) / 2;
            if (row[middle] > id)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    }
};

} // namespace detail

/// Counts, for each vertex, the triangles of the underlying simple undirected graph that it is a corner of;
/// directions and self-loops do not matter. triangle_counter is faster where the sum is wanted alone.
///
/// Scratch, kept between counts: 16 bytes per piece of the rows of more than 128 arcs. For views whose rows
/// do not ascend in one piece each, and for directed ones, also a symmetric copy, as in triangle_counter.
template <class Space>
class local_triangles {
public:
    /// Allocates a few bytes; count() allocates the rest of the scratch. Throws out_of_memory. `scratch`: as
    /// in triangle_counter.
    explicit local_triangles(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), symmetric_(space, scratch), scheduler_(space, scratch),
          total_(std::move(space), scratch) {}

    /// Writes the numbers of triangles to `counts`, one per vertex id, in the memory of the space. Returns
    /// the number of triangles of the view, a third of their sum. Waits. Preconditions: the view's memory
    /// lies in this space, and the view has no parallel arcs; its ids must have 32 bits, which is checked at
    /// compile time. Throws std::invalid_argument for a view that is not symmetric unless options.symmetrize,
    /// and out_of_memory.
    ///
    /// Cost: for each edge a search in the longer of two rows for each id of the shorter one, so
    /// O(edges^1.5 * log) at most.
    template <graph::graph_view View>
    std::uint64_t count(View const& view, std::uint64_t* counts, triangle_options const& options = {}) {
        return count_in(graph::untyped(view), counts, options);
    }

private:
    template <class View>
    std::uint64_t count_in(View const& view, std::uint64_t* counts, triangle_options const& options) {
        static_assert(sizeof(typename View::id_type) == sizeof(graph::vertex_id),
                      "the ids of the view must have 32 bits");
        if (!view.symmetric() && !options.symmetrize)
            throw std::invalid_argument(
                "triangles: the graph is directed; triangles are counted in undirected "
                "graphs, or in a symmetric copy on request");
        if (view.vertex_count() == 0) return 0;
        if constexpr (View::sorted && graph::range_of_rows<graph::out_rows<View>>::contiguous)
            if (view.symmetric()) return count_symmetric(view, counts);
        return count_symmetric(symmetric_.of(space_, view), counts);
    }

    template <class View>
    std::uint64_t count_symmetric(View const& view, std::uint64_t* counts) {
        std::uint64_t const vertices = view.vertex_count();
        graph::out_rows<View> const rows{view};
        auto const schedule = scheduler_.plan(space_, rows, graph::all_vertices<graph::vertex_id>{vertices});
        auto* const total = total_.template at_least_of<std::uint64_t>(1);
        space_.fill(total, 0, sizeof(*total));
        space_.fill(counts, 0, vertices * sizeof(*counts));
        launch(space_, cover_rows(space_, schedule),
               detail::count_at_vertices<View>{rows, schedule, counts, total});
        std::uint64_t found = 0;
        space_.copy_out(&found, total, sizeof(found));
        return found;
    }

    Space space_;
    detail::symmetric_copy<Space> symmetric_;
    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> total_;
};

} // namespace rhizome::algorithms
