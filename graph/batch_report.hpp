// SPDX-License-Identifier: Apache-2.0
// What a batch did with its edges, or with its vertices.
#pragma once

#include <cstdint>

namespace rhizome::graph {

/// Requests for many pages at once (graph_options::pages). All zero if the batch made none.
struct bulk_requests {
    std::uint64_t served = 0;        ///< requests: one per size class
    std::uint64_t pages = 0;         ///< obtained by them
    std::uint64_t refused = 0;       ///< requests that were refused, or given back because the batch lacked
                                     ///< other pages
    std::uint64_t refused_pages = 0; ///< of these requests: requested again, one by one

    constexpr bulk_requests& operator+=(bulk_requests const& other) {
        served += other.served;
        pages += other.pages;
        refused += other.refused;
        refused_pages += other.refused_pages;
        return *this;
    }
    friend constexpr bool operator==(bulk_requests const&, bulk_requests const&) = default;
};

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
    bulk_requests bulk{};                 ///< how the batch obtained pages; not part of total() and ==

    /// The sum of the counts of edges: the number of edges of the batch.
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
        bulk += other.bulk;
        return *this;
    }
    /// Whether the counts of edges are equal.
    friend constexpr bool operator==(batch_report const& a, batch_report const& b) {
        return a.applied == b.applied && a.without_effect == b.without_effect &&
               a.duplicates == b.duplicates && a.self_loops_refused == b.self_loops_refused &&
               a.rejected == b.rejected && a.updated == b.updated;
    }
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
