// SPDX-License-Identifier: Apache-2.0
// Grids: exactly the edges of their stencils.
#include "generated_graph.hpp"

#include <rhizome/io/generate/grid.hpp>
#include <rhizome/io/generate/mesh.hpp>

#include <algorithm>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

/// All pairs, each tested by the definition of the stencil.
std::vector<graph::edge> pairs_of(io::grid_shape const& shape) {
    std::vector<graph::edge> edges;
    std::uint64_t const count = shape.vertex_count();
    for (std::uint64_t u = 0; u < count; ++u)
        for (std::uint64_t v = u + 1; v < count; ++v) {
            std::uint64_t rest_u = u / shape.vertices_per_point;
            std::uint64_t rest_v = v / shape.vertices_per_point;
            bool near = true;
            unsigned differing = 0;
            for (std::uint64_t const extent : shape.extents) {
                std::uint64_t const a = rest_u % extent;
                std::uint64_t const b = rest_v % extent;
                std::uint64_t apart = a > b ? a - b : b - a;
                if (shape.wraps) apart = std::min(apart, extent - apart);
                near = near && apart <= 1;
                differing += apart != 0 ? 1 : 0;
                rest_u /= extent;
                rest_v /= extent;
            }
            bool const diagonals = shape.stencil == 9 || shape.stencil == 27;
            if (near && (diagonals || differing <= 1))
                edges.push_back({static_cast<graph::vertex_id>(u), static_cast<graph::vertex_id>(v)});
        }
    return edges;
}

} // namespace

TEST(grid, has_the_edges_of_its_stencil) {
    for (bool const wraps : {false, true}) {
        for (std::uint64_t x = 1; x <= 5; ++x)
            for (std::uint64_t y = 1; y <= 5; ++y) {
                for (unsigned const stencil : {5u, 9u}) {
                    io::grid_shape const shape{{x, y, 1}, stencil, wraps};
                    ASSERT_EQ(io::generate_grid(shape).edges, pairs_of(shape))
                        << x << "x" << y << " " << stencil << " " << wraps;
                }
                for (std::uint64_t z = 1; z <= 4; ++z)
                    for (unsigned const stencil : {7u, 27u}) {
                        io::grid_shape const shape{{x, y, z}, stencil, wraps};
                        ASSERT_EQ(io::generate_grid(shape).edges, pairs_of(shape))
                            << x << "x" << y << "x" << z << " " << stencil << " " << wraps;
                    }
            }
    }
}

TEST(grid, has_several_vertices_per_point) {
    for (bool const wraps : {false, true})
        for (unsigned const per_point : {2u, 3u, 7u}) {
            for (unsigned const stencil : {5u, 9u}) {
                io::grid_shape const shape{{4, 3, 1}, stencil, wraps, per_point};
                ASSERT_EQ(io::generate_grid(shape).edges, pairs_of(shape)) << stencil << " " << per_point;
            }
            for (unsigned const stencil : {7u, 27u}) {
                io::grid_shape const shape{{3, 4, 2}, stencil, wraps, per_point};
                ASSERT_EQ(io::generate_grid(shape).edges, pairs_of(shape)) << stencil << " " << per_point;
            }
        }
    io::grid_shape const elements{{12, 11, 10}, 27, true, 3};
    auto const file = io::generate_grid(elements);
    expect_simple_and_sorted(file);
    EXPECT_EQ(file.edges.size(), elements.most_edges());
    EXPECT_EQ(io::generate_grid(elements, 1).edges, file.edges);
}

