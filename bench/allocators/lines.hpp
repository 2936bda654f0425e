// SPDX-License-Identifier: Apache-2.0
// How many cache lines a warp touches, from the addresses of its blocks.
#pragma once

#include <rhizome/bench/papers/coalesced_allocation/patterns.hpp>

#include <cstdint>
#include <span>

namespace rhizome::bench {

/// Means over warps, or over the accesses of all of them.
struct touched_lines {
    double lines = 0;      ///< of 128 bytes, by one access of all lanes
    double sectors = 0;    ///< of 32 bytes, by one access of all lanes
    double footprint = 0;  ///< lines that a warp touches in the whole work
    double span_bytes = 0; ///< from the lowest to the highest byte of a warp's blocks
};

/// Bytes that lie side by side.
struct byte_range {
    std::uint64_t begin; ///< address
    std::uint64_t end;   ///< the byte after the last one
};

/// Different lines and sectors.
struct touched_memory {
    std::uint64_t lines;   ///< of 128 bytes
    std::uint64_t sectors; ///< of 32 bytes
};

/// The lines and sectors in which the ranges lie, each counted once.
[[nodiscard]] touched_memory count_touched(std::span<byte_range const> ranges);

/// The places that a thread reads, in order: the work of a pattern, `quadratic` without its outer loop.
/// place(k) for k < floats.
[[nodiscard]] std::uint32_t place_of_access(access_pattern pattern, std::uint64_t thread, std::uint32_t k,
                                            std::uint32_t floats);

/// For warps of 32 neighbouring threads, whatever the space has; with many, for at most 256 of them, at equal
/// distances. `blocks`: of each thread; none is nullptr. The k-th accesses of all lanes count as one.
[[nodiscard]] touched_lines count_touched_lines(std::span<void* const> blocks, access_pattern pattern,
                                                std::uint32_t floats);

} // namespace rhizome::bench
