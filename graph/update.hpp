// SPDX-License-Identifier: Apache-2.0
// One update of a graph: one entry of an update stream.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

enum class operation : std::uint8_t { insert, erase };

/// One update of one edge.
struct update {
    graph::operation operation; ///< insert or erase
    graph::edge edge;           ///< the edge

    /// Compares operation and edge.
    friend constexpr bool operator==(update const&, update const&) = default;
};

/// Returns the pair as one word. If not `directed`, {u, v} and {v, u} have the same key.
[[nodiscard]] RZ_HD constexpr std::uint64_t edge_key(edge pair, bool directed) {
    bool const keeps_order = directed || pair.source <= pair.target;
    std::uint64_t const first = keeps_order ? pair.source : pair.target;
    return first << 32 | (keeps_order ? pair.target : pair.source);
}

} // namespace rhizome::graph
