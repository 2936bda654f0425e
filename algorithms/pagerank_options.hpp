// SPDX-License-Identifier: Apache-2.0
// The equation that PageRank solves, its options, where it starts and where it teleports.
#pragma once

#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>

namespace rhizome::algorithms {

/// rank(v) = (1 - damping) * t(v) + damping * (sum over arcs u -> v of rank(u)/outdegree(u) + dangling *
/// t(v)). t is the teleport distribution: 1/n for each of n live vertices, or the one that pagerank_inputs
/// gives (personalised PageRank). `dangling` is the sum of the ranks of all vertices without out-arcs; it is
/// spread as t is (Langville and Meyer, Deeper Inside PageRank, Internet Mathematics 1(3), 2004, sections 3
/// and 4.2; the same as in NetworkX). Ranks sum to 1. The first iterate is uniform, unless pagerank_inputs
/// gives another one. Stops when the residual, the L1 norm of the difference of the last two iterates, is at
/// most `tolerance` (it has then converged), or after `max_iterations`. Once it has converged, the L1
/// distance to the solution is at most tolerance * damping / (1 - damping), apart from rounding.
struct pagerank_options {
    double damping = 0.85;   ///< in [0, 1)
    double tolerance = 1e-6; ///< the largest residual that ends the iteration; at least 0; 0: always runs
                             ///< max_iterations
    unsigned max_iterations = 100; ///< at least 1
    /// Called on the host after every eight iterations and after the last (if the tolerance is 0: only after
    /// the last), with the iterations so far and their residual; nullptr: no call. Must not use the graph.
    /// What it throws ends the computation. Over several processes, each calls its own, if it has one.
    std::function<void(unsigned iterations, double residual)> const* progress = nullptr;

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        if (!(damping >= 0.0 && damping < 1.0))
            throw std::invalid_argument("pagerank: damping must be in [0, 1)");
        if (!(tolerance >= 0.0)) throw std::invalid_argument("pagerank: tolerance must not be negative");
        if (max_iterations == 0) throw std::invalid_argument("pagerank: max_iterations must be at least 1");
    }
};

/// Where PageRank starts, and where it teleports to. Real: of the ranks; Id: of vertex ids.
template <class Real, class Id = graph::vertex_id>
struct pagerank_inputs {
    /// The first iterate: ranks of the ids below `start_count`, in the memory of the space; nullptr: all
    /// uniform. May be the ranks of an earlier run, also of the same object: after a batch that changes
    /// little they are near the solution. Other live vertices start with 1/n; what is there for erased ones
    /// is not read. All are scaled to sum 1; if all are 0, the start is uniform. Precondition: they are not
    /// negative, and sum to at most 2.
    Real const* start = nullptr;
    std::uint64_t start_count = 0;
    /// Personalised PageRank teleports to these live vertices only (host memory); empty: to all.
    std::span<Id const> sources = {};
    /// Weights of the sources, one for each: PageRank teleports to a source with the probability weight / sum
    /// of all weights. Empty: all weigh 1. The weights of a source that is listed several times are added up.
    std::span<double const> weights = {};
};

} // namespace rhizome::algorithms
