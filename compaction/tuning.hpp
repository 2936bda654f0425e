// SPDX-License-Identifier: Apache-2.0
// Constants of the kernels. Those that matter for speed were chosen for an H200.
#pragma once

#include <cstdint>

namespace rhizome::compaction {

/// Lanes of a warp on the spaces that run these kernels (cuda, simt). The host has code of its own.
inline constexpr std::uint32_t warp_lanes = 32;
/// Mask words of one load: 16 bytes.
inline constexpr std::uint32_t words_per_load = 4;
/// Threads of a block.
inline constexpr std::uint32_t most_block_threads = 256;
inline constexpr std::uint32_t most_block_warps = most_block_threads / warp_lanes;

/// Mask words of a row: 1024 items, 128 bytes of mask. A lane counts a row.
inline constexpr std::uint32_t row_words = 32;
inline constexpr std::uint32_t row_items = row_words * 32;
/// Rows of a chunk: a warp counts 32,768 items, one row per lane.
inline constexpr std::uint32_t chunk_rows = warp_lanes;
inline constexpr std::uint32_t chunk_words = chunk_rows * row_words;
inline constexpr std::uint32_t chunk_items = chunk_rows * row_items;
/// The first pass writes the elements of a chunk with no more selected items than this, about 1.5 %. It lists
/// their positions in shared memory, 2 bytes each.
inline constexpr std::uint32_t listed_items = 512;
/// Bytes of elements that a lane loads before it stores the first: 16 loads of 4 bytes.
inline constexpr std::uint32_t held_bytes = 64;
/// Words of earlier tiles that a thread reads at a time while it looks back: a block reads those of 512
/// tiles, about as many as run at a time.
inline constexpr std::uint32_t look_back_depth = 4;
/// Bytes of elements that a warp collects in shared memory before it writes them.
inline constexpr std::uint32_t staged_bytes = 4096;
/// A warp writes multiples of these bytes: a line of the L2 cache.
inline constexpr std::uint32_t line_bytes = 128;
/// Threads that a multiprocessor runs at most (cuda_space::concurrency() counts as many).
inline constexpr std::uint32_t most_side_by_side_threads = 2048;
/// Blocks of 256 threads side by side on a multiprocessor. They bound the registers of a thread, of which the
/// kernels use 64, 64 and 48 (at most 16 bytes go to local memory). A mask of 2^28 items has 1024 tiles; an
/// H200 counts them in two rounds with 4 blocks side by side as well as with 5.
inline constexpr std::uint32_t scan_blocks_side_by_side = 4;
inline constexpr std::uint32_t write_blocks_side_by_side = 4;
inline constexpr std::uint32_t move_blocks_side_by_side = 5; ///< in place
/// Blocks of the second pass for each that runs at once: the steps of the listed chunks differ in their work.
inline constexpr std::uint32_t write_rounds = 2;
/// Mask words of the piece that one OS thread of the host takes at a time: 65,536 items, whose mask of 8 KiB
/// stays in its L1 cache between counting and writing if the piece is processed by the same core.
inline constexpr std::uint32_t host_piece_words = 2048;

/// Threads of a block of the variants of SPACE, at most.
inline constexpr std::uint32_t most_space_threads = 1024;
/// Streams over which a variant of SPACE spreads its launches, at most.
inline constexpr std::uint32_t most_space_streams = 64;
/// Items of neighbouring chunks that a warp of variant 8 writes with one offset.
inline constexpr std::uint32_t space_group_items = 4096;

/// How the kernels are launched; for measurements and tests. 0: chosen by the library.
struct launch_options {
    std::uint32_t block_threads = 0; ///< threads per block: a multiple of 64, 64 to 256
    std::uint32_t write_blocks = 0;  ///< blocks of the second pass
};

} // namespace rhizome::compaction
