// Points of the unit square.
#pragma once

#include <cstdint>

namespace rhizome::io {

/// A point of the unit square, in units of 2^-31.
struct grid_point {
    std::uint32_t x; ///< in [0, 2^31)
    std::uint32_t y; ///< in [0, 2^31)
};

} // namespace rhizome::io
