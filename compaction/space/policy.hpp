// SPDX-License-Identifier: Apache-2.0
// The eight variants of SPACE (Fett et al., Accelerating Parallel Operation for Compacting Selected Elements
// on GPUs, Euro-Par 2022) as policies, numbered as in section 3.4.
#pragma once

#include <array>
#include <cstdint>

namespace rhizome::compaction {

/// How the offsets of chunks are computed from their counts (section 3.2).
enum class prefix_sum : std::uint8_t {
    library,   ///< exec::exclusive_scan: CUB's on cuda
    two_phase, ///< a tree of sums, one launch per layer; then each chunk adds the subtrees to its left
    partial,   ///< only the tree: the write-out adds subtrees where it needs an offset
};

/// How selected elements are written (section 3.3).
enum class write_out : std::uint8_t {
    thread_per_chunk, ///< a thread walks the items of a chunk
    warp_per_chunk,   ///< neighbouring lanes read neighbouring items
    full_warps,       ///< the same, but a warp writes only once it has an element for each lane
};

struct space_policy {
    prefix_sum prefix;
    write_out write;
    bool skips;            ///< chunks without selected items are not read
    std::uint32_t streams; ///< side lanes over which popcounts and write-outs are spread; 0: none
};

/// space_variants[v - 1] is variant v.
inline constexpr std::array<space_policy, 8> space_variants{{
    {prefix_sum::two_phase, write_out::thread_per_chunk, false, 0},
    {prefix_sum::two_phase, write_out::thread_per_chunk, true, 0},
    {prefix_sum::two_phase, write_out::thread_per_chunk, true, 4},
    {prefix_sum::library, write_out::warp_per_chunk, false, 0},
    {prefix_sum::partial, write_out::warp_per_chunk, true, 0},
    {prefix_sum::two_phase, write_out::warp_per_chunk, true, 0},
    {prefix_sum::library, write_out::warp_per_chunk, true, 0},
    {prefix_sum::library, write_out::full_warps, true, 0},
}};

} // namespace rhizome::compaction
