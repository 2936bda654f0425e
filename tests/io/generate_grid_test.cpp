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
            std::uint64_t rest_u = u;
            std::uint64_t rest_v = v;
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
            if (near && (diagonals || differing == 1))
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
          io::grid_shape{{5, 5, 2}, 5}, io::grid_shape{{5, 5, 2}, 9},
          io::grid_shape{{1u << 16, 1u << 16, 1}, 5},
          io::grid_shape{{~std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0}}, 7}})
        EXPECT_THROW((void)io::generate_grid(shape), std::invalid_argument) << shape.stencil;
    EXPECT_EQ((io::grid_shape{{65'537, 65'535, 1}, 5}.vertex_count()), io::largest_grid);
}
