// The insertions and deletions that a batch of ordered updates comes to.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Lists in the memory of a space. No edge is in both, and none is twice in one. The deletions are in the
/// reverse order of the stream, the insertions in its order.
struct net_edges {
    edge const* insertions = nullptr;  ///< edges whose last update inserts them
    std::uint64_t insertion_count = 0; ///< insertions
    edge const* deletions = nullptr;   ///< edges whose last update erases them
    std::uint64_t deletion_count = 0;  ///< deletions
    std::uint64_t superseded = 0; ///< updates that a later update of the same edge in the batch overrules
};

} // namespace rhizome::graph
