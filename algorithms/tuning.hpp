// Constants of this room, each with its reason.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::algorithms::tuning {

/// Rows with more arcs are cut into pieces.
using graph::tuning::light_degree;

/// Neighbouring rows that a thread of its own takes by length (Xeon): fewer have too few rows of one length,
/// more leave the first cache, and less to share out.
inline constexpr std::uint32_t strip_rows = 1024;

/// Neighbours of the longest row that is copied into a strip, and summed by code for its length alone.
inline constexpr std::uint32_t strip_short_degree = 32;

/// Iterations of PageRank that are launched before the host looks whether it has converged: a launch that
/// finds it has costs 2 us, a look of the host 10.
inline constexpr unsigned iterations_a_look = 8;

/// Neighbours of the longest row where triangles are counted on the rows as they are.
inline constexpr std::uint32_t triangle_light_degree = 64;

/// Where a thread walks rows alone: vertices that it sorts at a time, and places for marks of the neighbours
/// of one, 16 KiB of a core's first cache. Half as many clash more often, twice as many leave less for the
/// rows.
inline constexpr std::uint32_t triangle_strip_rows = 512;
inline constexpr std::uint32_t triangle_marks = 4096;

/// Vertices around which single warps count triangles: their higher neighbours, which go into a table, and
/// their lower ones. With words for four times as many, the tables of eight warps take 16 KiB of a block's
/// shared storage.
inline constexpr std::uint32_t triangle_warp_higher = 128;
inline constexpr std::uint32_t triangle_warp_lower = 64;

/// Lower neighbours that a block takes at a time, so that none counts around a hub alone, and words of its
/// set: 32 KiB, six blocks side by side, bits for 262,144 ranks.
inline constexpr std::uint32_t triangle_block_lower = 512;
inline constexpr std::uint32_t triangle_block_words = 8192;

/// Warps of the blocks that have at most 256 threads.
inline constexpr std::uint32_t warps_per_block = 8;

} // namespace rhizome::algorithms::tuning
