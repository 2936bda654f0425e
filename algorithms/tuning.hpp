// Constants of this room, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::algorithms::tuning {

/// Neighbours that one tile takes at a time; longer rows are cut into chunks of so many, so that no tile
/// walks a hub alone. A multiple of every tile width.
inline constexpr std::uint64_t chunk_arcs = 512;

/// Lanes for a chunk, and for an intersection: most rows of real graphs have tens of neighbours or fewer.
inline constexpr std::uint32_t row_tile = 8;

} // namespace rhizome::algorithms::tuning
