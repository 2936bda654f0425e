// SPDX-License-Identifier: Apache-2.0
// The options and the report of the k-core decomposition.
#pragma once

#include <cstdint>

namespace rhizome::algorithms {

/// Options of k_core::run().
struct k_core_options {
    bool symmetrize = false; ///< true: decompose a directed graph in a symmetric copy; false: refuse it
    /// A block removes by itself what follows from its removals while that is at most about so many arcs at a
    /// time, and passes more to all blocks. Leave the default; tests use small limits, so that small graphs
    /// reach the code for large ones.
    std::uint32_t block_arcs = 8192;
};

/// What k_core::run() returns.
struct k_core_report {
    std::uint32_t largest = 0; ///< the largest core number: the degeneracy of the graph; 0 without edges
    /// Steps in which vertices were removed. One step removes all vertices of a core number where blocks need
    /// not share work. May differ from run to run and from space to space.
    std::uint64_t rounds = 0;
};

} // namespace rhizome::algorithms
