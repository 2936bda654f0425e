// SPDX-License-Identifier: Apache-2.0
// First ranks and sources for tests of PageRank.
#pragma once

#include "oracles.hpp"

#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/graph/types.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rhizome::tests {

inline constexpr algorithms::pagerank_options twelve{.damping = 0.9, .tolerance = 0, .max_iterations = 12};

/// Ranks of vertices that no source reaches are exactly 0, the others near what is expected.
template <class Real>
void expect_near_ranks(std::vector<Real> const& ranks, std::vector<double> const& expected) {
    ASSERT_EQ(ranks.size(), expected.size());
    constexpr double accuracy = sizeof(Real) == 4 ? 3e-6 : 1e-13;
    for (std::size_t v = 0; v < ranks.size(); ++v)
        ASSERT_NEAR(static_cast<double>(ranks[v]), expected[v], accuracy * expected[v]) << v;
}

/// Some sources with weights, of which one is listed twice.
struct chosen_sources {
    std::vector<graph::vertex_id> sources;
    std::vector<double> weights;
    std::vector<double> teleport;

    explicit chosen_sources(std::uint64_t vertices) : teleport(vertices) {
        double total = 0;
        for (std::uint64_t v = vertices - 1; v < vertices; v -= 3) {
            sources.push_back(static_cast<graph::vertex_id>(v));
            weights.push_back(static_cast<double>(1 + v % 4));
        }
        sources.push_back(sources.front());
        weights.push_back(2.5);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            teleport[sources[i]] += weights[i];
            total += weights[i];
        }
        for (double& each : teleport)
            each /= total;
    }
};

/// First ranks that differ from vertex to vertex, of which some are 0.
[[nodiscard]] inline std::vector<double> uneven_ranks(std::uint64_t vertices) {
    std::vector<double> ranks(vertices);
    for (std::uint64_t v = 0; v < vertices; ++v)
        ranks[v] = static_cast<double>(v % 3) + (vertices < 3 ? 1.0 : 0.0);
    double const total = std::accumulate(ranks.begin(), ranks.end(), 0.0);
    for (double& each : ranks)
        each /= total;
    return ranks;
}

template <class Real, class Space, class View>
void expect_personal_ranks(Space const& space, View const& view, plain_graph const& graph) {
    using id_type = typename View::id_type;
    chosen_sources const chosen(graph.vertices);
    std::vector<id_type> const sources(chosen.sources.begin(), chosen.sources.end());
    auto const start = uneven_ranks(graph.vertices);
    exec::buffer<Space, Real> const first(space, std::vector<Real>(start.begin(), start.end()));
    algorithms::pagerank<Real, Space> pagerank(space);
    auto const result = pagerank.run(
        view, twelve,
        {.start = first.data(), .start_count = first.size(), .sources = sources, .weights = chosen.weights});
    auto const expected = rank_plainly(graph, twelve, start, chosen.teleport);
    EXPECT_EQ(result.iterations, 12u);
    EXPECT_NEAR(result.residual, expected.residual, sizeof(Real) == 4 ? 2e-6 : 1e-13);
    expect_near_ranks(result.ranks_on_host(), expected.ranks);
}

} // namespace rhizome::tests
