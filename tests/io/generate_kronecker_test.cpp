// SPDX-License-Identifier: Apache-2.0
// Kronecker graphs: the recursive matrix model with permuted ids.
#include "generated_graph.hpp"

#include <rhizome/io/generate/kronecker.hpp>
#include <rhizome/io/generate/rmat.hpp>

#include <algorithm>
#include <cmath>
#include <set>

using namespace rhizome;
using namespace rhizome::testing;

TEST(kronecker, is_the_model_with_permuted_ids) {
    for (unsigned const scale : {1u, 2u, 7u, 12u}) {
        SCOPED_TRACE(scale);
        auto const file = io::generate_kronecker(scale, io::graph500_edge_factor, 5);
        expect_simple_and_sorted(file);
        ASSERT_EQ(file.vertex_count, std::uint64_t{1} << scale);
        auto const labels = io::kronecker_labels(scale, 5);
        std::set<graph::vertex_id> const different(labels.begin(), labels.end());
        ASSERT_EQ(different.size(), file.vertex_count);
        ASSERT_EQ(*different.rbegin(), file.vertex_count - 1);
        std::vector<graph::edge> expected;
        for (auto const edge : io::generate_rmat(scale, io::graph500_edge_factor, 5).edges)
            expected.push_back({std::min(labels[edge.source], labels[edge.target]),
                                std::max(labels[edge.source], labels[edge.target])});
        std::sort(expected.begin(), expected.end());
        EXPECT_EQ(file.edges, expected);
    }
}

TEST(kronecker, permutes_uniformly) {
    // 6000 permutations of 4 ids: each of the 24 about 250 times.
    std::vector<int> counts(256);
    for (std::uint64_t seed = 0; seed < 6000; ++seed) {
        auto const labels = io::kronecker_labels(2, seed);
        ++counts[labels[0] * 64 + labels[1] * 16 + labels[2] * 4 + labels[3]];
    }
    int seen = 0;
    for (int const count : counts) {
        if (count == 0) continue;
        ++seen;
        EXPECT_NEAR(count, 250, 5 * std::sqrt(250.0));
    }
    EXPECT_EQ(seen, 24);
}

TEST(kronecker, spreads_its_hubs_over_the_ids) {
    auto const file = io::generate_kronecker(14, 16, 1);
    auto const degrees = degrees_of(file);
    std::vector<graph::vertex_id> ids(degrees.size());
    for (graph::vertex_id v = 0; v < ids.size(); ++v)
        ids[v] = v;
    constexpr std::ptrdiff_t hubs = 1000;
    std::partial_sort(ids.begin(), ids.begin() + hubs, ids.end(),
                      [&](auto u, auto v) { return degrees[u] > degrees[v]; });
    double mean = 0;
    for (std::ptrdiff_t i = 0; i < hubs; ++i)
        mean += ids[static_cast<std::size_t>(i)] / (16384.0 * hubs);
    EXPECT_NEAR(mean, 0.5, 5 * 0.2887 / std::sqrt(hubs));
    EXPECT_GT(degrees[ids[0]], 50 * 2 * file.edges.size() / file.vertex_count);
}

TEST(kronecker, depends_on_its_arguments_alone) {
    auto const file = io::generate_kronecker(13, 16, 3); // three blocks of edges
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(io::generate_kronecker(13, 16, 3, threads).edges, file.edges) << threads;
    EXPECT_NE(io::generate_kronecker(13, 16, 4).edges, file.edges);
    EXPECT_NE(io::generate_kronecker(13, 17, 3).edges, file.edges);
    EXPECT_EQ(hash_of(io::generate_kronecker(10, 8, 3)), 10309191305639149410u);
}

TEST(kronecker, refuses_other_arguments) {
    EXPECT_THROW((void)io::generate_kronecker(0, 16, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_kronecker(31, 16, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_kronecker(10, 0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_kronecker(10, 1025, 1), std::invalid_argument);
}
