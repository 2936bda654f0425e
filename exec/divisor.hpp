// SPDX-License-Identifier: Apache-2.0
// Division by a number that is known at run time only, and the same for many dividends.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/uint128.hpp>

#include <cstdint>

namespace rhizome::exec {

/// A number by which kernels divide. A dividend below 2^32 takes a multiplication, which is exact for all
/// such dividends; a larger one takes a division. Trivially copyable. Source: Lemire, Kaser and Kurz, Faster
/// remainder by direct computation (2019).
class divisor {
public:
    /// Precondition: by != 0.
    RZ_HD constexpr explicit divisor(std::uint32_t by)
        : inverse_(by == 1 ? 0 : ~std::uint64_t{0} / by + 1), by_(by) {}

    [[nodiscard]] RZ_HD constexpr std::uint32_t value() const { return by_; }
    [[nodiscard]] RZ_HD constexpr std::uint64_t quotient(std::uint64_t dividend) const {
        if (dividend >> 32 != 0) return dividend / by_;
        if (inverse_ == 0) return dividend; // by 1, whose inverse has 65 bits
        return static_cast<std::uint64_t>(uint128{inverse_} * dividend >> 64);
    }
    [[nodiscard]] RZ_HD constexpr std::uint64_t remainder(std::uint64_t dividend) const {
        return dividend - quotient(dividend) * by_;
    }

private:
    std::uint64_t inverse_; ///< 2^64 / by, rounded up
    std::uint32_t by_;
};

} // namespace rhizome::exec
