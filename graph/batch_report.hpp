// What became of the edges of one batch.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Counts of *edges* (an undirected edge counts once, though it is two arcs). Every edge of the batch falls
/// into exactly one of them: total() is the size of the batch.
struct batch_report {
    std::uint64_t applied = 0;            ///< inserted, or erased
    std::uint64_t without_effect = 0;     ///< insert: was present already; erase: was absent
    std::uint64_t duplicates = 0;         ///< repeats another edge of the same batch
    std::uint64_t self_loops_refused = 0; ///< only where the graph refuses self-loops
    std::uint64_t rejected = 0;           ///< an endpoint is no live vertex
    std::uint64_t updated = 0;            ///< edges with values, insert: was present, has the new value now

    [[nodiscard]] constexpr std::uint64_t total() const {
        return applied + without_effect + duplicates + self_loops_refused + rejected + updated;
    }
    friend constexpr bool operator==(batch_report const&, batch_report const&) = default;
};

} // namespace rhizome::graph
