// The graphs that the library rhizome::graph holds compiled, so that a program that uses them compiles none of their
// code. dynamic_graph.hpp includes this file where that library is linked.
#pragma once

#include <rhizome/graph/dynamic_graph.hpp>

// nvcc compiles the user's kernels, any compiler the calls of a graph on the GPU.
#if !defined(__CUDACC__)
#include <rhizome/exec/host.hpp>
#endif
#if defined(RHIZOME_HAS_CUDA)
#include <rhizome/exec/cuda.hpp>
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
#include <rhizome/exec/simt.hpp>
#endif

/// Declares one graph (Prefix: extern), or compiles it (Prefix empty).
#define RZ_COMPILED_GRAPH(Prefix, Space, Value)                                                              \
    Prefix template class basic_dynamic_graph<vertex_id, exec::Space, contiguous,                            \
                                              default_allocator<exec::Space>, Value>;

namespace rhizome::graph {

#if !defined(__CUDACC__)
RZ_COMPILED_GRAPH(extern, host, void)
RZ_COMPILED_GRAPH(extern, host, double)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_GRAPH(extern, cuda, void)
RZ_COMPILED_GRAPH(extern, cuda, double)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_COMPILED_GRAPH(extern, simt, void)
RZ_COMPILED_GRAPH(extern, simt, double)
#endif

} // namespace rhizome::graph
