// SPDX-License-Identifier: Apache-2.0
// What distinguishes the variants of coalescing: which threads share a superblock, and how a segment finds
// it.
#pragma once

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
/// A table beside the heap leads from an address to its superblock. Segments lie side by side.
struct by_table {
    static constexpr char const* name = "table";
};

} // namespace rhizome::alloc