TEST(grid, has_honeycombs) {
    // Two cells: a ring of 10 with one edge across.
    EXPECT_EQ(io::generate_grid({{5, 2, 1}, 4}).edges,
              (std::vector<graph::edge>{
                  {0, 1}, {0, 5}, {1, 2}, {2, 3}, {2, 7}, {3, 4}, {4, 9}, {5, 6}, {6, 7}, {7, 8}, {8, 9}}));
    for (auto const& [width, height] : {std::pair{4u, 4u}, std::pair{6u, 4u}, std::pair{100u, 98u}}) {
        io::grid_shape const shape{{width, height, 1}, 4, true};
        auto const file = io::generate_grid(shape);
        expect_simple_and_sorted(file);
        EXPECT_EQ(file.edges.size(), shape.most_edges());
        for (std::uint64_t const degree : degrees_of(file))
            ASSERT_EQ(degree, 3u);
        // Cells have six sides: no two neighbours of a vertex are adjacent or have another common neighbour.
        if (height < 6) continue;
        std::vector<std::vector<graph::vertex_id>> rows(file.vertex_count);
        for (graph::edge const each : file.edges) {
            rows[each.source].push_back(each.target);
            rows[each.target].push_back(each.source);
        }
        for (graph::vertex_id v = 0; v < file.vertex_count; ++v) {
            std::vector<graph::vertex_id> second;
            for (graph::vertex_id const w : rows[v])
                for (graph::vertex_id const far : rows[w])
                    if (far != v) second.push_back(far);
            std::sort(second.begin(), second.end());
            ASSERT_EQ(std::adjacent_find(second.begin(), second.end()), second.end()) << v;
        }
    }
    EXPECT_LE(io::generate_grid({{5, 3, 1}, 4}).edges.size(), (io::grid_shape{{5, 3, 1}, 4}.most_edges()));
}

TEST(grid, has_as_many_edges_as_large_grids_must) {
    for (io::grid_shape const& shape :
         {io::grid_shape{{700, 300, 1}, 5, true}, io::grid_shape{{700, 300, 1}, 9, true},
          io::grid_shape{{60, 50, 70}, 7, true}, io::grid_shape{{60, 50, 70}, 27, true}}) {
        SCOPED_TRACE(shape.stencil);
        auto const torus = io::generate_grid(shape);
        expect_simple_and_sorted(torus);
        EXPECT_EQ(torus.vertex_count, 210'000u);
        EXPECT_EQ(torus.edges.size(), shape.most_edges());
        auto const degrees = degrees_of(torus);
        EXPECT_EQ(*std::min_element(degrees.begin(), degrees.end()), shape.stencil - 1);
        EXPECT_EQ(*std::max_element(degrees.begin(), degrees.end()), shape.stencil - 1);
        for (unsigned const threads : {1u, 2u, 4u})
            EXPECT_EQ(io::generate_grid(shape, threads).edges, torus.edges) << threads;
    }
    EXPECT_EQ(io::generate_grid({{300, 200, 1}, 5}).edges.size(), 299u * 200 + 300 * 199);
    EXPECT_EQ(io::generate_grid({{30, 20, 10}, 7}).edges.size(), 29u * 200 + 30 * 19 * 10 + 600 * 9);
    EXPECT_EQ(io::generate_grid({{20, 20, 20}, 27}).edges, io::generate_mesh(20).edges);
}

TEST(grid, refuses_other_shapes) {
    for (io::grid_shape const& shape :
         {io::grid_shape{{0, 5, 1}, 5}, io::grid_shape{{5, 5, 0}, 7}, io::grid_shape{{5, 5, 1}, 6},
          io::grid_shape{{5, 5, 2}, 5}, io::grid_shape{{5, 5, 2}, 9}, io::grid_shape{{5, 4, 1}, 4, true},
          io::grid_shape{{4, 5, 1}, 4, true}, io::grid_shape{{5, 5, 2}, 4},
          io::grid_shape{{5, 5, 1}, 5, false, 0}, io::grid_shape{{5, 5, 1}, 5, false, 65},
          io::grid_shape{{1u << 16, 1u << 15, 1}, 5, false, 3}, io::grid_shape{{1u << 16, 1u << 16, 1}, 5},
          io::grid_shape{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}, 7}})
        EXPECT_THROW((void)io::generate_grid(shape), std::invalid_argument) << shape.stencil;
    EXPECT_EQ((io::grid_shape{{65'537, 65'535, 1}, 5}.vertex_count()), io::largest_grid);
}
