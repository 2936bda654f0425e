// SPDX-License-Identifier: Apache-2.0
// Which threads visit which rows of a graph, so that no thread visits a long row alone.
//
// A kernel that visits all arcs of some vertices has rows of very different lengths. A row of at most
// tuning::light_degree arcs goes to a tile of tuning::row_tile lanes. A longer one is cut into pieces of
// tuning::piece_arcs arcs, and each piece goes to a warp. The pieces are listed once, before the kernel:
//
//     graph::row_scheduler<Space> scheduler(space);                         // keeps its memory between plans
//     graph::out_rows<View> const rows{view};                               // or in_rows
//     auto const schedule = scheduler.plan(space, rows, graph::listed_vertices<Id>{ids, count});
//     launch(space, cover_rows(space, schedule), my_kernel{rows, schedule});
//
// and in the kernel, in all threads:
//
//     graph::for_each_row_piece(thread, rows, schedule,
//         [&](auto const& group, Id v, auto const& row, std::uint64_t begin, std::uint64_t end) {
//             row.for_each(group, begin, end, [&](std::uint64_t i, Id target) { ... });
//         });
//
// If edges have values, view.for_each_edge(group, v, begin, end, function) gives each arc with its value
// (with in_rows: view.for_each_in_edge).
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::graph {

/// The vertices whose rows a kernel visits. These are the vertices chosen[i] for each i from 0 to count - 1
/// for which includes(i) is true. Trivially copyable. Arrays that it points to lie in the memory of the
/// space, and do not change while the schedule is used.
template <class Chosen>
concept chosen_vertices = std::is_trivially_copyable_v<Chosen> &&
    requires(Chosen const chosen, std::uint64_t i) {
    typename Chosen::id_type;
    { chosen.count } -> std::convertible_to<std::uint64_t>;
    { chosen.includes(i) } -> std::same_as<bool>;
    { chosen[i] } -> std::same_as<typename Chosen::id_type>;
};

/// The vertices 0 to count - 1.
template <class Id>
struct all_vertices {
    using id_type = Id;
    std::uint64_t count;

    [[nodiscard]] RZ_HD bool includes(std::uint64_t) const { return true; }
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return static_cast<Id>(i); }
};

/// The vertices ids[0] to ids[count - 1], in any order. Precondition: each id is less than the view's
/// vertex_count(). If the list repeats a vertex, its row is visited once per repetition.
template <class Id>
struct listed_vertices {
    using id_type = Id;
    Id const* ids;
    std::uint64_t count;

    [[nodiscard]] RZ_HD bool includes(std::uint64_t) const { return true; }
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return ids[i]; }
};

/// The vertices whose bits are set. The bit of v is bit v % 32 of bits[v / 32]. `count`: length of the mask
/// in bits, at most the view's vertex_count(). Bits from `count` on are ignored. Every bit is tested: use
/// listed_vertices if few bits are set.
template <class Id>
struct masked_vertices {
    using id_type = Id;
    std::uint32_t const* bits;
    std::uint64_t count;

    [[nodiscard]] RZ_HD bool includes(std::uint64_t i) const { return (bits[i / 32] >> (i % 32) & 1) != 0; }
    [[nodiscard]] RZ_HD Id operator[](std::uint64_t i) const { return static_cast<Id>(i); }
};

static_assert(chosen_vertices<all_vertices<vertex_id>> && chosen_vertices<listed_vertices<vertex_id>> &&
              chosen_vertices<masked_vertices<vertex_id>>);

/// Whether a row of `arcs` arcs is light: at most tuning::light_degree arcs. One tile walks the whole row.
[[nodiscard]] inline RZ_HD bool is_light_row(std::uint64_t arcs) { return arcs <= tuning::light_degree; }
/// The number of pieces into which a row of `arcs` arcs is cut; 0 if it is light.
[[nodiscard]] inline RZ_HD std::uint64_t pieces_of_row(std::uint64_t arcs) {
    return is_light_row(arcs) ? 0 : (arcs + tuning::piece_arcs - 1) / tuning::piece_arcs;
}

/// One piece of a row that is not light. The pieces of a row are next to each other in the list, in order.
template <class Id>
struct alignas(16) basic_row_piece {
    Id row;               ///< id of the vertex whose row this is
    std::uint32_t number; ///< number of this piece among those of the row, from 0
    std::uint32_t count;  ///< number of pieces of the row

