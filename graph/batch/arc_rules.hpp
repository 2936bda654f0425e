// Which arcs an edge of a batch gives, and in which rows they belong.
//
// A row is a record of the vertex table: an out-adjacency, or an in-adjacency where the graph keeps in-arcs.
// An undirected edge is two arcs, as is a directed edge with in_arcs. Both are applied together because they
// are in one batch.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
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

template <class Id>
struct arc_rules {
    std::uint64_t vertices;
    std::uint32_t const* dead; ///< one bit per vertex; nullptr: all are live
    std::uint32_t stride;      ///< rows per vertex
    bool directed;
    bool self_loops;

    [[nodiscard]] RZ_HD verdict judge(basic_edge<Id> const& e) const {
        if (e.source >= vertices || e.target >= vertices) return verdict::rejected;
        if (dead != nullptr && (is_dead(dead, e.source) || is_dead(dead, e.target))) return verdict::rejected;
        return e.source == e.target && !self_loops ? verdict::self_loop : verdict::taken;
    }
    /// How many arcs an edge has.
    [[nodiscard]] RZ_HD std::uint32_t arcs_per_edge() const { return directed && stride == 1 ? 1 : 2; }
    /// Arc number `which` of an edge that is taken.
    [[nodiscard]] RZ_HD row_arc<Id> arc(basic_edge<Id> const& e, std::uint32_t which) const {
        if (which == 0) return {std::uint64_t{e.source} * stride, e.target, true};
        return {std::uint64_t{e.target} * stride + (directed ? 1u : 0u), e.source,
                directed || e.source != e.target};
    }
    /// Whether an arc stands for its edge: exactly one of the arcs of each edge does.
    [[nodiscard]] RZ_HD bool stands_for_edge(std::uint64_t row, Id target) const {
        if (!directed) return row <= target;
        return stride == 1 || row % 2 == 0;
    }
};

} // namespace rhizome::graph::batch
