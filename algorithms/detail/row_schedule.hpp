// Who walks which row: a few lanes each of the light ones, warps the pieces of the others.
#pragma once

#include <rhizome/algorithms/detail/rows.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// One of the pieces of a row that is not light. Those of a row lie side by side.
template <class Id>
struct alignas(16) basic_row_piece {
    Id row;
    std::uint32_t number; ///< of the pieces of its row
    std::uint32_t count;  ///< of them

    [[nodiscard]] RZ_HD std::uint64_t begin() const { return number * tuning::piece_arcs; }
    [[nodiscard]] RZ_HD std::uint64_t end(std::uint64_t size) const {
        return number + 1 == count ? size : begin() + tuning::piece_arcs;
    }
};

[[nodiscard]] inline RZ_HD bool is_light(std::uint64_t size) { return size <= tuning::light_degree; }
[[nodiscard]] inline RZ_HD std::uint64_t pieces_of(std::uint64_t size) {
    return is_light(size) ? 0 : (size + tuning::piece_arcs - 1) / tuning::piece_arcs;
}

/// In the memory of the space.
template <class Id>
struct basic_row_schedule {
    std::uint64_t vertices;
    basic_row_piece<Id> const* pieces;
    std::uint64_t piece_count;
};
using row_schedule = basic_row_schedule<graph::vertex_id>;

/// What a pass over the rows finds.
struct row_totals {
    std::uint64_t arcs;
    std::uint64_t pieces;
    std::uint64_t listed; ///< pieces, as they are named

    /// Adds what each thread of a block has found. Called by all of them.
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

/// Names the pieces of every row, in any order of the rows.
template <class Rows>
struct list_pieces {
    using id_type = typename Rows::id_type;

    Rows rows;
    std::uint64_t vertices;
    row_totals* totals;
    basic_row_piece<id_type>* pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, (vertices + warp.size() - 1) / warp.size(), [&](std::uint64_t group) {
            std::uint64_t const v = group * warp.size() + warp.rank();
            std::uint64_t const own = v < vertices ? pieces_of(rows(static_cast<id_type>(v)).size()) : 0;
            std::uint64_t const all = warp.sum(own);
            if (all == 0) return;
            std::uint64_t first = 0;
            if (warp.rank() == 0) first = thread.device(totals->listed).fetch_add(all, exec::order::relaxed);
            first = warp.broadcast(first, 0) + warp.exclusive_scan(own);
            for (std::uint32_t lane = 0; lane < warp.size(); ++lane) {
                std::uint64_t const count = warp.broadcast(own, lane);
                std::uint64_t const place = warp.broadcast(first, lane);
                for (std::uint64_t i = warp.rank(); i < count; i += warp.size())
                    pieces[place + i] = {static_cast<id_type>(group * warp.size() + lane),
                                         static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(count)};
            }
        });
    }
};

/// Calls walk(group, v, row, begin, end) with the tile or warp that takes neighbours begin to end - 1 of a
/// row. Rows without neighbours are left out. Called by all threads.
template <class Thread, class Rows, class Walk>
RZ_HD void for_each_row_piece(Thread const& thread, Rows const& rows,
                              basic_row_schedule<typename Rows::id_type> const& schedule, Walk&& walk) {
    using id_type = typename Rows::id_type;
    auto const warp = thread.warp();
    exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
        basic_row_piece<id_type> const piece = schedule.pieces[i];
        auto const row = rows(piece.row);
        walk(warp, piece.row, row, piece.begin(), piece.end(row.size()));
    });
    auto const tile = thread.tile(exec::width<tuning::row_tile>);
    exec::for_each_group_item(tile, schedule.vertices, [&](std::uint64_t i) {
        auto const v = static_cast<id_type>(i);
        auto const row = rows(v);
        std::uint64_t const size = row.size();
        if (size != 0 && is_light(size)) walk(tile, v, row, std::uint64_t{0}, size);
    });
}

/// A shape for kernels that walk so.
template <class Space, class Id>
[[nodiscard]] exec::launch_shape cover_rows(Space const& space, basic_row_schedule<Id> const& schedule) {
    return exec::cover_tiles<tuning::row_tile>(
        space, schedule.vertices + schedule.piece_count * (space.tile_lanes(32) / space.tile_lanes(8)));
}

/// Keeps the memory of a schedule between calls.
template <class Space>
class row_scheduler {
public:
    explicit row_scheduler(Space space) : pieces_(std::move(space)) {}

    /// Good until the next call. `totals` are those of the rows. Throws out_of_memory. Cost: nothing where
    /// all rows are light, else a pass over the vertices.
    template <class Rows>
    [[nodiscard]] basic_row_schedule<typename Rows::id_type>
    plan(Space& space, Rows const& rows, std::uint64_t vertices, row_totals const& found,
         row_totals* totals) {
        using piece_type = basic_row_piece<typename Rows::id_type>;
        if (found.pieces == 0) return {vertices, nullptr, 0};
        auto* const pieces = pieces_.template at_least_of<piece_type>(found.pieces);
        launch(space, cover_threads(space, vertices), list_pieces<Rows>{rows, vertices, totals, pieces});
        return {vertices, pieces, found.pieces};
    }

private:
    exec::workspace<Space> pieces_;
};

} // namespace rhizome::algorithms::detail
