// SPDX-License-Identifier: Apache-2.0
// What the kernels that count triangles add to.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Never cleared: a count is the growth of the total, which saves a launch.
struct triangle_total {
    std::uint64_t triangles;
    std::uint64_t long_rows; ///< rows that are too long, found where only short ones can be counted

    /// Adds what each thread of a block has found. Called by all threads of the block.
    template <class Thread>
    RZ_HD void add(Thread const& thread, exec::block_sum_storage<std::uint64_t>& storage,
                   std::uint64_t found) {
        std::uint64_t const all = exec::block_exclusive_sum(thread, storage, found).total;
        if (thread.block().rank() == 0 && all != 0)
            thread.device(triangles).fetch_add(all, exec::order::relaxed);
    }
};

} // namespace rhizome::algorithms::detail
