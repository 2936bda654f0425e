// SPDX-License-Identifier: Apache-2.0
// Algorithms over one kind of view. Their kernels do not depend on the allocator, so each is compiled once
// for all graphs of a layout: a generated file instantiates this class, and the graphs only call it.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/runtime/any_graph.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace rhizome::runtime::detail {

/// What the algorithms keep between their runs.
template <class Space>
struct algorithm_scratch;

/// In the file of the space's CSR views.
template <class Space>
struct make_scratch {
    [[nodiscard]] static std::shared_ptr<algorithm_scratch<Space>> on(Space const& space);
};

template <class Space, class View>
struct view_algorithms {
    [[nodiscard]] static pagerank_run rank(algorithm_scratch<Space>& scratch, View const& view,
                                           algorithms::pagerank_options const& options, rank_type type);
    [[nodiscard]] static std::uint64_t count_triangles(algorithm_scratch<Space>& scratch, View const& view);
    [[nodiscard]] static bfs_run search(algorithm_scratch<Space>& scratch, View const& view,
                                        std::span<graph::vertex_id const> sources, bool parents,
                                        algorithms::bfs_options const& options);
    [[nodiscard]] static components_run join(algorithm_scratch<Space>& scratch, View const& view);
    [[nodiscard]] static k_core_run decompose(algorithm_scratch<Space>& scratch, View const& view);
};

/// The algorithms that need the values of edges, over one kind of view with values.
template <class Space, class View>
struct weighted_algorithms {
    [[nodiscard]] static shortest_paths_run search(algorithm_scratch<Space>& scratch, View const& view,
                                                   std::span<graph::vertex_id const> sources, bool parents,
                                                   algorithms::shortest_paths_options const& options);
};

} // namespace rhizome::runtime::detail
