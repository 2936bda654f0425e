// SPDX-License-Identifier: Apache-2.0
// Queries of a rank about its own vertices. Bodies of partitioned_graph.hpp.
#pragma once

namespace rhizome::graph {

template <class Space, owner_policy Owners, class EdgeValue, class Id>
void partitioned_graph<Space, Owners, EdgeValue, Id>::expect_owned(std::uint64_t id) const {
    if (id < vertices_ && owners_.owner(id) != rank())
        throw std::invalid_argument("vertex " + std::to_string(id) + " belongs to rank " +
                                    std::to_string(owners_.owner(id)) + ", and rank " +
                                    std::to_string(rank()) + " is asked");
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<std::uint8_t>
partitioned_graph<Space, Owners, EdgeValue, Id>::has_edges(std::span<edge_type const> edges) {
    for (edge_type const& e : edges)
        expect_owned(e.source);
    std::vector<std::uint8_t> present(edges.size());
    if (edges.empty()) return present;
    edge_type* const asked = scratch_.edges(edges.size());
    auto* const found = reinterpret_cast<std::uint8_t*>(scratch_.offsets((edges.size() + 7) / 8));
    space().copy_in(asked, edges.data(), edges.size_bytes());
    graph::has_edges(space(), view(), asked, edges.size(), found);
    space().copy_out(present.data(), found, present.size());
    return present;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
auto partitioned_graph<Space, Owners, EdgeValue, Id>::find_values(std::span<edge_type const> edges)
    -> found_values<value_type> {
    for (edge_type const& e : edges)
        expect_owned(e.source);
    found_values<value_type> answer{std::vector<value_type>(edges.size()),
                                    std::vector<std::uint8_t>(edges.size())};
    if (edges.empty()) return answer;
    edge_type* const asked = scratch_.edges(edges.size());
    auto* const present = reinterpret_cast<std::uint8_t*>(scratch_.offsets((edges.size() + 7) / 8));
    value_type* const values = scratch_.values(edges.size());
    space().copy_in(asked, edges.data(), edges.size_bytes());
    graph::edge_values(space(), view(), asked, edges.size(), values, present);
    space().copy_out(answer.values.data(), values, edges.size() * sizeof(value_type));
    space().copy_out(answer.present.data(), present, edges.size());
    return answer;
}

/// The rows of vertices. Ids of no live vertex get a number that no row has.
template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<Id> partitioned_graph<Space, Owners, EdgeValue, Id>::rows_of(std::span<Id const> ids) const {
    std::vector<Id> rows;
    rows.reserve(ids.size());
    for (Id const id : ids) {
        expect_owned(id);
        bool const lives = id < vertices_ && !ids_->is_free(id);
        rows.push_back(lives ? static_cast<Id>(owners_.row(id)) : no_vertex_of<Id>);
    }
    return rows;
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
std::vector<std::uint32_t> partitioned_graph<Space, Owners, EdgeValue, Id>::degrees(std::span<Id const> ids) {
    return local_->degrees(rows_of(ids));
}

template <class Space, owner_policy Owners, class EdgeValue, class Id>
auto partitioned_graph<Space, Owners, EdgeValue, Id>::neighbours_of(std::span<Id const> ids)
    -> neighbour_lists<Id, value_type> {
    return local_->neighbours_of(rows_of(ids));
}

} // namespace rhizome::graph
