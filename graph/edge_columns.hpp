// SPDX-License-Identifier: Apache-2.0
// Edges of a batch as two columns, instead of an array of pairs.
#pragma once

#include <concepts>
#include <cstdint>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

namespace rhizome::graph {

/// What a column holds: ids of 32 or 64 bits, whichever the graph's own ids have.
template <class Column>
concept edge_column = std::same_as<Column, std::uint32_t> || std::same_as<Column, std::uint64_t>;

/// Edge i is sources[i] -> targets[i], or {sources[i], targets[i]} in an undirected graph. Both columns lie
/// in host memory, or both in the memory of the graph's space: the function that takes them says which.
template <edge_column Column>
struct edge_columns {
    std::span<Column const> sources;
    std::span<Column const> targets;

    /// Throws std::invalid_argument where the columns are not equally long.
    [[nodiscard]] std::uint64_t size() const {
        if (sources.size() != targets.size())
            throw std::invalid_argument("edge_columns: " + std::to_string(sources.size()) + " sources, " +
                                        std::to_string(targets.size()) + " targets");
        return sources.size();
    }
};
template <class Sources, class Targets>
edge_columns(Sources const&, Targets const&) -> edge_columns<std::ranges::range_value_t<Sources>>;

/// Columns of either type.
using column_batch = std::variant<edge_columns<std::uint32_t>, edge_columns<std::uint64_t>>;

} // namespace rhizome::graph
