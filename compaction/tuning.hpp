// Constants of the kernels. Those that matter for speed were chosen for an H200.
#pragma once

#include <cstdint>

namespace rhizome::compaction {

/// Lanes of a warp on the spaces that run these kernels (cuda, simt). The host has code of its own.
inline constexpr std::uint32_t warp_lanes = 32;
/// Mask words that a lane holds at once: one load of 16 bytes.
inline constexpr std::uint32_t words_per_lane = 4;
/// Items whose mask a warp holds at once. The first pass stores one offset for each unit, and the second pass
/// skips units without selected items: for 4-byte elements 16 KiB of input.
inline constexpr std::uint32_t unit_items = warp_lanes * words_per_lane * 32;
/// Positions that a warp lists in shared memory (2 bytes each) before it copies the elements. 2 KiB for each
/// of 48 warps leave more than half of the L1 cache of a multiprocessor of an H200.
inline constexpr std::uint32_t listed_items = 1024;
/// Threads of a block, and an upper limit of the units of a span: one thread adds the count of one unit.
inline constexpr std::uint32_t most_block_threads = 256;
/// Bytes per warp that stage elements of a compaction in place.
inline constexpr std::uint32_t staged_bytes = 4096;
/// Blocks of 256 threads side by side on a multiprocessor: at most 32 and 40 registers for a thread.
inline constexpr std::uint32_t count_blocks_side_by_side = 8;
inline constexpr std::uint32_t write_blocks_side_by_side = 6;
/// Mask words of the piece that one OS thread of the host takes at a time: 65,536 items, whose mask of 8 KiB
/// stays in its L1 cache between counting and writing if the piece is processed by the same core.
inline constexpr std::uint32_t host_piece_words = 2048;

/// How the kernels are launched; for measurements and tests. 0: chosen by the library.
struct launch_options {
    std::uint32_t block_threads = 0; ///< threads per block: a multiple of 32, 32 to 256
    std::uint32_t span_units = 0;    ///< units (4096 items) that a block counts between two look-backs
    std::uint32_t write_blocks = 0;  ///< blocks of the second pass
};

} // namespace rhizome::compaction
