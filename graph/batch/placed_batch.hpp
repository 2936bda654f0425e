// SPDX-License-Identifier: Apache-2.0
// A batch that kernels can read.
#pragma once

#include <cstdint>

namespace rhizome::graph::batch {

/// Edges of a batch in the space, and their values if it has any.
template <class Edge, class Value>
struct placed_batch {
    Edge const* edges = nullptr;
    Value const* values = nullptr;
    std::uint64_t count = 0;
};

} // namespace rhizome::graph::batch
