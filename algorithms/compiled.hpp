// SPDX-License-Identifier: Apache-2.0
// The algorithms that the library rhizome::algorithms holds compiled, over the graphs of graph/compiled.hpp
// and their snapshots. Their headers include this file where that library is linked.
#pragma once

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/delta_pagerank.hpp>
#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/graph/compiled.hpp>
#include <rhizome/graph/csr.hpp>

#include <cstdint>
#include <span>
#include <type_traits>

/// Declares PageRank (Prefix: extern), or compiles it (Prefix empty), over one kind of view.
#define RZ_COMPILED_PAGERANK(Prefix, Space, Real, ...)                                                       \
    Prefix template pagerank_result<Space, Real> pagerank<Real, Space>::run_on<__VA_ARGS__>(                 \
        __VA_ARGS__ const&, pagerank_options const&, pagerank_inputs<Real, graph::vertex_id> const&);
/// The same for delta PageRank.
#define RZ_COMPILED_DELTA_PAGERANK(Prefix, Space, ...)                                                       \
    Prefix template delta_pagerank_result<Space> delta_pagerank<Space>::run_on<__VA_ARGS__>(                 \
        __VA_ARGS__ const&, delta_pagerank_options const&,                                                   \
        pagerank_inputs<double, graph::vertex_id> const&);
/// The same for triangle counting.
#define RZ_COMPILED_TRIANGLES(Prefix, Space, ...)                                                            \
    Prefix template std::uint64_t triangle_counter<Space>::count_in<__VA_ARGS__>(__VA_ARGS__ const&,         \
                                                                                 triangle_options const&);
/// The same for breadth-first search.
#define RZ_COMPILED_BFS(Prefix, Space, ...)                                                                  \
    Prefix template bfs_report breadth_first_search<Space>::run_on<__VA_ARGS__>(                             \
        __VA_ARGS__ const&, std::span<graph::vertex_id const>, std::uint32_t*, graph::vertex_id*,            \
        bfs_options const&);
/// The same for connected components.
#define RZ_COMPILED_COMPONENTS(Prefix, Space, ...)                                                           \
    Prefix template std::uint64_t connected_components<Space>::run_on<__VA_ARGS__>(__VA_ARGS__ const&,       \
                                                                                   graph::vertex_id*);
/// The same for core numbers.
#define RZ_COMPILED_K_CORE(Prefix, Space, ...)                                                               \
    Prefix template k_core_report k_core<Space>::run_on<__VA_ARGS__>(__VA_ARGS__ const&, std::uint32_t*,     \
                                                                     k_core_options const&);
/// The same for shortest paths; for views with edge values.
#define RZ_COMPILED_SHORTEST_PATHS(Prefix, Space, ...)                                                       \
    Prefix template shortest_paths_report shortest_paths<Space>::run<__VA_ARGS__>(                           \
        __VA_ARGS__ const&, std::span<graph::vertex_id const>,                                               \
        distance_of<typename __VA_ARGS__::value_type>*, graph::vertex_id*, shortest_paths_options const&);
/// All that need no edge values, with ranks of both types.
#define RZ_COMPILED_ALGORITHMS(Prefix, Space, ...)                                                           \
    RZ_COMPILED_PAGERANK(Prefix, Space, float, __VA_ARGS__)                                                  \
    RZ_COMPILED_PAGERANK(Prefix, Space, double, __VA_ARGS__)                                                 \
    RZ_COMPILED_DELTA_PAGERANK(Prefix, Space, __VA_ARGS__)                                                   \
    RZ_COMPILED_TRIANGLES(Prefix, Space, __VA_ARGS__)                                                        \
    RZ_COMPILED_BFS(Prefix, Space, __VA_ARGS__)                                                              \
    RZ_COMPILED_COMPONENTS(Prefix, Space, __VA_ARGS__)                                                       \
    RZ_COMPILED_K_CORE(Prefix, Space, __VA_ARGS__)
#define RZ_COMPILED_VIEWS(Space)                                                                             \
    RZ_COMPILED_ALGORITHMS(extern, Space, neighbours_view)                                                   \
    RZ_COMPILED_ALGORITHMS(extern, Space, valued_view)                                                       \
    RZ_COMPILED_ALGORITHMS(extern, Space, graph::csr_view)                                                   \
    RZ_COMPILED_SHORTEST_PATHS(extern, Space, view_of_doubles)

namespace rhizome::algorithms {

// Of contiguous graphs, whatever their allocator: without values; with values of any type, for algorithms
// that read none of them; with values of double.
using neighbours_view = graph::compiled_view<graph::vertex_id, void>;
using valued_view = graph::compiled_view<graph::vertex_id, graph::stored_8_bytes>;
using view_of_doubles = graph::compiled_view<graph::vertex_id, double>;
static_assert(std::is_same_v<graph::untyped_view<view_of_doubles>, valued_view>);

#if !defined(__CUDACC__)
RZ_COMPILED_VIEWS(exec::host_space)
#endif
#if defined(RHIZOME_HAS_CUDA)
RZ_COMPILED_VIEWS(exec::cuda_space)
#endif
#if defined(RHIZOME_COMPILED_SIMT) && !defined(__CUDACC__)
RZ_COMPILED_VIEWS(exec::simt_space)
#endif

} // namespace rhizome::algorithms
