// An iteration of PageRank in one launch, by pulling.
#pragma once

#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_pieces.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Light rows by tiles of `Lanes` lanes, others, where there are `Pieces`, by these; whoever ends the last
/// piece of a row adds them up. Sums of up to four terms are formed in Real.
template <class Rows, class Real, std::uint32_t Lanes, bool Pieces>
struct pull_ranks {
    // Of 256 threads. Registers for the ids of as many rows as a tile takes side by side.
    static constexpr std::uint32_t blocks_side_by_side = Lanes == 1 ? 8 : Lanes == 4 || Pieces ? 4 : 3;
    struct shared {
        pagerank_tally::storage sums;
    };
    using id_type = typename Rows::id_type;
    Rows rows;
    basic_row_schedule<id_type> schedule;
    pagerank_iteration<Real> now;
    piece_sums pieces;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        now.move_ring(thread);
        if (now.is_over()) return;
        double const given_to_all = now.given_to_all();
        pagerank_tally tally;
        if constexpr (Pieces) {
            auto const warp = thread.warp();
            exec::for_each_group_item(warp, schedule.piece_count, [&](std::uint64_t i) {
                pull_piece(
                    thread, warp, rows, schedule, pieces, i,
                    [&](basic_row_piece<id_type> const& piece, range_of<Rows> const& row) {
                        return pull_part(warp, row, piece.begin(), piece.end(row.size()), now.given);
                    },
                    [&](id_type v, std::uint64_t size, double sum) {
                        update(v, size, given_to_all, sum, tally);
                    });
            });
        }
        auto const tile = thread.tile(exec::width<Lanes>);
        exec::for_each_group_item(
            tile, (schedule.vertices + tile.size() - 1) / tile.size(), [&](std::uint64_t group) {
                std::uint64_t const i = group * tile.size() + tile.rank();
                bool const exists = i < schedule.vertices;
                auto const v = static_cast<id_type>(i);
                auto const row = rows(exists ? v : 0);
                bool const own = exists && (!Pieces || is_light(row.size()));
                auto const size = own ? static_cast<std::uint32_t>(row.size()) : 0;
                double const sum = pull_own_row<Lanes>(tile, rows, v, row, size, now.given);
                if (own) update(v, row.size(), given_to_all, sum, tally);
            });
        tally.add_to(thread, thread.block().storage().sums, now);
    }

private:
    RZ_HD void update(id_type v, std::uint64_t row_size, double given_to_all, double sum,
                      pagerank_tally& tally) const {
        std::uint64_t const out_degree = rows.view.symmetric() ? row_size : rows.view.degree(v);
        update_rank(rows.view, now, v, out_degree, given_to_all, sum, tally);
    }
};

} // namespace rhizome::algorithms::detail
