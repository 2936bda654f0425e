// SPDX-License-Identifier: Apache-2.0
// R-MAT, meshes, roads: what their definitions promise, the same everywhere.
#include "generated_graph.hpp"

#include <rhizome/io/generate/mesh.hpp>
#include <rhizome/io/generate/rmat.hpp>
#include <rhizome/io/generate/road.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;

TEST(rmat, is_simple_and_has_hubs) {
    auto const file = io::generate_rmat(14, 16, 1);
    expect_simple_and_sorted(file);
    EXPECT_EQ(file.vertex_count, 1u << 14);
    // Most of the 262144 edges drawn stay; a quarter or so were drawn more than once.
    EXPECT_GT(file.edges.size(), 262'144u * 6 / 10);
    EXPECT_LT(file.edges.size(), 262'144u * 9 / 10);
    auto const degrees = degrees_of(file);
    auto const hub = *std::max_element(degrees.begin(), degrees.end());
    EXPECT_GT(hub, 50 * 2 * file.edges.size() / file.vertex_count);
    EXPECT_EQ(hub, degrees[0]); // (a + b)^scale is the largest chance
    EXPECT_GT(std::count(degrees.begin(), degrees.end(), 0u), 1000);
}

TEST(rmat, follows_the_quadrants_chances) {
    // At scale 1 an edge is a pair of single bits: dropped as a loop with a + d = .62. Two are drawn, so
    // that many graphs tell the share.
    int with_edge = 0;
    constexpr int graphs = 20'000;
    for (int seed = 0; seed < graphs; ++seed)
        with_edge += io::generate_rmat(1, 1, static_cast<std::uint64_t>(seed)).edges.empty() ? 0 : 1;
    EXPECT_NEAR(with_edge, graphs * (1 - 0.62 * 0.62), 5 * 70); // 5 sigma
    // The upper bits of both ends are 0 with chance a, of exactly one with b + c: hardly any edge lies in d.
    auto const file = io::generate_rmat(16, 1, 7);
    std::uint64_t high = 0;
    for (auto const edge : file.edges)
        high += edge.source >= 1u << 15 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(high) / static_cast<double>(file.edges.size()), 0.05, 0.01);
}

TEST(rmat, depends_on_its_arguments_alone) {
    auto const file = io::generate_rmat(10, 8, 3);
    EXPECT_EQ(io::generate_rmat(10, 8, 3).edges, file.edges);
    EXPECT_NE(io::generate_rmat(10, 8, 4).edges, file.edges);
    EXPECT_NE(io::generate_rmat(10, 9, 3).edges, file.edges);
    EXPECT_EQ(hash_of(file), 9473611968912749730u);
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(hash_of(io::generate_rmat(10, 8, 3, threads)), 9473611968912749730u) << threads;
    // Blocks of 2^16 edges are drawn side by side: no two alike.
    EXPECT_GT(io::generate_rmat(20, 1, 1).edges.size(), 1'000'000u);
}

TEST(rmat, refuses_other_arguments) {
    EXPECT_THROW((void)io::generate_rmat(0, 16, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_rmat(31, 16, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_rmat(10, 0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_rmat(10, 1025, 1), std::invalid_argument);
}

TEST(mesh, joins_what_differs_by_one_at_most) {
    for (unsigned side = 1; side <= 6; ++side) {
        auto const file = io::generate_mesh(side);
        expect_simple_and_sorted(file);
        ASSERT_EQ(file.vertex_count, side * side * side);
        std::vector<graph::edge> expected;
        auto const apart = [&](graph::vertex_id u, graph::vertex_id v) {
            auto const one = [](unsigned a, unsigned b) { return (a > b ? a - b : b - a) <= 1; };
            return !(one(u % side, v % side) && one(u / side % side, v / side % side) &&
                     one(u / side / side, v / side / side));
        };
        for (graph::vertex_id u = 0; u < file.vertex_count; ++u)
            for (graph::vertex_id v = u + 1; v < file.vertex_count; ++v)
                if (!apart(u, v)) expected.push_back({u, v});
        EXPECT_EQ(file.edges, expected) << side;
    }
}

TEST(mesh, has_26_neighbours_inside) {
    auto const file = io::generate_mesh(20);
    EXPECT_EQ(file.edges.size(), (58u * 58 * 58 - 20 * 20 * 20) / 2);
    auto const degrees = degrees_of(file);
    EXPECT_EQ(std::count(degrees.begin(), degrees.end(), 26u), 18 * 18 * 18);
    EXPECT_EQ(std::count(degrees.begin(), degrees.end(), 7u), 8);
    EXPECT_THROW((void)io::generate_mesh(0), std::invalid_argument);
    EXPECT_THROW((void)io::generate_mesh(1025), std::invalid_argument);
}

TEST(road, is_connected_and_thin) {
    for (unsigned const scale : {1u, 2u, 5u, 9u, 14u, 15u}) {
        SCOPED_TRACE(scale);
        auto const file = io::generate_road(scale, 1);
        expect_simple_and_sorted(file);
        std::uint64_t const n = std::uint64_t{1} << scale;
        ASSERT_EQ(file.vertex_count, n);
        EXPECT_EQ(reached_from_first(file), n);
        EXPECT_EQ(file.edges.size(), n - 1 + n / 16);
        auto const degrees = degrees_of(file);
        EXPECT_LE(*std::max_element(degrees.begin(), degrees.end()), 4u);
        std::uint64_t const columns = std::uint64_t{1} << (scale + 1) / 2;
        for (auto const edge : file.edges) {
            std::uint64_t const step = edge.target - edge.source;
            ASSERT_TRUE(step == columns || (step == 1 && edge.target % columns != 0))
                << edge.source << " " << edge.target;
        }
    }
}

TEST(road, depends_on_its_arguments_alone) {
    auto const file = io::generate_road(10, 3);
    EXPECT_EQ(io::generate_road(10, 3).edges, file.edges);
    EXPECT_NE(io::generate_road(10, 4).edges, file.edges);
    EXPECT_EQ(hash_of(file), 12855135789763291778u);
    // Neither rows nor columns are preferred.
    auto const large = io::generate_road(16, 1);
    std::uint64_t rightwards = 0;
    for (auto const edge : large.edges)
        rightwards += edge.target - edge.source == 1 ? 1 : 0;
    EXPECT_NEAR(static_cast<double>(rightwards) / static_cast<double>(large.edges.size()), 0.5, 0.02);
    EXPECT_THROW((void)io::generate_road(0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_road(31, 1), std::invalid_argument);
}
