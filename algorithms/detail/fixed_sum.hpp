// Sums that do not depend on the order of their terms.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Of terms from 0 to 4 in all, in units of 2^-61: integers add up to the same whatever comes first, so that
/// threads may add as they come.
struct fixed_sum {
    static constexpr double units = 0x1p61;

    std::uint64_t value;

    /// What a block has, by its thread 0; others do nothing.
    template <class Thread>
    RZ_HD void add(Thread const& thread, double term) {
        if (thread.block().rank() == 0 && term > 0)
            thread.device(value).fetch_add(fixed(term), exec::order::relaxed);
    }
    [[nodiscard]] RZ_HD double get() const { return static_cast<double>(value) / units; }

private:
    [[nodiscard]] static RZ_HD std::uint64_t fixed(double term) {
        return static_cast<std::uint64_t>(term * units + 0.5);
    }
};

/// Shared storage of block_total: one total a warp.
struct block_total_storage {
    double totals[32];
};

/// The sum over the block, in an order that only its size decides; to thread 0, others get anything. Called
/// by all its threads, once for a storage.
template <class Thread>
[[nodiscard]] RZ_HD double block_total(Thread const& thread, block_total_storage& storage, double value) {
    auto const block = thread.block();
    auto const warp = thread.warp();
    double const own = warp.sum(value);
    if (warp.rank() == 0) storage.totals[block.rank() / warp.size()] = own;
    block.sync();
    double total = 0;
    if (block.rank() == 0)
        for (std::uint32_t i = 0; i * warp.size() < block.size(); ++i)
            total += storage.totals[i];
    return total;
}

} // namespace rhizome::algorithms::detail
