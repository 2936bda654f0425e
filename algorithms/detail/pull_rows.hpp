// SPDX-License-Identifier: Apache-2.0
// Sums over the rows of adjacent vertices: each lane gets the sum over its own row.
#pragma once

#include <rhizome/algorithms/detail/rows.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace rhizome::algorithms::detail {

/// Each lane of the tile has one number for each lane of the tile. Returns to lane r the sum of the r-th
/// numbers of all lanes.
template <std::uint32_t Lanes, class Tile>
[[nodiscard]] RZ_HD double sum_transposed(Tile const& tile, double (&sums)[Lanes]) {
    for (std::uint32_t half = Lanes / 2; half != 0; half /= 2) {
        if (half >= tile.size()) continue;
        bool const upper = (tile.rank() & half) != 0;
        for (std::uint32_t k = 0; k < half; ++k) {
            double const given = upper ? sums[k] : sums[k + half];
            double const kept = upper ? sums[k + half] : sums[k];
            sums[k] = kept + tile.shuffle(given, tile.rank() ^ half);
        }
    }
    return sums[0];
}

/// What values[id] gives: `Values` is a pointer, or anything else that gives the value of a vertex by its id.
template <class Values>
using value_of = std::remove_cvref_t<decltype(std::declval<Values const&>()[0])>;

template <class Id, class Values>
[[nodiscard]] RZ_HD double sum_of_window(basic_id_window<Id> const& window, std::uint64_t first,
                                         std::uint64_t size, Values values) {
    using Real = value_of<Values>;
    constexpr std::uint32_t width = basic_id_window<Id>::width;
    static_assert(width == 2 || width == 4);
    auto const value = [&](std::uint32_t k) { return values[window.ids[k]]; };
    Real const a = value(0);
    Real const b = first + 1 < size ? value(1) : Real{0};
    if constexpr (width == 2) {
        return static_cast<double>(a + b);
    } else {
        Real const c = first + 2 < size ? value(2) : Real{0};
        Real const d = first + 3 < size ? value(3) : Real{0};
        return static_cast<double>((a + b) + (c + d));
    }
}

/// The sum of `values` over the first `size` neighbours of the row of `v`, which is the lane's own; 0 if size
/// is 0. All lanes of the tile together take the rows of its lanes in turn. Called by all lanes.
template <std::uint32_t Lanes, class Tile, class Rows, class Values>
[[nodiscard]] RZ_HD double pull_own_row(Tile const& tile, Rows const& rows, typename Rows::id_type v,
                                        graph::range_of_rows<Rows> const& own, std::uint32_t own_size,
                                        Values values) {
    using range = graph::range_of_rows<Rows>;
    using id_type = typename Rows::id_type;
    double sums[Lanes];
    if constexpr (range::contiguous) {
        constexpr bool padded = graph::has_padded_rows<typename Rows::view_type>;
        constexpr std::uint32_t width = basic_id_window<id_type>::width;
        constexpr std::uint32_t side_by_side = Lanes < 4 ? Lanes : 4; // rows whose ids are loaded together
        std::uint32_t const first = tile.rank() * width;
        for (std::uint32_t batch = 0; batch < Lanes; batch += side_by_side) {
            if (batch >= tile.size()) continue;
            id_type const* ids[side_by_side];
            std::uint32_t size[side_by_side];
            basic_id_window<id_type> windows[side_by_side];
            if constexpr (Tile::prefers_runs) windows[0] = {}; // g++ 12 warns that it may be read unloaded
            for (std::uint32_t r = 0; r < side_by_side; ++r) {
                if (batch + r >= tile.size()) continue;
                ids[r] = tile.shuffle(own.begin(), batch + r);
                size[r] = tile.shuffle(own_size, batch + r);
                if (first < size[r]) windows[r] = load_window<padded, rereads::never>(ids[r], first, size[r]);
            }
            for (std::uint32_t r = 0; r < side_by_side; ++r) {
                if (batch + r >= tile.size()) continue;
                sums[batch + r] = first < size[r] ? sum_of_window(windows[r], first, size[r], values) : 0.0;
            }
            for (std::uint32_t r = 0; r < side_by_side; ++r) {
                if (batch + r >= tile.size()) continue;
                for (std::uint32_t at = first + width * tile.size(); at < size[r]; at += width * tile.size())
                    sums[batch + r] += sum_of_window(load_window<padded, rereads::never>(ids[r], at, size[r]),
                                                     at, size[r], values);
            }
        }
    } else {
        std::uint32_t const before = tile.rank();
        for (std::uint32_t r = 0; r < tile.size(); ++r) {
            std::uint32_t const size = tile.shuffle(own_size, r);
            double mine = 0;
            if (size != 0)
                rows(v - before + r).for_each(tile, 0, size, [&](std::uint64_t, id_type id) {
                    mine += static_cast<double>(values[id]);
                });
            sums[r] = mine;
        }
    }
    return sum_transposed<Lanes>(tile, sums);
}

/// This lane's part of the sum of `values` over neighbours begin to end - 1 of a row.
template <class Warp, class Range, class Values>
[[nodiscard]] RZ_HD double pull_part(Warp const& warp, Range const& row, std::uint64_t begin,
                                     std::uint64_t end, Values values) {
    using Real = value_of<Values>;
    double sum = 0;
    if constexpr (Range::contiguous) {
        constexpr std::uint32_t side_by_side = 8; // ids are loaded before the first value
        std::uint64_t const stride = warp.size();
        std::uint64_t at = begin + warp.rank();
        for (; at + (side_by_side - 1) * stride < end; at += side_by_side * stride) {
            typename Range::id_type ids[side_by_side];
            for (std::uint32_t k = 0; k < side_by_side; ++k)
                ids[k] = exec::load_once(row.begin() + at + k * stride);
            Real taken[side_by_side];
            for (std::uint32_t k = 0; k < side_by_side; ++k)
                taken[k] = values[ids[k]];
            for (std::uint32_t k = 0; k < side_by_side; k += 2)
                sum += static_cast<double>(taken[k] + taken[k + 1]);
        }
        for (; at < end; at += stride)
            sum += static_cast<double>(values[row[at]]);
    } else {
        row.for_each(warp, begin, end, [&](std::uint64_t, typename Range::id_type id) {
            sum += static_cast<double>(values[id]);
        });
    }
    return sum;
}

} // namespace rhizome::algorithms::detail
