// Constants of this room, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::graph::tuning {

/// Rows with more neighbours are moved by a block, others by a tile: so that no tile walks a hub alone.
inline constexpr std::uint32_t heavy_degree = 512;

/// Lanes for a row that is not heavy: most rows of real graphs have tens of neighbours or fewer.
inline constexpr std::uint32_t row_tile = 8;

} // namespace rhizome::graph::tuning
