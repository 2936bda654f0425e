// SPDX-License-Identifier: Apache-2.0
// The net effect of a batch of ordered updates: lists of edges to insert and to erase.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Two lists in the memory of a space. Each edge is in at most one list, once. The insertions are in the
/// order of the stream, the deletions in the reverse order.
struct net_edges {
    edge const* insertions = nullptr;  ///< edges whose last update inserts them
    std::uint64_t insertion_count = 0; ///< insertions
    edge const* deletions = nullptr;   ///< edges whose last update erases them
    std::uint64_t deletion_count = 0;  ///< deletions
    std::uint64_t superseded = 0; ///< updates that a later update of the same edge in the batch overrules
};

} // namespace rhizome::graph
