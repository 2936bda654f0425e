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

    template <class Thread>
    RZ_HD void add(Thread const& thread, double term) {
        if (term > 0) thread.device(value).fetch_add(fixed(term), exec::order::relaxed);
    }
    [[nodiscard]] RZ_HD double get() const { return static_cast<double>(value) / units; }

private:
    [[nodiscard]] static RZ_HD std::uint64_t fixed(double term) {
        return static_cast<std::uint64_t>(term * units + 0.5);
    }
};

} // namespace rhizome::algorithms::detail
