// SPDX-License-Identifier: Apache-2.0
// Points of the unit square.
#pragma once

#include <cstdint>

namespace rhizome::io {

/// Bits of a coordinate. Squares of distances fit in 63 bits, so that all comparisons are exact.
inline constexpr unsigned coordinate_bits = 31;

/// A point of the unit square, in units of 2^-31.
struct grid_point {
    std::uint32_t x; ///< in [0, 2^31)
    std::uint32_t y; ///< in [0, 2^31)
};

} // namespace rhizome::io
