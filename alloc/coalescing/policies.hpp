// SPDX-License-Identifier: Apache-2.0
// What distinguishes the variants of coalescing: which threads share a superblock, and how a segment finds
// it.
#pragma once

#include <type_traits>

namespace rhizome::alloc {

/// All threads of a block share one superblock (section 3.1, "block-level").
struct block_wide {
    static constexpr char const* name = "block";
};
/// All lanes of a warp share one superblock (section 3.1, "warp-level").
struct warp_wide {
    static constexpr char const* name = "warp";
};
/// The lanes that make requests at the same moment share one superblock (section 3.2).
struct lane_wise {
    static constexpr char const* name = "dynamic";
};

/// A word in front of each segment leads to its superblock.
struct by_header {
    static constexpr char const* name = "header";
};
/// A table beside the heap leads from an address to its superblock. Segments lie side by side, but for 16
/// bytes between those whose distance would put all lanes of a warp in one bank of the cache.
struct by_table {
    static constexpr char const* name = "table";
};
/// The same without these 16 bytes, as in the paper.
struct by_dense_table {
    static constexpr char const* name = "dense";
};
template <class Bookkeeping>
inline constexpr bool keeps_table =
    std::is_same_v<Bookkeeping, by_table> || std::is_same_v<Bookkeeping, by_dense_table>;

} // namespace rhizome::alloc
