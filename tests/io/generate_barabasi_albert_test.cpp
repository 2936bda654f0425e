// SPDX-License-Identifier: Apache-2.0
// Preferential attachment, against the sequential algorithm that keeps the list of all ends.
#include "generated_graph.hpp"

#include <rhizome/io/generate/barabasi_albert.hpp>

#include <algorithm>
#include <cmath>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

/// Algorithm 5 of Batagelj and Brandes: a list of all ends, from which each edge copies one.
std::vector<graph::edge> sequential(std::uint64_t vertices, unsigned edges_per_vertex, std::uint64_t seed) {
    std::vector<graph::vertex_id> ends;
    std::vector<graph::edge> edges;
    for (graph::vertex_id v = 0; v < vertices; ++v)
        for (unsigned i = 0; i < edges_per_vertex; ++i) {
            ends.push_back(v);
            graph::vertex_id const other = ends[io::barabasi_albert_choice(seed, ends.size())];
            ends.push_back(other);
            if (other != v) edges.push_back({other, v});
        }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

} // namespace

TEST(barabasi_albert, is_what_its_definition_says) {
    for (std::uint64_t const vertices : {1u, 2u, 3u, 100u, 3000u})
        for (unsigned const degree : {1u, 2u, 5u, 40u}) {
            auto const file = io::generate_barabasi_albert(vertices, degree, 7);
            expect_simple_and_sorted(file);
            ASSERT_EQ(file.vertex_count, vertices);
            ASSERT_EQ(file.edges, sequential(vertices, degree, 7)) << vertices << " " << degree;
        }
}

TEST(barabasi_albert, chooses_uniformly) {
    for (std::uint64_t const places : {1u, 7u, 100u}) {
        std::vector<int> counts(places);
        for (std::uint64_t seed = 0; seed < 1000 * places; ++seed)
            ++counts[io::barabasi_albert_choice(seed, places)];
        for (int const count : counts)
            EXPECT_NEAR(count, 1000, 5 * std::sqrt(1000.0));
    }
    // Places beside each other are independent: their numbers differ by little in 1 of 100 cases each way.
    int near = 0;
    for (std::uint64_t place = 1'000'000; place < 1'010'000; ++place) {
        auto const a = static_cast<std::int64_t>(io::barabasi_albert_choice(1, place));
        auto const b = static_cast<std::int64_t>(io::barabasi_albert_choice(1, place + 1));
        near += std::abs(a - b) < 5000 ? 1 : 0;
    }
    EXPECT_NEAR(near, 100, 50);
}

TEST(barabasi_albert, has_degrees_of_a_power_law) {
    constexpr std::uint64_t vertices = 200'000;
    constexpr unsigned d = 4;
    auto const file = io::generate_barabasi_albert(vertices, d, 1);
    EXPECT_GT(file.edges.size(), vertices * d * 99 / 100);
    auto const degrees = degrees_of(file);
    // The share of vertices with degree k tends to 2 d (d + 1) / (k (k + 1) (k + 2)) (Bollobás et al. 2001).
    for (unsigned const k : {d, d + 1, d + 4, 2 * d, 4 * d}) {
        auto const seen = static_cast<double>(std::count(degrees.begin(), degrees.end(), k));
        double const expected = vertices * 2.0 * d * (d + 1) / (k * (k + 1.0) * (k + 2));
        EXPECT_NEAR(seen, expected, 0.03 * expected + 5 * std::sqrt(expected)) << k;
    }
    // The oldest vertices have the most neighbours, about d sqrt(n).
    EXPECT_GT(*std::max_element(degrees.begin(), degrees.begin() + 10), 500u);
    EXPECT_EQ(reached_from_first(file), vertices);
}

TEST(barabasi_albert, depends_on_its_arguments_alone) {
    auto const file = io::generate_barabasi_albert(50'000, 5, 3);
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(io::generate_barabasi_albert(50'000, 5, 3, threads).edges, file.edges) << threads;
    EXPECT_NE(io::generate_barabasi_albert(50'000, 5, 4).edges, file.edges);
    EXPECT_EQ(hash_of(io::generate_barabasi_albert(1000, 5, 3)), 226947095605476262u);
}

TEST(barabasi_albert, refuses_other_arguments) {
    EXPECT_THROW((void)io::generate_barabasi_albert(0, 1, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_barabasi_albert(std::uint64_t{1} << 32, 1, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_barabasi_albert(5, 0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_barabasi_albert(5, 1025, 1), std::invalid_argument);
}
