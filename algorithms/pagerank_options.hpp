// What PageRank computes, stated.
#pragma once

#include <stdexcept>

namespace rhizome::algorithms {

/// rank = (1 - damping)/n + damping * (sum over arcs u -> v of rank(u)/outdegree(u) + dangling/n), where
/// dangling is the rank of all vertices without out-arcs, spread uniformly. Ranks sum to 1. Starts uniform.
/// Stops when the L1 norm of the difference of two iterates is at most `tolerance`, or after
/// `max_iterations`.
struct pagerank_options {
    double damping = 0.85;   ///< in [0, 1)
    double tolerance = 1e-6; ///< L1 norm over all vertices; 0 runs max_iterations
    unsigned max_iterations = 100;

    /// Throws std::invalid_argument naming the value that is out of range.
    void check() const {
        if (!(damping >= 0.0 && damping < 1.0))
            throw std::invalid_argument("pagerank: damping must be in [0, 1)");
        if (!(tolerance >= 0.0)) throw std::invalid_argument("pagerank: tolerance must not be negative");
        if (max_iterations == 0) throw std::invalid_argument("pagerank: max_iterations must be at least 1");
    }
};

} // namespace rhizome::algorithms
