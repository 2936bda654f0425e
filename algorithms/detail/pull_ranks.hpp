// An iteration of PageRank in one launch, by pulling.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Memory for rows in several pieces, one of each a piece.
struct piece_sums {
    double* sums;
    std::uint32_t* finished; ///< of a row, with its first piece; 0 between launches
};

/// Light rows by tiles of `Lanes` lanes, others by pieces; whoever ends the last piece of a row adds them up.
/// Sums of up to four terms are formed in Real.
template <class Rows, class Real, std::uint32_t Lanes>
struct pull_ranks {
    static constexpr std::uint32_t blocks_side_by_side = 4; // 64 registers: ids of four rows in flight
    struct shared {
        exec::block_sum_storage<double> sums;
    };
    Rows rows;
    row_schedule schedule;
    pagerank_iteration<Real> now;
    piece_sums pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        double const given_to_all = now.given_to_all();
        pagerank_tally tally;
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, schedule.piece_count,
                                  [&](std::uint64_t i) { pull_piece(thread, warp, i, given_to_all, tally); });
        auto const tile = thread.tile(exec::width<Lanes>);
        exec::for_each_group_item(
            tile, (schedule.vertices + tile.size() - 1) / tile.size(), [&](std::uint64_t group) {
                std::uint64_t const i = group * tile.size() + tile.rank();
                bool const exists = i < schedule.vertices;
                auto const v = static_cast<graph::vertex_id>(i);
                auto const row = rows(exists ? v : 0);
                bool const own = exists && is_light(row.size());
                auto const size = own ? static_cast<std::uint32_t>(row.size()) : 0;
                double const sum = pull_own_row<Lanes>(tile, rows, v, row, size, now.given);
                if (own) update(v, row.size(), given_to_all, sum, tally);
            });
        tally.add_to(thread, thread.block().storage().sums, now.ring->sums[now.number % pagerank_ring::size]);
    }

private:
    RZ_HD void update(graph::vertex_id v, std::uint64_t row_size, double given_to_all, double sum,
                      pagerank_tally& tally) const {
        std::uint64_t const out_degree = rows.view.symmetric() ? row_size : rows.view.degree(v);
        update_rank(rows.view, now, v, out_degree, given_to_all, sum, tally);
    }

    template <class Thread, class Warp>
    RZ_HD void pull_piece(Thread const& thread, Warp const& warp, std::uint64_t i, double given_to_all,
                          pagerank_tally& tally) const {
        row_piece const piece = schedule.pieces[i];
        auto const row = rows(piece.row);
        double mine = 0;
        row.for_each(warp, piece.begin(), piece.end(row.size()),
                     [&](std::uint64_t, graph::vertex_id id) { mine += static_cast<double>(now.given[id]); });
        double sum = warp.sum(mine);
        if (piece.count != 1) {
            std::uint64_t const first = i - piece.number;
            std::uint32_t others = 0;
            if (warp.rank() == 0) {
                pieces.sums[i] = sum;
                // Release: the sum is seen by the last; acquire: the last sees the sums of all.
                others = thread.device(pieces.finished[first]).fetch_add(1, exec::order::acq_rel);
            }
            if (warp.broadcast(others, 0) + 1 != piece.count) return;
            warp.sync(); // what lane 0 acquired, the others have
            mine = 0;
            for (std::uint32_t k = warp.rank(); k < piece.count; k += warp.size())
                mine += pieces.sums[first + k];
            sum = warp.sum(mine);
            if (warp.rank() == 0) thread.device(pieces.finished[first]).store(0, exec::order::relaxed);
        }
        if (warp.rank() == 0) update(piece.row, row.size(), given_to_all, sum, tally);
    }
};

} // namespace rhizome::algorithms::detail
