// SPDX-License-Identifier: Apache-2.0
// A batch that kernels can read.
#pragma once

#include <cstdint>

namespace rhizome::graph::batch {

struct arc_form;

/// The edges of a batch, in memory that kernels of the space can read. Does not own the arrays.
template <class Edge, class Value>
struct placed_batch {
    Edge const* edges = nullptr;
    Value const* values = nullptr; ///< values[i] of edges[i]; nullptr: the batch has none
    std::uint64_t count = 0;       ///< of edges
    arc_form* form = nullptr;      ///< of the arcs of a part (packed_arcs.hpp); nullptr: edges
};

} // namespace rhizome::graph::batch
