// One update of a graph, and a batch of updates.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::io {

enum class operation : std::uint8_t { insert, erase };

/// One update of one edge.
struct update {
    io::operation operation; ///< insert or erase
    graph::edge edge;        ///< the edge

    /// Compares operation and edge.
    friend constexpr bool operator==(update const&, update const&) = default;
};

/// Updates in the order of the stream. weights[i] belongs to updates[i]; it is 1 if the stream has none.
struct update_batch {
    std::vector<update> updates;         ///< in the order of the stream
    std::vector<double> weights;         ///< one per update
    std::uint64_t first_weight_line = 0; ///< line of the first weight in the batch; 0: it has none

    /// Returns the number of updates.
    [[nodiscard]] std::size_t size() const { return updates.size(); }
    /// Returns whether there are no updates.
    [[nodiscard]] bool empty() const { return updates.empty(); }
};

} // namespace rhizome::io
