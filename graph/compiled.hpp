// The graphs that the library rhizome::graph holds compiled, so that a program that uses them compiles none
// of their code. dynamic_graph.hpp includes this file where that library is linked.
#pragma once

#include <rhizome/alloc/compiled.hpp> // the spaces of this build
#include <rhizome/graph/dynamic_graph.hpp>

/// Declares one graph (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_GRAPH(Prefix, Space, Value)                                                              \
    Prefix template class basic_dynamic_graph<vertex_id, Space, contiguous, default_allocator<Space>, Value>;
/// The same for what needs no allocator: snapshots and queries, for graphs over all allocators.
#define RZ_COMPILED_QUERIES(Prefix, Space, Value)                                                            \
    Prefix template csr<Space, Value, vertex_id> snapshot<Value>(Space&, exec::workspace<Space>&,            \
                                                                 compiled_view<Value> const&);               \
    Prefix template void has_edges(Space&, compiled_view<Value> const&, edge const*, std::uint64_t,          \
                                   std::uint8_t*);                                                           \
    Prefix template void degrees_of(Space&, compiled_view<Value> const&, vertex_id const*, std::uint64_t,    \
                                    std::uint32_t*);                                                         \
    Prefix template std::uint64_t neighbour_offsets(Space&, exec::workspace<Space>&,                         \
                                                    compiled_view<Value> const&, vertex_id const*,           \
                                                    std::uint64_t, std::uint64_t*);                          \
    Prefix template void neighbours_of(Space&, compiled_view<Value> const&, vertex_id const*, std::uint64_t, \
                                       std::uint64_t const*, std::uint64_t, vertex_id*, void*);
#define RZ_COMPILED_VALUE_QUERIES(Prefix, Space, Value)                                                      \
    Prefix template void neighbours_of(Space&, compiled_view<Value> const&, vertex_id const*, std::uint64_t, \
                                       std::uint64_t const*, std::uint64_t, vertex_id*, Value*);             \
    Prefix template void edge_values(Space&, compiled_view<Value> const&, edge const*, std::uint64_t,        \
                                     Value*, std::uint8_t*);
#define RZ_COMPILED_VOID(Prefix, Space)                                                                      \
    RZ_COMPILED_GRAPH(Prefix, Space, void)                                                                   \
    RZ_COMPILED_QUERIES(Prefix, Space, void)
#define RZ_COMPILED_DOUBLE(Prefix, Space)                                                                    \
    RZ_COMPILED_GRAPH(Prefix, Space, double)                                                                 \
    RZ_COMPILED_QUERIES(Prefix, Space, double)                                                               \
    RZ_COMPILED_VALUE_QUERIES(Prefix, Space, double)

namespace rhizome::graph {

/// The view of a contiguous graph.
template <class Value>
using compiled_view = row_view<contiguous::format<vertex_id, Value>>;

#if !defined(__CUDACC__)
RZ_COMPILED_VOID(extern, exec::host_space)
RZ_COMPILED_DOUBLE(extern, exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_VOID(extern, exec::cuda_space)
RZ_COMPILED_DOUBLE(extern, exec::cuda_space)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_COMPILED_VOID(extern, exec::simt_space)
RZ_COMPILED_DOUBLE(extern, exec::simt_space)
#endif

} // namespace rhizome::graph
