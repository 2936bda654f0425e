// SPDX-License-Identifier: Apache-2.0
// Bodies of view_algorithms.hpp, for the files that instantiate them.
#pragma once

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/components.hpp>
#include <rhizome/algorithms/kcore.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/algorithms/triangles.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/runtime/detail/view_algorithms.hpp>

namespace rhizome::runtime::detail {

template <class Space>
struct algorithm_scratch {
    explicit algorithm_scratch(Space const& space)
        : in_float(space), in_double(space), triangles(space), search(space), components(space), cores(space),
          paths(space), levels(space), parents(space), component_ids(space), core_numbers(space),
          distances(space) {}

    algorithms::pagerank<float, Space> in_float;
    algorithms::pagerank<double, Space> in_double;
    algorithms::triangle_counter<Space> triangles;
    algorithms::breadth_first_search<Space> search;
    algorithms::connected_components<Space> components;
    algorithms::k_core<Space> cores;
    algorithms::shortest_paths<Space> paths;
    // Results, until the next run.
    exec::workspace<Space> levels;
    exec::workspace<Space> parents;
    exec::workspace<Space> component_ids;
    exec::workspace<Space> core_numbers;
    exec::workspace<Space> distances;
};

template <class Space>
std::shared_ptr<algorithm_scratch<Space>> make_scratch<Space>::on(Space const& space) {
    return std::make_shared<algorithm_scratch<Space>>(space);
}

template <class Space, class View>
pagerank_run view_algorithms<Space, View>::rank(algorithm_scratch<Space>& scratch, View const& view,
                                                algorithms::pagerank_options const& options, rank_type type) {
    auto const run_on = [&](auto& pagerank) -> pagerank_run {
        auto const result = pagerank.run(view, options);
        return {type, result.ranks, result.iterations, result.residual, result.converged};
    };
    return type == rank_type::float32 ? run_on(scratch.in_float) : run_on(scratch.in_double);
}

template <class Space, class View>
std::uint64_t view_algorithms<Space, View>::count_triangles(algorithm_scratch<Space>& scratch,
                                                            View const& view) {
    return scratch.triangles.count(view, {.symmetrize = !view.symmetric()});
}

template <class Space, class View>
bfs_run view_algorithms<Space, View>::search(algorithm_scratch<Space>& scratch, View const& view,
                                             std::span<graph::vertex_id const> sources, bool parents,
                                             algorithms::bfs_options const& options) {
    std::uint64_t const vertices = view.vertex_count();
    auto* const levels = scratch.levels.template at_least_of<std::uint32_t>(vertices);
    auto* const before = parents ? scratch.parents.template at_least_of<graph::vertex_id>(vertices) : nullptr;
    return {levels, before, scratch.search.run(view, sources, levels, before, options)};
}

template <class Space, class View>
components_run view_algorithms<Space, View>::join(algorithm_scratch<Space>& scratch, View const& view) {
    auto* const ids = scratch.component_ids.template at_least_of<graph::vertex_id>(view.vertex_count());
    return {ids, scratch.components.run(view, ids)};
}

template <class Space, class View>
k_core_run view_algorithms<Space, View>::decompose(algorithm_scratch<Space>& scratch, View const& view) {
    auto* const cores = scratch.core_numbers.template at_least_of<std::uint32_t>(view.vertex_count());
    return {cores, scratch.cores.run(view, cores, {.symmetrize = !view.symmetric()})};
}

template <class Space, class View>
shortest_paths_run
weighted_algorithms<Space, View>::search(algorithm_scratch<Space>& scratch, View const& view,
                                         std::span<graph::vertex_id const> sources, bool parents,
                                         algorithms::shortest_paths_options const& options) {
    using weight = typename View::value_type;
    std::uint64_t const vertices = view.vertex_count();
    auto* const distances = scratch.distances.template at_least_of<algorithms::distance_of<weight>>(vertices);
    auto* const before = parents ? scratch.parents.template at_least_of<graph::vertex_id>(vertices) : nullptr;
    return {value_type_for<weight>(), distances, before,
            scratch.paths.run(view, sources, distances, before, options)};
}

} // namespace rhizome::runtime::detail