    /// The first arc of the piece.
    [[nodiscard]] RZ_HD std::uint64_t begin() const { return number * tuning::piece_arcs; }
    /// One past the last arc of the piece. `arcs`: length of the row.
    [[nodiscard]] RZ_HD std::uint64_t end(std::uint64_t arcs) const {
        return number + 1 == count ? arcs : begin() + tuning::piece_arcs;
    }
};

/// The chosen vertices, and the pieces of their rows that are not light. Passed to kernels by value. Valid
/// until the graph changes, and until the next plan of its row_scheduler.
template <class Id, chosen_vertices Chosen = all_vertices<Id>>
struct basic_row_schedule {
    Chosen chosen;                     ///< the vertices
    basic_row_piece<Id> const* pieces; ///< in the memory of the space; nullptr: none
    std::uint64_t piece_count;         ///< number of pieces
};
/// A schedule for the rows of all vertices, with 32-bit ids.
using row_schedule = basic_row_schedule<vertex_id>;

/// Sums over the chosen rows. Kernels add to them in the memory of the space; row_scheduler::plan() copies
/// them to the host.
struct row_totals {
    std::uint64_t arcs;   ///< sum of the lengths of the chosen rows
    std::uint64_t pieces; ///< number of pieces of the rows that are not light
    std::uint64_t listed; ///< number of pieces that are in the list so far

    /// Adds the sums of the counts of all threads of a block. All threads of the block must call it.
    template <class Thread>
    RZ_HD void add(Thread const& thread, exec::block_sum_storage<std::uint64_t>& storage,
                   std::uint64_t more_arcs, std::uint64_t more_pieces) {
        std::uint64_t const all_arcs = exec::block_exclusive_sum(thread, storage, more_arcs).total;
        std::uint64_t const all_pieces = exec::block_exclusive_sum(thread, storage, more_pieces).total;
        if (thread.block().rank() != 0) return;
        if (all_arcs != 0) thread.device(arcs).fetch_add(all_arcs, exec::order::relaxed);
        if (all_pieces != 0) thread.device(pieces).fetch_add(all_pieces, exec::order::relaxed);
    }
};

/// Calls walk(group, v, row, begin, end) for each piece of the schedule, and for each light row that has
/// arcs. `row` is rows(v). All lanes of a group (a tile or a warp) make the call together, and share the
/// arcs `begin` to `end` - 1, at most tuning::piece_arcs of them. Each arc of the chosen vertices is in
/// exactly one such call. The calls come in any order. All threads of the grid must call this function; the
/// grid may have any shape, and cover_rows() returns a suitable one.
template <class Thread, class Rows, class Chosen, class Walk>
RZ_HD void for_each_row_piece(Thread const& thread, Rows const& rows,
                              basic_row_schedule<typename Rows::id_type, Chosen> const& schedule,
                              Walk&& walk) {
    using id_type = typename Rows::id_type;
    auto const warp = thread.warp();
    exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
        basic_row_piece<id_type> const piece = schedule.pieces[i];
        auto const row = rows(piece.row);
        walk(warp, piece.row, row, piece.begin(), piece.end(row.size()));
    });
    auto const tile = thread.tile(exec::width<tuning::row_tile>);
    exec::for_each_group_item(tile, schedule.chosen.count, [&](std::uint64_t i) {
        if (!schedule.chosen.includes(i)) return;
        id_type const v = schedule.chosen[i];
        auto const row = rows(v);
        std::uint64_t const size = row.size();
        if (size != 0 && is_light_row(size)) walk(tile, v, row, std::uint64_t{0}, size);
    });
}

/// The shape of a launch for for_each_row_piece(): one tile per entry of `chosen` and one warp per piece, at
/// most space.concurrency() threads.
template <class Space, class Id, class Chosen>
[[nodiscard]] exec::launch_shape cover_rows(Space const& space,
                                            basic_row_schedule<Id, Chosen> const& schedule) {
    return exec::cover_tiles<tuning::row_tile>(
        space, schedule.chosen.count + schedule.piece_count * (space.tile_lanes(32) / space.tile_lanes(8)));
}

namespace detail {

/// Counts the arcs and pieces of the rows of some vertices.
template <class Rows, class Chosen>
struct count_rows {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };
    Rows rows;
    Chosen chosen;
    row_totals* totals;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        exec::for_each_item(thread, chosen.count, [&](std::uint64_t i) {
            if (!chosen.includes(i)) return;
            std::uint64_t const size = rows(chosen[i]).size();
            arcs += size;
            pieces += pieces_of_row(size);
        });
        totals->add(thread, thread.block().storage().sums, arcs, pieces);
    }
};

