// What a batch did with its edges, or with its vertices.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Counts of *edges*: an undirected edge counts once, though it is two arcs. Each edge of the batch is in
/// exactly one count: the first that applies of rejected, self_loops_refused, duplicates, and the others.
/// (Each repeat of a rejected edge is rejected again, not a duplicate.)
struct batch_report {
    std::uint64_t applied = 0;            ///< inserted, or erased
    std::uint64_t without_effect = 0;     ///< insert: was already present; erase: was absent
    std::uint64_t duplicates = 0;         ///< further occurrences of an edge; {u, v} is {v, u} if undirected
    std::uint64_t self_loops_refused = 0; ///< self-loops, where the graph refuses them
    std::uint64_t rejected = 0;           ///< an end is not the id of a live vertex
    std::uint64_t updated = 0;            ///< insert, edges with values: was present and has the new value
                                          ///< now

    /// The sum of all counts: the number of edges of the batch.
    [[nodiscard]] constexpr std::uint64_t total() const {
        return applied + without_effect + duplicates + self_loops_refused + rejected + updated;
    }
    /// Adds count by count, for the report of several batches.
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

/// What a batch did with the vertices that it was to erase, and with their edges. The first three counts add
/// up to the number of ids that were given.
struct vertex_report {
    std::uint64_t erased = 0;     ///< were live and are erased now
    std::uint64_t absent = 0;     ///< ids that do not belong to a live vertex
    std::uint64_t duplicates = 0; ///< repeat another id of the batch
    std::uint64_t edges = 0;      ///< erased with the vertices; an undirected edge counts once

    friend constexpr bool operator==(vertex_report const&, vertex_report const&) = default;
};

} // namespace rhizome::graph
