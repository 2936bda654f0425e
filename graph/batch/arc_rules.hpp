// SPDX-License-Identifier: Apache-2.0
// Which arcs an edge of a batch gives, and in which rows they belong.
//
// A row is a record of the vertex table: an out-adjacency, or an in-adjacency where the graph keeps in-arcs.
// An undirected edge is two arcs, as is a directed edge with in_arcs. Both are applied together because they
// are in one batch.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/row_ids.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

enum class verdict : std::uint32_t { taken, rejected, self_loop };

/// One direction of an edge, in the row where it belongs.
template <class Id>
struct row_arc {
    std::uint64_t row;
    Id target;
    bool exists; ///< a self-loop of an undirected graph has no second arc
};

/// Says that a graph holds only the rows of some vertices of a larger graph. Its batches consist of arcs: the
/// `source` of an edge is the number of a row, and the `target` a vertex id of the whole graph. The caller
/// passes only arcs that exist, both arcs of an edge to the graphs that have their rows.
struct part_of_graph {
    std::uint64_t all_ids = 0; ///< vertex ids of the whole graph are less than this
    row_ids ids{};             ///< of the vertices that have their rows here
};

template <class Id>
struct arc_rules {
    std::uint64_t vertices;    ///< that have rows
    std::uint32_t const* dead; ///< one bit per vertex; nullptr: all are live
    std::uint32_t stride;      ///< rows per vertex: 1 or 2
    bool directed;
    bool self_loops;
    bool refuses_unknown_ids; ///< a batch with a rejected edge is stopped
    bool is_part = false;     ///< whether `part` counts
    part_of_graph part{};

    /// Targets of arcs are less than this.
    [[nodiscard]] RZ_HD std::uint64_t target_count() const { return is_part ? part.all_ids : vertices; }
    /// The vertex that has a row.
    [[nodiscard]] RZ_HD std::uint64_t vertex_of(std::uint64_t row) const {
        std::uint64_t const number = row >> (stride - 1); // a division by 1 or 2 would take 50 instructions
        return is_part ? part.ids(number) : number;
    }
    [[nodiscard]] RZ_HD verdict judge(basic_edge<Id> const& e) const {
        if (is_part)
            return e.source < vertices * stride && e.target < part.all_ids ? verdict::taken
                                                                           : verdict::rejected;
        if (e.source >= vertices || e.target >= vertices) return verdict::rejected;
        if (dead != nullptr && (is_dead(dead, e.source) || is_dead(dead, e.target))) return verdict::rejected;
        return e.source == e.target && !self_loops ? verdict::self_loop : verdict::taken;
    }
    /// How many arcs an edge of a batch has.
    [[nodiscard]] RZ_HD std::uint32_t arcs_per_edge() const {
        return is_part || (directed && stride == 1) ? 1 : 2;
    }
    /// Arc number `which` of an edge that is taken.
    [[nodiscard]] RZ_HD row_arc<Id> arc(basic_edge<Id> const& e, std::uint32_t which) const {
        if (which == 0) return {std::uint64_t{e.source} * (is_part ? 1 : stride), e.target, true};
        return {std::uint64_t{e.target} * stride + (directed ? 1u : 0u), e.source,
                directed || e.source != e.target};
    }
    /// Whether an arc stands for its edge: exactly one of the arcs of each edge does, over all parts.
    [[nodiscard]] RZ_HD bool stands_for_edge(std::uint64_t row, Id target) const {
        if (!directed) return vertex_of(row) <= target;
        return stride == 1 || row % 2 == 0;
    }
};

} // namespace rhizome::graph::batch
