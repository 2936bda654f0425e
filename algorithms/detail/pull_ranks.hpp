// SPDX-License-Identifier: Apache-2.0
// An iteration of PageRank in one launch, by pulling.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_pieces.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>
#include <rhizome/exec/shape.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// What a vertex gives goes nowhere else.
struct give_here {
    template <class Real>
    RZ_HD void operator()(std::uint64_t, Real) const {}
};

/// Tiles of `Lanes` lanes sum light rows. If there are `Pieces`, warps sum the pieces of other rows, and the
/// warp that finishes the last piece of a row adds the pieces up. Which warp that is differs from run to run,
/// so what such a row adds to the sums over all vertices is added as integers. Each light row belongs to the
/// same lane in every run; where one thread walks each row, one thread takes a whole strip, whatever the
/// number of threads. Sums of up to four terms are formed in Real. `given`: what each vertex gives, by its
/// id. `also_give`: called with each vertex and what it gives next.
template <class Rows, class Real, std::uint32_t Lanes, bool Pieces, class Given = Real const*,
          class AlsoGive = give_here>
struct pull_ranks {
    // Blocks of 256 threads. Registers for the ids of as many rows as a tile takes concurrently.
    static constexpr std::uint32_t blocks_side_by_side = Lanes == 1 ? 8 : Lanes == 4 || Pieces ? 4 : 3;
    struct shared {
        fixed_tally sums;
    };
    using id_type = typename Rows::id_type;
    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    pagerank_iteration<Real> now;
    piece_sums pieces;
    Given given;
    AlsoGive also_give{};

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        double const given_to_all = now.given_to_all();
        auto& sums = thread.block().storage().sums;
        sums.clear(thread);
        if constexpr (Pieces) {
            auto const warp = thread.warp();
            exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
                pull_piece(
                    thread, warp, rows, schedule, pieces, i,
                    [&](graph::basic_row_piece<id_type> const& piece, graph::range_of_rows<Rows> const& row) {
                        return pull_part(warp, row, piece.begin(), piece.end(row.size()), given);
                    },
                    [&](id_type v, std::uint64_t size, double sum) {
                        pagerank_tally of_row;
                        update(v, size, given_to_all, sum, of_row);
                        sums.add(thread, of_row);
                    });
            });
        }
        auto const tile = thread.tile(exec::width<Lanes>);
        auto const pull_group = [&](std::uint64_t group, pagerank_tally& own_tally) {
            std::uint64_t const i = group * tile.size() + tile.rank();
            bool const exists = i < schedule.chosen.count;
            auto const v = static_cast<id_type>(i);
            auto const row = rows(exists ? v : 0);
            bool const own = exists && (!Pieces || graph::is_light_row(row.size()));
            auto const size = own ? static_cast<std::uint32_t>(row.size()) : 0;
            double const sum = pull_own_row<Lanes>(tile, rows, v, row, size, given);
            if (own) update(v, row.size(), given_to_all, sum, own_tally);
        };
        pagerank_tally tally;
        if constexpr (Thread::prefers_runs)
            tally = tally_vertices(thread, sums, schedule.chosen.count, pull_group);
        else
            exec::for_each_group_item(tile, (schedule.chosen.count + tile.size() - 1) / tile.size(),
                                      [&](std::uint64_t group) { pull_group(group, tally); });
        sums.add_to(thread, now, tally);
    }

private:
    RZ_HD void update(id_type v, std::uint64_t row_size, double given_to_all, double sum,
                      pagerank_tally& tally) const {
        std::uint64_t const out_degree = rows.view.symmetric() ? row_size : rows.view.degree(v);
        also_give(v, update_rank(rows.view, now, v, out_degree, given_to_all, sum, tally));
    }
};

/// Calls function(width, pieces) with the template arguments of pull_ranks for the rows of a schedule, which
/// have `arcs` arcs: as many lanes per row as load the ids of a row of mean degree with one 16-byte load
/// each. Where tiles have one lane, all widths are one.
template <class Space, class Id, class Function>
void with_pull_shape(graph::basic_row_schedule<Id> const& schedule, std::uint64_t arcs,
                     Function const& function) {
    constexpr bool alone = Space::tile_lanes(8) == 1;
    constexpr std::uint64_t width = basic_id_window<Id>::width;
    if (alone || schedule.piece_count != 0)
        function(exec::width_t < alone ? 1 : 8 > {}, std::true_type{});
    else if constexpr (!alone) {
        std::uint64_t const mean_degree = schedule.chosen.count == 0 ? 0 : arcs / schedule.chosen.count;
        if (mean_degree <= width)
            function(exec::width<1>, std::false_type{});
        else if (mean_degree <= 4 * width)
            function(exec::width<4>, std::false_type{});
        else
            function(exec::width<8>, std::false_type{});
    }
}

} // namespace rhizome::algorithms::detail
