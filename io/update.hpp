// SPDX-License-Identifier: Apache-2.0
// One update of a graph, and a batch of updates.
#pragma once

#include <rhizome/graph/update.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::io {

using graph::operation;
using graph::update;

/// Updates in the order of the stream. Columns that no update needs are empty.
struct update_batch {
    std::vector<update> updates;         ///< in the order of the stream
    std::vector<double> weights;         ///< one per update, 1 where it names none; empty: none names any
    std::vector<std::int64_t> times;     ///< one per update, in the unit of the stream; empty: it has none
    std::uint64_t expired = 0;           ///< so many updates at the end erase edges that left a window
    std::uint64_t first_weight_line = 0; ///< line of the stream's first weight; 0: the batch names no weight

    /// Returns the number of updates.
    [[nodiscard]] std::size_t size() const { return updates.size(); }
    /// Returns whether there are no updates.
    [[nodiscard]] bool empty() const { return updates.empty(); }
    /// Makes the batch empty. Keeps its memory.
    void clear() {
        updates.clear();
        weights.clear();
        times.clear();
        expired = 0;
        first_weight_line = 0;
    }
};

} // namespace rhizome::io
