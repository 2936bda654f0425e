// Constants of this room, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::graph::tuning {

/// Lanes that merge a light row: most rows of real graphs have tens of neighbours or fewer.
inline constexpr std::uint32_t row_tile = 8;

/// Rows with more neighbours are merged by a block, others by a warp or a tile: so that nobody walks a hub
/// alone.
inline constexpr std::uint32_t heavy_degree = 1024;

/// Bytes of arcs of one row that a block sorts in its shared storage: with the rest of it, as much as every
/// GPU gives. Rows with more send the whole batch through the device-wide sort.
inline constexpr std::uint32_t block_sort_bytes = 44u << 10;

} // namespace rhizome::graph::tuning
