// SPDX-License-Identifier: Apache-2.0
// A prefix sum of small counts over a block, as products of matrices: on CUDA with the matrix units (tensor
// cores), elsewhere by additions. The sums are the same.
//
// 256 counts are a matrix M of 16 rows. With L[r][c] = 1 where c < r, U[r][c] = 1 where r < c, and J full of
// ones, M * U sums the counts before each one in its row, and L * M * J sums the rows before. So
// M * U + (L * M) * J are the exclusive prefix sums (Dakkak et al., Accelerating reduction and scan using
// tensor core units, ICS 2019).
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

#if defined(__CUDACC__)
#include <rhizome/exec/cuda/matrix_scan.hpp>
#endif

namespace rhizome::exec {

/// The largest count that block_matrix_sum_before_barrier takes. Matrix units multiply numbers with 11
/// significant bits: 15 rows of such counts in L * M are at most 1920, and so exact.
inline constexpr std::uint32_t largest_matrix_count = 128;

/// Shared storage of block_matrix_sum_before_barrier.
struct matrix_sum_storage {
    static constexpr std::uint32_t square = 256; ///< counts that a warp sums at a time

    alignas(16) std::uint16_t counts[1024]; ///< as the matrix units take them
    std::uint32_t before[1024];             ///< prefix sums within the square
    std::uint32_t totals[1024 / square];
};

namespace detail {
/// The form in which scan_square of that warp takes a count.
template <class Warp>
RZ_HD std::uint16_t matrix_count(Warp const&, std::uint32_t count) {
    return static_cast<std::uint16_t>(count);
}
/// before[i] = counts[0] + ... + counts[i - 1] for 256 counts, and their total. Called by all lanes.
template <class Warp>
RZ_HD void scan_square(Warp const& warp, std::uint16_t const* counts, std::uint32_t* before,
                       std::uint32_t& total) {
    if (warp.rank() != 0) return;
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < matrix_sum_storage::square; ++i) {
        before[i] = sum;
        sum += counts[i];
    }
    total = sum;
}
} // namespace detail

/// The prefix sum of `count` over the block, on matrix units. Called by all threads of the block, which is
/// whole warps; count <= largest_matrix_count. The threads must pass another barrier before the storage is
/// used again. Cost: two barriers; one warp per 256 threads multiplies six pairs of matrices.
template <class Thread>
[[nodiscard]] RZ_HD block_sum<std::uint32_t>
block_matrix_sum_before_barrier(Thread const& thread, matrix_sum_storage& storage, std::uint32_t count) {
    if constexpr (Thread::prefers_runs) { // a block of one thread
        return {0, count};
    } else {
        constexpr std::uint32_t square = matrix_sum_storage::square;
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const squares = (block.size() + square - 1) / square;
        storage.counts[block.rank()] = detail::matrix_count(warp, count);
        for (std::uint32_t i = block.rank() + block.size(); i < squares * square; i += block.size())
            storage.counts[i] = detail::matrix_count(warp, 0);
        block.sync();
        // There are at least as many warps as squares.
        std::uint32_t const own = block.rank() / warp.size();
        if (own < squares)
            detail::scan_square(warp, storage.counts + own * square, storage.before + own * square,
                                storage.totals[own]);
        block.sync();
        block_sum<std::uint32_t> sum{storage.before[block.rank()], 0};
        for (std::uint32_t i = 0; i < squares; ++i) {
            if (i < block.rank() / square) sum.before += storage.totals[i];
            sum.total += storage.totals[i];
        }
        return sum;
    }
}

} // namespace rhizome::exec
