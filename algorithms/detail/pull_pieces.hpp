// SPDX-License-Identifier: Apache-2.0
// Sums over rows in several pieces.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// Memory for rows in several pieces: one of each per piece.
struct piece_sums {
    double* sums;
    std::uint32_t* finished; ///< how many pieces of a row are finished, in the place of its first piece; 0
                             ///< between launches
};

/// The memory of piece_sums, kept between runs.
template <class Space>
class piece_workspace {
public:
    /// `scratch`: source of the memory; nullptr: the space. The resource must outlive the object.
    piece_workspace(Space space, exec::memory_resource* scratch)
        : sums_(space, scratch), finished_(std::move(space), scratch) {}

    /// Room for the pieces of a schedule, valid until the next call. Throws out_of_memory.
    template <class Schedule>
    [[nodiscard]] piece_sums of(Space& space, Schedule const& schedule) {
        piece_sums const pieces{sums_.template at_least_of<double>(schedule.piece_count),
                                finished_.template at_least_of<std::uint32_t>(schedule.piece_count)};
        space.fill(pieces.finished, 0, schedule.piece_count * sizeof(*pieces.finished));
        return pieces;
    }

private:
    exec::workspace<Space> sums_;
    exec::workspace<Space> finished_;
};

/// Sums piece `i` of the schedule by a warp. Each lane returns its part of the sum from part(piece, row). The
/// warp that finishes the last piece of a row adds the pieces up, and its lane 0 calls whole(v, row size, sum
/// over the row).
template <class Thread, class Warp, class Rows, class Part, class Whole>
RZ_HD void pull_piece(Thread const& thread, Warp const& warp, Rows const& rows,
                      graph::basic_row_schedule<typename Rows::id_type> const& schedule,
                      piece_sums const& pieces, std::uint64_t i, Part const& part, Whole const& whole) {
    auto const piece = schedule.pieces[i];
    auto const row = rows(piece.row);
    double mine = part(piece, row);
    double sum = warp.sum(mine);
    if (piece.count != 1) {
        std::uint64_t const first = i - piece.number;
        std::uint32_t others = 0;
        if (warp.rank() == 0) {
            pieces.sums[i] = sum;
            // Release: the last warp sees this sum; acquire: the last warp sees the sums of all.
            others = thread.device(pieces.finished[first]).fetch_add(1, exec::order::acq_rel);
        }
        if (warp.broadcast(others, 0) + 1 != piece.count) return;
        warp.sync(); // all lanes see what lane 0 acquired
        mine = 0;
        for (std::uint32_t k = warp.rank(); k < piece.count; k += warp.size())
            mine += pieces.sums[first + k];
        sum = warp.sum(mine);
        if (warp.rank() == 0) thread.device(pieces.finished[first]).store(0, exec::order::relaxed);
    }
    if (warp.rank() == 0) whole(piece.row, row.size(), sum);
}

} // namespace rhizome::algorithms::detail
