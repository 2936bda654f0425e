// SPDX-License-Identifier: Apache-2.0
// The options and the report of breadth-first search.
#pragma once

#include <cstdint>
#include <stdexcept>

namespace rhizome::algorithms {

/// The level of a vertex that no source reaches, and of the id of an erased vertex.
inline constexpr std::uint32_t unreached = 0xffff'ffffu;

/// Options of breadth_first_search::run(). The defaults of alpha and beta are those of Beamer, Asanovic and
/// Patterson, Direction-Optimizing Breadth-First Search, SC 2012, section V.
struct bfs_options {
    bool top_down_only = false; ///< true: never search bottom-up
    /// Bottom-up begins when the frontier grows and has more than 1/alpha of the arcs of unvisited vertices.
    double alpha = 14;
    /// Top-down begins again when the frontier shrinks and has less than 1/beta of the vertices.
    double beta = 24;
    /// One block works on levels with at most so many vertices and arcs. Leave the defaults; tests use small
    /// limits, so that small graphs reach the code for large ones.
    std::uint32_t narrow_vertices = 1024;
    std::uint32_t narrow_arcs = 2048;

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        if (!(alpha > 0)) throw std::invalid_argument("bfs: alpha must be positive");
        if (!(beta > 0)) throw std::invalid_argument("bfs: beta must be positive");
    }
};

/// What breadth_first_search::run() returns.
struct bfs_report {
    std::uint64_t reached = 0;   ///< vertices with a level, the sources included
    std::uint32_t levels = 0;    ///< number of levels that have vertices: the greatest level + 1
    std::uint32_t bottom_up = 0; ///< how many of them were expanded bottom-up
    std::uint64_t arcs = 0;      ///< sum of the out-degrees of the reached vertices
};

} // namespace rhizome::algorithms
