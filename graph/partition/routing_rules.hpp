// SPDX-License-Identifier: Apache-2.0
// Which arcs an edge of a batch has, and which rank each belongs to.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/partition/owners.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

/// The value of an edge without one.
struct no_edge_value {};

/// An arc on its way to the rank that has its row: the row's number there, and the id of the vertex that it
/// leads to. With in-arcs, vertex number v of a rank has the rows 2 v (out) and 2 v + 1 (in). The row is the
/// `source` of an edge, as batches of a batch::part_of_graph have it.
template <class Id>
using routed_arc = basic_edge<Id>;

/// Which arcs an edge has, and where they belong. An edge is rejected if an end is not less than `vertices`,
/// or erased.
template <class Id, owner_policy Owners>
struct routing_rules {
    Owners owners;
    std::uint64_t vertices; ///< ids are less than this
    bool directed = false;  ///< false: an arc in each direction
    bool in_arcs = false;   ///< directed only: also an arc in the row of in-neighbours of the target
    bool self_loops = true; ///< false: they are refused
    std::uint32_t const* dead = nullptr; ///< one bit per vertex: 1 if it is erased; nullptr: none is

    [[nodiscard]] RZ_HD bool knows(basic_edge<Id> const& e) const {
        return e.source < vertices && e.target < vertices &&
               (dead == nullptr || (!is_dead(dead, e.source) && !is_dead(dead, e.target)));
    }
    [[nodiscard]] RZ_HD bool refuses(basic_edge<Id> const& e) const {
        return e.source == e.target && !self_loops;
    }
    [[nodiscard]] RZ_HD std::uint32_t arcs_per_edge() const { return directed && !in_arcs ? 1 : 2; }
    /// Whether arc number `which` of an edge exists. A self-loop of an undirected graph has only one.
    [[nodiscard]] RZ_HD bool has_arc(basic_edge<Id> const& e, std::uint32_t which) const {
        return knows(e) && !refuses(e) && (which == 0 || directed || e.source != e.target);
    }
    /// The vertex in whose row the arc is.
    [[nodiscard]] RZ_HD static Id vertex_of(basic_edge<Id> const& e, std::uint32_t which) {
        return which == 0 ? e.source : e.target;
    }
    [[nodiscard]] RZ_HD routed_arc<Id> arc(basic_edge<Id> const& e, std::uint32_t which) const {
        std::uint64_t const row = owners.row(vertex_of(e, which));
        return {static_cast<Id>(in_arcs ? 2 * row + which : row), which == 0 ? e.target : e.source};
    }
};

} // namespace rhizome::graph
