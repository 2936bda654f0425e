// SPDX-License-Identifier: Apache-2.0
// What compact() did to the memory of a graph.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Bytes in the memory of the graph's space.
struct compaction_report {
    /// Copied from one place of the heap to another. 0: nothing was left to move within the limit of the
    /// call.
    std::uint64_t moved_bytes = 0;
    /// Given back to the device or the operating system.
    std::uint64_t returned_bytes = 0;

    constexpr compaction_report& operator+=(compaction_report const& other) {
        moved_bytes += other.moved_bytes;
        returned_bytes += other.returned_bytes;
        return *this;
    }
    friend constexpr bool operator==(compaction_report const&, compaction_report const&) = default;
};

} // namespace rhizome::graph
