// The default graph, PageRank and triangle counting on it, as the library holds them compiled: include this header
// instead of graph/dynamic_graph.hpp and the algorithms' headers, and link rhizome::runtime. Your file then compiles
// none of their kernels, only your own. All other types work as before: the compiler instantiates them in your file.
#pragma once

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/dynamic_graph.hpp>
#if defined(__CUDACC__)
#include <rhizome/exec/cuda.hpp>
#endif

namespace rhizome::runtime::detail {
/// What graph::dynamic_graph<Space>::view() gives.
template <class Space>
using default_view = typename graph::dynamic_graph<Space>::view_type;
} // namespace rhizome::runtime::detail

#define RZ_COMPILED_DEFAULTS(prefix, Space)                                                                 \
    prefix template class rhizome::graph::basic_dynamic_graph<                                              \
        rhizome::graph::vertex_id, Space, rhizome::graph::contiguous,                                       \
        rhizome::graph::default_allocator<Space>, void>;
#define RZ_COMPILED_ALGORITHMS(prefix, Space, View)                                                         \
    prefix template rhizome::algorithms::pagerank_result<Space, float>                                      \
    rhizome::algorithms::pagerank<float, Space>::run(View const&,                                           \
                                                     rhizome::algorithms::pagerank_options const&);         \
    prefix template rhizome::algorithms::pagerank_result<Space, double>                                     \
    rhizome::algorithms::pagerank<double, Space>::run(View const&,                                          \
                                                      rhizome::algorithms::pagerank_options const&);        \
    prefix template std::uint64_t rhizome::algorithms::triangle_counter<Space>::count(                      \
        View const&, rhizome::algorithms::triangle_options const&);

RZ_COMPILED_DEFAULTS(extern, rhizome::exec::host)
RZ_COMPILED_ALGORITHMS(extern, rhizome::exec::host, rhizome::runtime::detail::default_view<rhizome::exec::host>)
#if defined(__CUDACC__)
RZ_COMPILED_DEFAULTS(extern, rhizome::exec::cuda)
RZ_COMPILED_ALGORITHMS(extern, rhizome::exec::cuda, rhizome::runtime::detail::default_view<rhizome::exec::cuda>)
#endif
