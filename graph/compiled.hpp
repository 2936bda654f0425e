// SPDX-License-Identifier: Apache-2.0
// The graphs that the library rhizome::graph holds compiled, so that a program that uses them compiles none
// of their code. dynamic_graph.hpp includes this file where that library is linked.
//
// A core serves all types of values of one size: a program with values of float or std::int32_t needs no
// nvcc.
#pragma once

#include <rhizome/alloc/compiled.hpp> // the spaces of this build
#include <rhizome/graph/dynamic_graph.hpp>

/// Declares one core and the queries on its view (Prefix: extern), or compiles them (Prefix empty). Queries
/// and snapshots need no allocator: they serve graphs over all of them.
#define RZ_COMPILED_GRAPH(Prefix, Id, Space, Stored)                                                         \
    Prefix template class graph_core<graph_types<Id, Space, contiguous, default_allocator<Space>, Stored>>;  \
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
#define RZ_COMPILED_VALUE_GRAPH(Prefix, Id, Space, Stored)                                                   \
    RZ_COMPILED_GRAPH(Prefix, Id, Space, Stored)                                                             \
    Prefix template void neighbours_of(Space&, compiled_view<Id, Stored> const&, Id const*, std::uint64_t,   \
                                       std::uint64_t const*, std::uint64_t, Id*, Stored*);                   \
    Prefix template void edge_values(Space&, compiled_view<Id, Stored> const&, basic_edge<Id> const*,        \
                                     std::uint64_t, Stored*, std::uint8_t*);

// By the bits of ids and the bytes of values.
#define RZ_COMPILED_32_0(Prefix, Space) RZ_COMPILED_GRAPH(Prefix, vertex_id, Space, void)
#define RZ_COMPILED_32_4(Prefix, Space) RZ_COMPILED_VALUE_GRAPH(Prefix, vertex_id, Space, stored_4_bytes)
#define RZ_COMPILED_32_8(Prefix, Space) RZ_COMPILED_VALUE_GRAPH(Prefix, vertex_id, Space, stored_8_bytes)
#define RZ_COMPILED_32_16(Prefix, Space) RZ_COMPILED_VALUE_GRAPH(Prefix, vertex_id, Space, stored_16_bytes)
#define RZ_COMPILED_64_0(Prefix, Space) RZ_COMPILED_GRAPH(Prefix, wide_vertex_id, Space, void)
#define RZ_COMPILED_64_4(Prefix, Space) RZ_COMPILED_VALUE_GRAPH(Prefix, wide_vertex_id, Space, stored_4_bytes)
#define RZ_COMPILED_64_8(Prefix, Space) RZ_COMPILED_VALUE_GRAPH(Prefix, wide_vertex_id, Space, stored_8_bytes)
#define RZ_COMPILED_64_16(Prefix, Space)                                                                     \
    RZ_COMPILED_VALUE_GRAPH(Prefix, wide_vertex_id, Space, stored_16_bytes)

#define RZ_COMPILED_CORE_GRAPHS(Prefix, Space)                                                               \
    RZ_COMPILED_32_0(Prefix, Space)                                                                          \
    RZ_COMPILED_32_8(Prefix, Space)
#if defined(RHIZOME_COMPILED_GRAPH_TYPES) // the component graph-types
#define RZ_COMPILED_GRAPHS(Prefix, Space)                                                                    \
    RZ_COMPILED_CORE_GRAPHS(Prefix, Space)                                                                   \
    RZ_COMPILED_32_4(Prefix, Space)                                                                          \
    RZ_COMPILED_32_16(Prefix, Space)                                                                         \
    RZ_COMPILED_64_0(Prefix, Space)                                                                          \
    RZ_COMPILED_64_4(Prefix, Space)                                                                          \
    RZ_COMPILED_64_8(Prefix, Space)                                                                          \
    RZ_COMPILED_64_16(Prefix, Space)
#else
#define RZ_COMPILED_GRAPHS(Prefix, Space) RZ_COMPILED_CORE_GRAPHS(Prefix, Space)
#endif

namespace rhizome::graph {

/// What graphs store for numbers of these sizes, and for structures of numbers of 8 bytes.
using stored_4_bytes = stored_value<4, 4>;
using stored_8_bytes = stored_value<8, 8>;
using stored_16_bytes = stored_value<16, 8>;

/// The view of a contiguous graph.
template <class Id, class Stored>
using compiled_view = row_view<contiguous::format<Id, Stored>>;

#if !defined(__CUDACC__)
RZ_COMPILED_GRAPHS(extern, exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_GRAPHS(extern, exec::cuda_space)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_COMPILED_CORE_GRAPHS(extern, exec::simt_space)
#endif

} // namespace rhizome::graph
