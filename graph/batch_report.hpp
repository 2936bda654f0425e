// What became of the edges, or the vertices, of one batch.
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
    constexpr batch_report& operator+=(batch_report const& other) {
        applied += other.applied;
        without_effect += other.without_effect;
        duplicates += other.duplicates;
        self_loops_refused += other.self_loops_refused;
        rejected += other.rejected;
        updated += other.updated;
        return *this;
    }
    friend constexpr bool operator==(batch_report const&, batch_report const&) = default;
};

/// What became of the vertices that were to be erased, and of their edges. The first three add up to how many
/// names were given.
struct vertex_report {
    std::uint64_t erased = 0;
    std::uint64_t absent = 0;     ///< names of no live vertex
    std::uint64_t duplicates = 0; ///< repeat another name of the same batch
    std::uint64_t edges = 0;      ///< erased with them; undirected edges count once

    friend constexpr bool operator==(vertex_report const&, vertex_report const&) = default;
};

} // namespace rhizome::graph
