// SPDX-License-Identifier: Apache-2.0
// A breadth-first search written with advance(), and what frontiers must be by a loop over arcs.
#pragma once

#include "oracles.hpp"

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/frontier.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::tests {

/// Accepts each target once: when it gets its level.
struct claim_target {
    std::uint32_t* levels;
    std::uint32_t level;

    template <class Thread>
    RZ_HD bool operator()(Thread const& thread, graph::vertex_id, graph::vertex_id v) const {
        std::uint32_t expected = algorithms::unreached;
        return thread.device(levels[v]).compare_exchange(expected, level, exec::order::relaxed);
    }
    /// The same in graphs with values.
    template <class Thread>
    RZ_HD bool operator()(Thread const& thread, graph::vertex_id u, graph::vertex_id v, double) const {
        return (*this)(thread, u, v);
    }
};

/// Levels by advance(). `graph`: a graph, snapshot or view.
template <class Space, class Graph>
[[nodiscard]] std::vector<std::uint32_t>
levels_by_advance(Space& space, Graph const& graph, std::uint64_t vertices,
                  std::vector<graph::vertex_id> const& sources, exec::memory_resource* scratch = nullptr) {
    std::vector<std::uint32_t> first(vertices, algorithms::unreached);
    for (auto const source : sources)
        first[source] = 0;
    exec::buffer<Space, std::uint32_t> levels(space, first);
    algorithms::frontier<Space> current(space, scratch);
    algorithms::frontier<Space> next(space, scratch);
    current.assign(sources);
    for (std::uint32_t level = 1; !current.empty(); ++level) {
        advance(graph, current, next, claim_target{levels.data(), level}, {.most_accepted = vertices});
        swap(current, next);
    }
    return levels.to_host();
}

/// An arc is accepted if the sum of its ends is no multiple of three.
[[nodiscard]] RZ_HD inline bool is_accepted(graph::vertex_id u, graph::vertex_id v) {
    return (std::uint64_t{u} + v) % 3 != 0;
}

/// What advance() must find with is_accepted, and how often the function is called for each target.
struct plain_advance {
    std::vector<graph::vertex_id> found; ///< ascending
    std::vector<std::uint32_t> calls;    ///< per target
};
[[nodiscard]] inline plain_advance advance_plainly(plain_graph const& graph,
                                                   std::vector<graph::vertex_id> const& frontier) {
    plain_advance made{{}, std::vector<std::uint32_t>(graph.vertices)};
    std::vector<std::uint32_t> times(graph.vertices);
    for (auto const v : frontier)
        ++times[v];
    for (auto const& [source, target] : graph.arcs) {
        made.calls[target] += times[source];
        if (is_accepted(source, target)) made.found.insert(made.found.end(), times[source], target);
    }
    std::sort(made.found.begin(), made.found.end());
    return made;
}

/// Counts its calls per target.
struct accept_some {
    std::uint32_t* calls;

    template <class Thread>
    RZ_HD bool operator()(Thread const& thread, graph::vertex_id u, graph::vertex_id v) const {
        thread.device(calls[v]).fetch_add(1u, exec::order::relaxed);
        return is_accepted(u, v);
    }
    template <class Thread>
    RZ_HD bool operator()(Thread const& thread, graph::vertex_id u, graph::vertex_id v, double) const {
        return (*this)(thread, u, v);
    }
};

/// The ids of a frontier, ascending.
template <class Space>
[[nodiscard]] std::vector<graph::vertex_id> sorted_ids(algorithms::frontier<Space> const& frontier) {
    auto ids = frontier.to_host();
    std::sort(ids.begin(), ids.end());
    return ids;
}

} // namespace rhizome::tests
