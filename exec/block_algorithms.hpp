// SPDX-License-Identifier: Apache-2.0
// Algorithms that all threads of a block run together: a prefix sum, and a sort.
#pragma once

#include <rhizome/exec/config.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::exec {

/// Shared storage of block_exclusive_sum: one total per warp.
template <class T>
struct block_sum_storage {
    T totals[32];
};

template <class T>
struct block_sum {
    T before; ///< of the threads with lower ranks
    T total;  ///< of all threads
};

/// The prefix sum of `value` over the block. Called by all threads of the block. They must pass another
/// barrier before the storage is used again: this saves one where the caller has one anyway.
template <class Thread, class T>
[[nodiscard]] RZ_HD block_sum<T> block_exclusive_sum_before_barrier(Thread const& thread,
                                                                    block_sum_storage<T>& storage, T value) {
    auto const block = thread.block();
    auto const warp = thread.warp();
    T const through = warp.inclusive_scan(value);
    std::uint32_t const own = block.rank() / warp.size();
    if (warp.rank() + 1 == warp.size()) storage.totals[own] = through;
    block.sync();
    block_sum<T> sum{static_cast<T>(through - value), T{}};
    for (std::uint32_t i = 0; i * warp.size() < block.size(); ++i) {
        T const total = storage.totals[i];
        if (i < own) sum.before += total;
        sum.total += total;
    }
    return sum;
}

/// The same; the storage may be reused on return.
template <class Thread, class T>
[[nodiscard]] RZ_HD block_sum<T> block_exclusive_sum(Thread const& thread, block_sum_storage<T>& storage,
                                                     T value) {
    block_sum<T> const sum = block_exclusive_sum_before_barrier(thread, storage, value);
    thread.block().sync();
    return sum;
}

/// Sorts keys[0, count), which lie in the shared storage of the block or are otherwise visible to all its
/// threads. Called by all threads of the block. Cost: log^2(count) / 2 steps, each of count / 2 comparisons;
/// on one thread, std::sort.
template <class Block, class Key, class Before>
RZ_HD void sort_in_block(Block const& block, Key* keys, std::uint32_t count, Before const& before) {
    if constexpr (Block::prefers_runs) { // one thread
        std::sort(keys, keys + count, before);
    } else {
        // A bitonic network whose merges begin with mirrored pairs. All exchanges then go in one direction,
        // so positions past the end act as keys larger than any.
        auto const exchange = [&](std::uint32_t low, std::uint32_t high) {
            if (high >= count || !before(keys[high], keys[low])) return;
            Key const key = keys[low];
            keys[low] = keys[high];
            keys[high] = key;
        };
        block.sync();
        // Strides are powers of two and stored as shifts: a division would cost more than the exchange.
        for (std::uint32_t merge = 0; std::uint32_t{1} << merge < count; ++merge) {
            std::uint32_t const half = std::uint32_t{1} << merge;
            for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
                std::uint32_t const first = i >> merge << (merge + 1);
                if (first >= count) break;
                exchange(first + (i & (half - 1)), first + 2 * half - 1 - (i & (half - 1)));
            }
            block.sync();
            for (std::uint32_t step = merge; step-- != 0;) {
                std::uint32_t const stride = std::uint32_t{1} << step;
                for (std::uint32_t i = block.rank(); i < count; i += block.size()) {
                    std::uint32_t const first = i >> step << (step + 1);
                    if (first >= count) break;
                    exchange(first + (i & (stride - 1)), first + (i & (stride - 1)) + stride);
                }
                block.sync();
            }
        }
    }
}

} // namespace rhizome::exec
