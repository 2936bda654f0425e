// SPDX-License-Identifier: Apache-2.0
// G(n, m) and G(n, p): simple graphs, all equally likely.
#include "generated_graph.hpp"

#include <rhizome/io/generate/erdos_renyi.hpp>

#include <algorithm>
#include <cmath>
#include <map>

using namespace rhizome;
using namespace rhizome::testing;

TEST(gnm, has_exactly_the_edges_asked_for) {
    for (std::uint64_t vertices = 1; vertices <= 12; ++vertices)
        for (std::uint64_t edges = 0; edges <= io::vertex_pairs(vertices); ++edges) {
            auto const file = io::generate_gnm(vertices, edges, edges);
            expect_simple_and_sorted(file);
            ASSERT_EQ(file.vertex_count, vertices);
            ASSERT_EQ(file.edges.size(), edges) << vertices;
        }
    // Rounds of many blocks, below and above half of all pairs.
    for (std::uint64_t const edges : {50'000u, 240'000u, 260'000u, 499'000u}) {
        auto const file = io::generate_gnm(1000, edges, 1);
        expect_simple_and_sorted(file);
        EXPECT_EQ(file.edges.size(), edges);
    }
}

TEST(gnm, gives_all_graphs_the_same_chance) {
    // 4 vertices have 6 pairs: 15 graphs of 2 edges, and 15 of 4.
    for (std::uint64_t const edges : {2u, 4u}) {
        std::map<std::vector<graph::edge>, int> counts;
        constexpr int graphs = 15 * 1000;
        for (std::uint64_t seed = 0; seed < graphs; ++seed)
            ++counts[io::generate_gnm(4, edges, seed, 1).edges];
        EXPECT_EQ(counts.size(), 15u);
        for (auto const& [graph, count] : counts)
            EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000.0));
    }
}

TEST(gnm, spreads_edges_evenly) {
    auto const file = io::generate_gnm(20'000, 1'000'000, 3);
    // Degrees are nearly of a Poisson distribution with mean 100: the variance equals the mean.
    auto const degrees = degrees_of(file);
    double variance = 0;
    for (std::uint64_t const degree : degrees)
        variance += std::pow(static_cast<double>(degree) - 100, 2) / 20'000;
    EXPECT_NEAR(variance, 99.5, 5 * 1.0); // the variance of 20,000 samples has a deviation of 1
    // A quarter of the pairs of the first half, and so on.
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    for (auto const edge : file.edges) {
        low += edge.target < 10'000 ? 1 : 0;
        high += edge.source >= 10'000 ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(low), 250'000, 5 * 433);
    EXPECT_NEAR(static_cast<double>(high), 250'000, 5 * 433);
}

TEST(gnm, depends_on_its_arguments_alone) {
    auto const file = io::generate_gnm(1000, 200'000, 3);
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(io::generate_gnm(1000, 200'000, 3, threads).edges, file.edges) << threads;
    EXPECT_NE(io::generate_gnm(1000, 200'000, 4).edges, file.edges);
    EXPECT_EQ(hash_of(io::generate_gnm(1000, 5000, 3)), 4452756592908906097u);
    EXPECT_EQ(hash_of(io::generate_gnm(100, 4000, 3)), 8291497556698053463u);
}

TEST(gnm, refuses_other_arguments) {
    EXPECT_THROW((void)io::generate_gnm(0, 0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_gnm(std::uint64_t{1} << 32, 1, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_gnm(5, 11, 1), std::invalid_argument);
    EXPECT_EQ(io::vertex_pairs(io::largest_erdos_renyi), 9'223'372'030'412'324'865u);
}

TEST(gnp, gives_each_graph_its_chance) {
    // 3 vertices, p = 0.3: a graph of k edges has the probability .3^k .7^(3 - k).
    std::map<std::vector<graph::edge>, int> counts;
    constexpr int graphs = 50'000;
    for (std::uint64_t seed = 0; seed < graphs; ++seed)
        ++counts[io::generate_gnp(3, 0.3, seed, 1).edges];
    EXPECT_EQ(counts.size(), 8u);
    for (auto const& [edges, count] : counts) {
        double const k = static_cast<double>(edges.size());
        double const chance = std::pow(0.3, k) * std::pow(0.7, 3 - k);
        EXPECT_NEAR(count, graphs * chance, 5 * std::sqrt(graphs * chance)) << k;
    }
}

TEST(gnp, has_gaps_of_a_geometric_distribution) {
    // The first neighbour of vertex 0 is v with probability p (1 - p)^(v - 1).
    std::vector<int> counts(60);
    constexpr int graphs = 20'000;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        auto const file = io::generate_gnp(60, 0.05, seed, 1);
        if (!file.edges.empty() && file.edges[0].source == 0) ++counts[file.edges[0].target];
    }
    for (std::size_t v = 1; v < 40; ++v) {
        double const expected = graphs * 0.05 * std::pow(0.95, static_cast<double>(v) - 1);
        EXPECT_NEAR(counts[v], expected, 5 * std::sqrt(expected)) << v;
    }
}

TEST(gnp, has_about_as_many_edges_as_its_probability_says) {
    for (double const p : {1e-9, 1e-6, 1e-4, 0.01, 0.5, 0.999}) {
        std::uint64_t const vertices = p < 1e-3 ? 60'000 : 1500;
        auto const file = io::generate_gnp(vertices, p, 7);
        expect_simple_and_sorted(file);
        double const pairs = static_cast<double>(io::vertex_pairs(vertices));
        EXPECT_NEAR(static_cast<double>(file.edges.size()), pairs * p, 5 * std::sqrt(pairs * p * (1 - p)) + 1)
            << p;
    }
    EXPECT_EQ(io::generate_gnp(500, 0, 1).edges.size(), 0u);
    EXPECT_EQ(io::generate_gnp(500, 1, 1).edges.size(), 500u * 499 / 2);
    EXPECT_EQ(io::generate_gnp(1, 1, 1).edges.size(), 0u);
}

TEST(gnp, depends_on_its_arguments_alone) {
    auto const file = io::generate_gnp(3000, 0.05, 3);
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(io::generate_gnp(3000, 0.05, 3, threads).edges, file.edges) << threads;
    EXPECT_NE(io::generate_gnp(3000, 0.05, 4).edges, file.edges);
    EXPECT_EQ(hash_of(io::generate_gnp(1000, 0.01, 3)), 15002383932235984074u);
    EXPECT_THROW((void)io::generate_gnp(0, 0.5, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_gnp(5, -0.1, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_gnp(5, 1.1, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_gnp(5, std::nan(""), 1), std::invalid_argument);
}
