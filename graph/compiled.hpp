// SPDX-License-Identifier: Apache-2.0
// The graphs that the library rhizome::graph holds compiled, so that a program that uses them compiles none
// of their code. dynamic_graph.hpp includes this file where that library is linked.
//
// A core serves all types of values of one size: a program with values of float or std::int32_t needs no
// nvcc.
#pragma once

#include <rhizome/exec/compiled_spaces.hpp>
#include <rhizome/graph/dynamic_graph.hpp>

#include <memory>
#include <type_traits>

/// Declares the engine of one graph (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_GRAPH(Prefix, Id, Space, Stored)                                                         \
    Prefix template std::unique_ptr<core_interface<Id, Space, contiguous, Stored>>                           \
    make_core<graph_types<Id, Space, contiguous, default_allocator<Space>, Stored>>(Space,                   \
                                                                                    graph_options const&);   \
    std::true_type available_core(                                                                           \
        graph_types<Id, Space, contiguous, default_allocator<Space>, Stored> const* types);

// The list, by the bits of ids and the bytes of values. Each calls None, or Some if edges have values, with
// (Prefix, id, space, stored values).
#define RZ_COMPILED_32_0(Prefix, Space, None, Some) None(Prefix, vertex_id, Space, void)
#define RZ_COMPILED_32_4(Prefix, Space, None, Some) Some(Prefix, vertex_id, Space, stored_4_bytes)
#define RZ_COMPILED_32_8(Prefix, Space, None, Some) Some(Prefix, vertex_id, Space, stored_8_bytes)
#define RZ_COMPILED_32_16(Prefix, Space, None, Some) Some(Prefix, vertex_id, Space, stored_16_bytes)
#define RZ_COMPILED_64_0(Prefix, Space, None, Some) None(Prefix, wide_vertex_id, Space, void)
#define RZ_COMPILED_64_4(Prefix, Space, None, Some) Some(Prefix, wide_vertex_id, Space, stored_4_bytes)
#define RZ_COMPILED_64_8(Prefix, Space, None, Some) Some(Prefix, wide_vertex_id, Space, stored_8_bytes)
#define RZ_COMPILED_64_16(Prefix, Space, None, Some) Some(Prefix, wide_vertex_id, Space, stored_16_bytes)

#define RZ_COMPILED_CORE_GRAPHS(Prefix, Space, None, Some)                                                   \
    RZ_COMPILED_32_0(Prefix, Space, None, Some)                                                              \
    RZ_COMPILED_32_8(Prefix, Space, None, Some)
#if defined(RHIZOME_COMPILED_VALUES_OF_4_BYTES) // the components weight-types and graph-types
#define RZ_COMPILED_WEIGHT_GRAPHS(Prefix, Space, None, Some)                                                 \
    RZ_COMPILED_CORE_GRAPHS(Prefix, Space, None, Some)                                                       \
    RZ_COMPILED_32_4(Prefix, Space, None, Some)
#else
#define RZ_COMPILED_WEIGHT_GRAPHS(Prefix, Space, None, Some)                                                 \
    RZ_COMPILED_CORE_GRAPHS(Prefix, Space, None, Some)
#endif
#if defined(RHIZOME_COMPILED_GRAPH_TYPES) // the component graph-types
#define RZ_COMPILED_GRAPHS(Prefix, Space, None, Some)                                                        \
    RZ_COMPILED_WEIGHT_GRAPHS(Prefix, Space, None, Some)                                                     \
    RZ_COMPILED_32_16(Prefix, Space, None, Some)                                                             \
    RZ_COMPILED_64_0(Prefix, Space, None, Some)                                                              \
    RZ_COMPILED_64_4(Prefix, Space, None, Some)                                                              \
    RZ_COMPILED_64_8(Prefix, Space, None, Some)                                                              \
    RZ_COMPILED_64_16(Prefix, Space, None, Some)
#else
#define RZ_COMPILED_GRAPHS(Prefix, Space, None, Some) RZ_COMPILED_WEIGHT_GRAPHS(Prefix, Space, None, Some)
#endif

// For the spaces of this build. nvcc is told of graphs on the host too, though it does not read their space.
#define RZ_COMPILED_ON_HOST(None, Some) RZ_COMPILED_GRAPHS(extern, exec::host_space, None, Some)
#if defined(RHIZOME_HAS_CUDA)
#define RZ_COMPILED_ON_CUDA(None, Some) RZ_COMPILED_GRAPHS(extern, exec::cuda_space, None, Some)
#else
#define RZ_COMPILED_ON_CUDA(None, Some)
#endif
#if defined(RHIZOME_COMPILED_SIMT)
#define RZ_COMPILED_ON_SIMT(None, Some) RZ_COMPILED_CORE_GRAPHS(extern, exec::simt_space, None, Some)
#else
#define RZ_COMPILED_ON_SIMT(None, Some)
#endif
#define RZ_DECLARE_COMPILED(None, Some)                                                                      \
    RZ_COMPILED_ON_HOST(None, Some)                                                                          \
    RZ_COMPILED_ON_CUDA(None, Some)                                                                          \
    RZ_COMPILED_ON_SIMT(None, Some)

namespace rhizome::exec {
class host_space;
class simt_space;
} // namespace rhizome::exec

namespace rhizome::graph {

/// What graphs store for numbers of these sizes, and for structures of numbers of 8 bytes.
using stored_4_bytes = stored_value<4, 4>;
using stored_8_bytes = stored_value<8, 8>;
using stored_16_bytes = stored_value<16, 8>;

/// The view of a contiguous graph.
template <class Id, class Stored>
using compiled_view = row_view<contiguous::format<Id, Stored>>;

RZ_DECLARE_COMPILED(RZ_COMPILED_GRAPH, RZ_COMPILED_GRAPH)

} // namespace rhizome::graph
