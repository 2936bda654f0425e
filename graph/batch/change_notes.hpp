// SPDX-License-Identifier: Apache-2.0
// What the arcs of a batch do to their edges: noted while rows are merged, and listed at the end of the
// batch.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// What an arc of a batch does to its edge. Only the arc that stands for the edge does something.
enum class edge_change : std::uint8_t { none, applied, updated };

/// One note for each place in the array of arcs. M: arcs of the batch.
template <class Id, class Value>
struct change_notes {
    edge_change* kinds = nullptr;     ///< M; nullptr: nothing is noted
    basic_edge<Id>* edges = nullptr;  ///< M
    std::uint32_t* numbers = nullptr; ///< M: the edge of the batch that brings the new value, if there is one
    Value* before = nullptr;          ///< M: the old value, if there is one

    [[nodiscard]] RZ_HD bool wanted() const { return kinds != nullptr; }
};

/// Where a batch appends what it has changed.
template <class Id, class Value>
struct change_targets {
    basic_edge<Id>* applied;   ///< inserted or erased edges
    Value* applied_values;     ///< the values that they have got or lost
    basic_edge<Id>* updated;   ///< edges that were present
    Value* before;             ///< their old values
    Value* after;              ///< their new ones
    Value const* batch_values; ///< of the batch's edges
};

} // namespace rhizome::graph::batch
