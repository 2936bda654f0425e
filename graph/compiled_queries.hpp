// SPDX-License-Identifier: Apache-2.0
// The queries and snapshots that the library rhizome::graph holds compiled, on the views of the graphs in
// compiled.hpp. queries.hpp and snapshot.hpp include this file where that library is linked.
#pragma once

#include <rhizome/graph/compiled.hpp>
#include <rhizome/graph/queries.hpp>
#include <rhizome/graph/snapshot.hpp>

#include <cstdint>

/// Declares them (Prefix: extern), or compiles them (Prefix empty).
#define RZ_COMPILED_QUERIES(Prefix, Id, Space, Stored)                                                       \
    Prefix template csr<Space, Stored, Id> snapshot<Stored>(Space&, exec::workspace<Space>&,                 \
                                                            compiled_view<Id, Stored> const&);               \
    Prefix template void has_edges(Space&, compiled_view<Id, Stored> const&, basic_edge<Id> const*,          \
                                   std::uint64_t, std::uint8_t*);                                            \
    Prefix template void degrees_of(Space&, compiled_view<Id, Stored> const&, Id const*, std::uint64_t,      \
                                    std::uint32_t*);                                                         \
    Prefix template std::uint64_t neighbour_offsets(Space&, exec::workspace<Space>&,                         \
                                                    compiled_view<Id, Stored> const&, Id const*,             \
                                                    std::uint64_t, std::uint64_t*);                          \
    Prefix template void neighbours_of(Space&, compiled_view<Id, Stored> const&, Id const*, std::uint64_t,   \
                                       std::uint64_t const*, std::uint64_t, Id*, void*);
/// The same for graphs with values.
#define RZ_COMPILED_VALUE_QUERIES(Prefix, Id, Space, Stored)                                                 \
    RZ_COMPILED_QUERIES(Prefix, Id, Space, Stored)                                                           \
    Prefix template void neighbours_of(Space&, compiled_view<Id, Stored> const&, Id const*, std::uint64_t,   \
                                       std::uint64_t const*, std::uint64_t, Id*, Stored*);                   \
    Prefix template void edge_values(Space&, compiled_view<Id, Stored> const&, basic_edge<Id> const*,        \
                                     std::uint64_t, Stored*, std::uint8_t*);

namespace rhizome::graph {

RZ_DECLARE_COMPILED(RZ_COMPILED_QUERIES, RZ_COMPILED_VALUE_QUERIES)

} // namespace rhizome::graph
