// SPDX-License-Identifier: Apache-2.0
// Numbers of 16 bits with the range of float, for values that are gathered at random.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// The upper half of a float: 8 bits of precision.
struct bfloat16 {
    std::uint16_t bits;

    /// A value of at most this magnitude (but for 2^-24 of it), and more than 127/128 of it; 0 for less than
    /// float has. Precondition: float has it.
    [[nodiscard]] static RZ_HD bfloat16 of(double value) {
        auto const narrow = static_cast<float>(value);
        std::uint32_t all;
        std::memcpy(&all, &narrow, sizeof(all));
        return {static_cast<std::uint16_t>(all >> 16)};
    }
    [[nodiscard]] RZ_HD double value() const {
        std::uint32_t const all = std::uint32_t{bits} << 16;
        float wide;
        std::memcpy(&wide, &all, sizeof(wide));
        return static_cast<double>(wide);
    }
};
static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

/// An array of them that is read as double.
struct bfloat16_values {
    bfloat16 const* values;

    template <class Id>
    [[nodiscard]] RZ_HD double operator[](Id id) const {
        return values[id].value();
    }
};

} // namespace rhizome::algorithms::detail
