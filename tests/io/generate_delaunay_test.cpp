// SPDX-License-Identifier: Apache-2.0
// Delaunay triangulations: the empty circles, computed exactly, and what planar graphs have.
#include "generated_graph.hpp"

#include <rhizome/io/generate/delaunay.hpp>

#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <array>
#include <set>

using namespace rhizome;
using namespace rhizome::testing;
using wide = boost::multiprecision::int256_t;

namespace {

wide cross(io::grid_point a, io::grid_point b, io::grid_point c) {
    wide const ax = a.x;
    wide const ay = a.y;
    return (b.x - ax) * (c.y - ay) - (b.y - ay) * (c.x - ax);
}

/// Whether d is inside the circle through a, b and c, which do not lie on a line.
bool is_inside(io::grid_point a, io::grid_point b, io::grid_point c, io::grid_point d) {
    wide rows[3][3];
    io::grid_point const points[3] = {a, b, c};
    for (int i = 0; i < 3; ++i) {
        rows[i][0] = wide(points[i].x) - d.x;
        rows[i][1] = wide(points[i].y) - d.y;
        rows[i][2] = rows[i][0] * rows[i][0] + rows[i][1] * rows[i][1];
    }
    wide const determinant = rows[0][0] * (rows[1][1] * rows[2][2] - rows[1][2] * rows[2][1]) -
                             rows[0][1] * (rows[1][0] * rows[2][2] - rows[1][2] * rows[2][0]) +
                             rows[0][2] * (rows[1][0] * rows[2][1] - rows[1][1] * rows[2][0]);
    return cross(a, b, c) > 0 ? determinant > 0 : determinant < 0;
}

/// The edges of all triangles whose circle is empty.
std::vector<graph::edge> plain_delaunay(std::vector<io::grid_point> const& points) {
    std::set<graph::edge> edges;
    auto const n = static_cast<graph::vertex_id>(points.size());
    if (n == 2) edges.insert({0, 1});
    for (graph::vertex_id a = 0; a < n; ++a)
        for (graph::vertex_id b = a + 1; b < n; ++b)
            for (graph::vertex_id c = b + 1; c < n; ++c) {
                if (cross(points[a], points[b], points[c]) == 0) continue;
                bool empty = true;
                for (graph::vertex_id d = 0; d < n && empty; ++d)
                    empty =
                        d == a || d == b || d == c || !is_inside(points[a], points[b], points[c], points[d]);
                if (!empty) continue;
                edges.insert({a, b});
                edges.insert({a, c});
                edges.insert({b, c});
            }
    return {edges.begin(), edges.end()};
}

/// The number of points on the convex hull, by Andrew's scan.
std::size_t hull_size(std::vector<io::grid_point> points) {
    std::sort(points.begin(), points.end(),
              [](auto a, auto b) { return a.x != b.x ? a.x < b.x : a.y < b.y; });
    std::size_t size = 0;
    for (int side = 0; side < 2; ++side) {
        std::vector<io::grid_point> chain;
        for (auto const point : points) {
            while (chain.size() >= 2 && cross(chain[chain.size() - 2], chain.back(), point) <= 0)
                chain.pop_back();
            chain.push_back(point);
        }
        size += chain.size() - 1;
        std::reverse(points.begin(), points.end());
    }
    return size;
}

} // namespace

TEST(delaunay, is_what_its_definition_says) {
    for (unsigned scale = 1; scale <= 6; ++scale)
        for (std::uint64_t seed = 1; seed <= (scale < 5 ? 30u : 3u); ++seed) {
            auto const points = io::delaunay_points(scale, seed);
            auto const file = io::generate_delaunay(scale, seed);
            expect_simple_and_sorted(file);
            ASSERT_EQ(file.vertex_count, std::uint64_t{1} << scale);
            ASSERT_EQ(points.size(), file.vertex_count);
            ASSERT_EQ(file.edges, plain_delaunay(points)) << "scale " << scale << " seed " << seed;
        }
}

TEST(delaunay, is_a_triangulation_with_empty_circles) {
    auto const points = io::delaunay_points(13, 1);
    auto const file = io::generate_delaunay(13, 1);
    expect_simple_and_sorted(file);
    std::uint64_t const n = points.size();
    // Euler: a triangulation with h points on the hull has 3 n - 3 - h edges.
    EXPECT_EQ(file.edges.size(), 3 * n - 3 - hull_size(points));
    EXPECT_EQ(reached_from_first(file), n);
    // Across each edge that is in two triangles, the far corner of one is outside the circle of the other:
    // then all circles are empty (Delaunay's lemma).
    std::vector<std::set<graph::vertex_id>> rows(n);
    for (auto const edge : file.edges) {
        rows[edge.source].insert(edge.target);
        rows[edge.target].insert(edge.source);
    }
    std::uint64_t inner = 0;
    for (auto const edge : file.edges) {
        auto const a = points[edge.source];
        auto const b = points[edge.target];
        // On each side, the corner is the common neighbour with an empty triangle: that which sees the edge
        // under the largest angle, so that no other common neighbour is in its circle.
        std::array<std::vector<graph::vertex_id>, 2> sides;
        for (graph::vertex_id const c : rows[edge.source])
            if (rows[edge.target].contains(c)) sides[cross(a, b, points[c]) > 0 ? 1 : 0].push_back(c);
        ASSERT_FALSE(sides[0].empty() && sides[1].empty());
        std::array<graph::vertex_id, 2> corners{};
        for (std::size_t side = 0; side < 2; ++side)
            for (graph::vertex_id const c : sides[side])
                if (c == sides[side][0] || is_inside(a, b, points[corners[side]], points[c]))
                    corners[side] = c;
        if (sides[0].empty() || sides[1].empty()) continue;
        ++inner;
        ASSERT_FALSE(is_inside(a, b, points[corners[0]], points[corners[1]]))
            << edge.source << " " << edge.target;
    }
    EXPECT_EQ(inner, file.edges.size() - hull_size(points));
}

TEST(delaunay, numbers_neighbours_closely) {
    auto const file = io::generate_delaunay(14, 1);
    double distance = 0;
    for (auto const edge : file.edges)
        distance += static_cast<double>(edge.target - edge.source) / static_cast<double>(file.edges.size());
    EXPECT_LT(distance, 2 * 128); // a third of 16384 in random order
    double x = 0;
    double y = 0;
    for (auto const point : io::delaunay_points(14, 1)) {
        x += point.x * 0x1p-31 / 16384;
        y += point.y * 0x1p-31 / 16384;
    }
    EXPECT_NEAR(x, 0.5, 0.012);
    EXPECT_NEAR(y, 0.5, 0.012);
}

TEST(delaunay, depends_on_its_arguments_alone) {
    auto const file = io::generate_delaunay(17, 3);                   // two blocks of points
    EXPECT_NEAR(static_cast<double>(file.edges.size()), 393'176, 40); // delaunay_n17 of DIMACS10
    for (unsigned const threads : {1u, 2u, 4u})
        EXPECT_EQ(io::generate_delaunay(17, 3, threads).edges, file.edges) << threads;
    EXPECT_NE(io::generate_delaunay(17, 4).edges, file.edges);
    EXPECT_EQ(hash_of(io::generate_delaunay(10, 3)), 2452589343016604612u);
    EXPECT_THROW((void)io::generate_delaunay(0, 1), std::invalid_argument);
    EXPECT_THROW((void)io::generate_delaunay(31, 1), std::invalid_argument);
}
