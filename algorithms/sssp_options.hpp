// SPDX-License-Identifier: Apache-2.0
// The types, the options and the report of shortest paths.
#pragma once

#include <rhizome/graph/view.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace rhizome::algorithms {

/// A type of edge values that shortest paths take as weights: integers of up to 32 bits, float and double.
template <class Weight>
concept edge_weight = (std::integral<Weight> && !std::same_as<Weight, bool> &&
                       sizeof(Weight) <= sizeof(std::uint32_t)) ||
                      std::same_as<Weight, float> || std::same_as<Weight, double>;

/// A view whose edges have weights. A view without edge values is none: its edges do not weigh 1.
template <class View>
concept weighted_view = graph::graph_view<View> && View::has_values && edge_weight<typename View::value_type>;

/// The type of distances. For integers it has 64 bits, so that no sum along a path of fewer than 2^32 arcs
/// exceeds it.
template <edge_weight Weight>
using distance_of = std::conditional_t<std::integral<Weight>, std::uint64_t, Weight>;

/// The distance of a vertex that no source reaches, and of the id of an erased vertex: the greatest integer,
/// or infinity.
template <edge_weight Weight>
inline constexpr distance_of<Weight>
    unreached_distance = std::integral<Weight> ? std::numeric_limits<distance_of<Weight>>::max()
                                               : std::numeric_limits<distance_of<Weight>>::infinity();

/// Options of shortest_paths::run().
struct shortest_paths_options {
    /// Width of the ranges of distances that are searched one after another, in the unit of the weights. 0:
    /// 32 * mean weight / mean number of arcs of the vertices that have any (Davidson et al., IPDPS 2014).
    /// The mean weight is that of up to 16,384 sampled arcs. While steps are small, this is doubled, up to
    /// four times. Distances do not depend on it.
    double delta = 0;
    /// One block works on steps with at most so many vertices and arcs. Leave the defaults; tests use small
    /// limits, so that small graphs reach the code for large ones.
    std::uint32_t narrow_vertices = 1024;
    std::uint32_t narrow_arcs = 2048;
    /// Steps over at least so many arcs mark vertices, which the next step lists.
    std::uint64_t marking_arcs = std::uint64_t{1} << 22;

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        if (!(delta >= 0)) throw std::invalid_argument("shortest paths: delta must be at least 0");
    }
};

/// What shortest_paths::run() returns.
struct shortest_paths_report {
    std::uint64_t reached = 0; ///< vertices with a distance, the sources included
    /// Lists of vertices that were expanded one after another. May differ from run to run.
    std::uint64_t rounds = 0;
    double delta = 0; ///< the delta that was used, before any doubling
};

} // namespace rhizome::algorithms
