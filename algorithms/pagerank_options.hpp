// The equation that PageRank solves, and its options.
#pragma once

#include <stdexcept>

namespace rhizome::algorithms {

/// rank = (1 - damping)/n + damping * (sum over arcs u -> v of rank(u)/outdegree(u) + dangling/n). `dangling`
/// is the sum of the ranks of all vertices without out-arcs, which is spread uniformly. Ranks sum to 1. The
/// first iterate is uniform. Stops when the L1 norm of the difference of two iterates is at most `tolerance`,
/// or after `max_iterations`.
struct pagerank_options {
    double damping = 0.85;   ///< in [0, 1)
    double tolerance = 1e-6; ///< L1 norm over all vertices; 0 runs max_iterations
    unsigned max_iterations = 100;

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        if (!(damping >= 0.0 && damping < 1.0))
            throw std::invalid_argument("pagerank: damping must be in [0, 1)");
        if (!(tolerance >= 0.0)) throw std::invalid_argument("pagerank: tolerance must not be negative");
        if (max_iterations == 0) throw std::invalid_argument("pagerank: max_iterations must be at least 1");
    }
};

} // namespace rhizome::algorithms