/// Lists the pieces of the rows; the rows come in any order.
template <class Rows, class Chosen>
struct list_pieces {
    using id_type = typename Rows::id_type;

    Rows rows;
    Chosen chosen;
    row_totals* totals;
    basic_row_piece<id_type>* pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t const groups = (chosen.count + warp.size() - 1) / warp.size();
        exec::for_each_group_item(warp, groups, [&](std::uint64_t group) {
            std::uint64_t const i = group * warp.size() + warp.rank();
            bool const exists = i < chosen.count && chosen.includes(i);
            std::uint64_t const own = exists ? pieces_of_row(rows(chosen[i]).size()) : 0;
            std::uint64_t const all = warp.sum(own);
            if (all == 0) return;
            std::uint64_t first = 0;
            if (warp.rank() == 0) first = thread.device(totals->listed).fetch_add(all, exec::order::relaxed);
            first = warp.broadcast(first, 0) + warp.exclusive_scan(own);
            for (std::uint32_t lane = 0; lane < warp.size(); ++lane) {
                std::uint64_t const count = warp.broadcast(own, lane);
                std::uint64_t const place = warp.broadcast(first, lane);
                for (std::uint64_t k = warp.rank(); k < count; k += warp.size())
                    pieces[place + k] = {chosen[group * warp.size() + lane], static_cast<std::uint32_t>(k),
                                         static_cast<std::uint32_t>(count)};
            }
        });
    }
};

} // namespace detail

/// Plans schedules. Keeps its memory between calls: 24 bytes, and 16 bytes per piece of a row that is not
/// light, at most one piece per 129 arcs.
template <class Space>
class row_scheduler {
public:
    /// Allocates nothing; plan() does. `space` is that of the views. `scratch`: source of the memory;
    /// nullptr: the space. The resource must outlive the scheduler.
    explicit row_scheduler(Space space, exec::memory_resource* scratch = nullptr)
        : pieces_(space, scratch), totals_(std::move(space), scratch) {}

    /// Returns a schedule for the rows of the chosen vertices. Valid until the next call, and until the
    /// graph changes. If `found` (in host memory) is not nullptr, it receives the numbers of arcs and pieces
    /// of these rows. Throws out_of_memory. Cost: one launch that reads the length of each chosen row, and
    /// one wait of the host. If a row is not light, also a second such launch.
    template <class Rows, chosen_vertices Chosen>
    [[nodiscard]] basic_row_schedule<typename Rows::id_type, Chosen>
    plan(Space& space, Rows const& rows, Chosen const& chosen, row_totals* found = nullptr) {
        auto* const totals = totals_.template at_least_of<row_totals>(1);
        row_totals counted{};
        if (chosen.count != 0) {
            space.fill(totals, 0, sizeof(row_totals));
            launch(space, cover_threads(space, chosen.count),
                   detail::count_rows<Rows, Chosen>{rows, chosen, totals});
            space.copy_out(&counted, totals, sizeof(counted));
        }
        if (found != nullptr) *found = counted;
        return plan_counted(space, rows, chosen, counted, totals);
    }

    /// The same for a caller whose own kernel has already summed the rows with row_totals::add(). `totals`:
    /// these sums in the memory of the space, with listed == 0. `found`: a copy of them in host memory.
    /// Throws out_of_memory. Asynchronous, unless the memory for the pieces has to grow. Cost: nothing if
    /// all rows are light, otherwise one launch that reads the length of each chosen row.
    template <class Rows, chosen_vertices Chosen>
    [[nodiscard]] basic_row_schedule<typename Rows::id_type, Chosen>
    plan_counted(Space& space, Rows const& rows, Chosen const& chosen, row_totals const& found,
                 row_totals* totals) {
        using piece_type = basic_row_piece<typename Rows::id_type>;
        if (found.pieces == 0) return {chosen, nullptr, 0};
        auto* const pieces = pieces_.template at_least_of<piece_type>(found.pieces);
        launch(space, cover_threads(space, chosen.count),
               detail::list_pieces<Rows, Chosen>{rows, chosen, totals, pieces});
        return {chosen, pieces, found.pieces};
    }

private:
    exec::workspace<Space> pieces_;
    exec::workspace<Space> totals_;
};

} // namespace rhizome::graph
