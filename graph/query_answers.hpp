// SPDX-License-Identifier: Apache-2.0
// Answers to queries about many edges or vertices, in host memory.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::graph {

/// The neighbours of the vertices of a query, one list after the other in the order of the query.
template <class Id, class Value>
struct neighbour_lists {
    std::vector<std::uint64_t> offsets; ///< one per list, and the end of the last
    std::vector<Id> targets;
    std::vector<Value> values; ///< one per target; none where edges have no value

    /// The neighbours of vertex number i of the query.
    [[nodiscard]] std::span<Id const> of(std::uint64_t i) const {
        return std::span(targets).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
    /// The values of the edges to them.
    [[nodiscard]] std::span<Value const> values_of(std::uint64_t i) const {
        return std::span(values).subspan(offsets[i], offsets[i + 1] - offsets[i]);
    }
};

/// One of each per edge of the query.
template <class Value>
struct found_values {
    std::vector<Value> values;         ///< all bytes 0 where the edge is absent
    std::vector<std::uint8_t> present; ///< 0 or 1
};

} // namespace rhizome::graph
