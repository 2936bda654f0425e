// SPDX-License-Identifier: Apache-2.0
// Sums that do not depend on the order of their terms.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Shared memory of fixed_sum::add: one total per warp.
struct fixed_total_storage {
    std::uint64_t totals[32];
};

/// A sum of terms that is at most 4, in units of 2^-61. A sum of integers does not depend on the order, so
/// threads may add in any order.
struct fixed_sum {
    static constexpr double units = 0x1p61;

    std::uint64_t value;

    /// A term as an integer, as add() takes it. Precondition: 0 <= term <= 4.
    [[nodiscard]] static RZ_HD std::uint64_t fixed(double term) {
        return static_cast<std::uint64_t>(term * units + 0.5);
    }
    [[nodiscard]] RZ_HD double get() const { return static_cast<double>(value) / units; }

    /// Adds the terms of the threads of a block: `own` of each thread, in an order that only the size of a
    /// warp decides, and what lane 0 of each warp has in its place of the storage. Called by all threads of
    /// the block, once per storage. Cost: one atomic addition per block.
    template <class Thread>
    RZ_HD void add(Thread const& thread, fixed_total_storage& storage, double own) {
        auto const block = thread.block();
        auto const warp = thread.warp();
        double const of_warp = warp.sum(own);
        if (warp.rank() == 0) storage.totals[block.rank() / warp.size()] += fixed(of_warp);
        block.sync();
        if (block.rank() != 0) return;
        std::uint64_t total = 0;
        for (std::uint32_t i = 0; i * warp.size() < block.size(); ++i)
            total += storage.totals[i];
        if (total != 0) thread.device(value).fetch_add(total, exec::order::relaxed);
    }
};

} // namespace rhizome::algorithms::detail
