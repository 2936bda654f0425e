// SPDX-License-Identifier: Apache-2.0
// Turns two columns of ids into the pairs that a batch reads.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/edge_columns.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstdint>

namespace rhizome::graph::batch {

/// A number that an Id cannot hold becomes the id that no vertex has, so that the batch rejects the edge.
template <class Id, class Column>
[[nodiscard]] RZ_HD Id id_of_number(Column number) {
    if constexpr (sizeof(Column) > sizeof(Id))
        return number < no_vertex_of<Id> ? static_cast<Id>(number) : no_vertex_of<Id>;
    else
        return number;
}

/// edges[i] = {sources[i], targets[i]}.
template <class Id, class Column>
struct pair_columns {
    Column const* sources;
    Column const* targets;
    std::uint64_t count;
    basic_edge<Id>* edges;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            edges[i] = {id_of_number<Id>(sources[i]), id_of_number<Id>(targets[i])};
        });
    }
};

/// Writes `count` pairs from the one of number `first` on. The columns and `edges` lie in host memory; the
/// calling thread does the work.
template <class Id, class Column>
void pair_on_host(edge_columns<Column> const& columns, std::uint64_t first, std::uint64_t count,
                  basic_edge<Id>* edges) {
    Column const* const sources = columns.sources.data() + first;
    Column const* const targets = columns.targets.data() + first;
    for (std::uint64_t i = 0; i < count; ++i)
        edges[i] = {id_of_number<Id>(sources[i]), id_of_number<Id>(targets[i])};
}

/// Writes the pairs of columns in the memory of the space to `edges`, in the order of the space.
/// Asynchronous. Cost: one launch.
template <class Space, class Id, class Column>
void pair_in_space(Space& space, edge_columns<Column> const& columns, basic_edge<Id>* edges) {
    std::uint64_t const count = columns.size();
    if (count == 0) return;
    launch(space, cover_threads(space, count),
           pair_columns<Id, Column>{columns.sources.data(), columns.targets.data(), count, edges});
}

/// The same for columns in host memory, which do not change until the space has done this work. `scratch`
/// holds at most `edges_at_once` edges at a time. Throws out_of_memory.
template <class Space, class Id, class Column>
void pair_from_host(Space& space, exec::copy_lane<Space>& lane, exec::workspace<Space>& scratch,
                    edge_columns<Column> const& columns, basic_edge<Id>* edges, std::uint64_t edges_at_once) {
    std::uint64_t const count = columns.size();
    std::uint64_t const most = std::min(count, edges_at_once);
    auto* const sources = scratch.template at_least_of<Column>(2 * most);
    auto* const targets = sources + most;
    for (std::uint64_t first = 0; first < count; first += most) {
        edge_columns<Column> const part{columns.sources.subspan(first, std::min(most, count - first)),
                                        columns.targets.subspan(first, std::min(most, count - first))};
        lane.lend(sources, part.sources.data(), part.sources.size_bytes());
        lane.lend(targets, part.targets.data(), part.targets.size_bytes());
        pair_in_space(space, edge_columns<Column>{{sources, part.size()}, {targets, part.size()}},
                      edges + first);
    }
}

} // namespace rhizome::graph::batch
