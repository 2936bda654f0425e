// SPDX-License-Identifier: Apache-2.0
// DIMACS .col files.
#include "format_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

namespace {

struct colouring : format_test {
    colouring() : format_test(io::formats::dimacs_colouring) {}
};

} // namespace

TEST_F(colouring, reads_each_edge_once) {
    auto const both = read("c a map\np edge 4 4\ne 1 2\ne 2 1\ne 3 2\ne 2 3\n");
    EXPECT_EQ(both.vertex_count, 4u);
    EXPECT_FALSE(both.directed);
    EXPECT_EQ(both.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(read("p col 4 2\ne 1 2\ne 3 2\n").edges, both.edges);
    EXPECT_EQ(read("p edges 4 2\r\ne 1 2\r\ne 3 2\r\n").edges, both.edges);
    EXPECT_EQ(read("p max 4 2\ne 1 2\ne 3 2").edges, both.edges);
    EXPECT_EQ(read("p edge 4 4\ne 1 2\ne 3 2\n").edges,
              both.edges); // counts both directions, lists one
    EXPECT_EQ(read("p edge 4 2\ne 1 2\ne 2 1\ne 3 2\n").edges,
              both.edges); // counts edges
    EXPECT_EQ(read("p edge 1 1\ne 1 1\n").edges, (edges{{0, 0}}));
    EXPECT_EQ(read("p edge 0 0\n").vertex_count, 0u);
}

TEST_F(colouring, takes_weights_of_vertices_and_skips_other_lines) {
    auto const file = read("p edge 3 1\nd 2 x\nv 1 2\nn 2 7\nx LB 3\n\ne 1 3\ns 2\n");
    EXPECT_EQ(file.edges, (edges{{0, 2}}));
    EXPECT_EQ(file.vertex_weights, (numbers{1, 7, 1}));
    EXPECT_EQ(file.weights_per_vertex, 1u);
    EXPECT_TRUE(read("p edge 3 0\n").vertex_weights.empty());
    EXPECT_TRUE(read("p edge 4000000000 0\n").vertex_weights.empty());
    EXPECT_EQ(read("p edge 1048576 0\nn 1048576 2\n").vertex_weights.back(), 2u);
}

TEST_F(colouring, names_what_is_damaged) {
    std::string const line = "an edge 'e u v', 'n v x', 'd ...', 'v ...', 'x "
                             "...', 's ...' or a comment 'c ...'";
    expect_messages({
        {"", ":1:1: found the end of the file, expected a problem line 'p edge n m'"},
        {"p tw 2 1\n1 2\n", ": is a PACE file, not a DIMACS colouring file"},
        {"p cnf 2 1\n", ":1:3: found 'cnf', expected a problem line 'p edge n m'"},
        {"p edge 2\n", ":1:9: found the end of the line, expected the number of "
                       "edges from 0 to "
                       "4611686018427387903"},
        {"p edge 2 1\ne 1 3\n", ":2:5: found '3', expected a vertex from 1 to 2"},
        {"p edge 2 1\ne 0 1\n", ":2:3: found '0', expected a vertex from 1 to 2"},
        {"p edge 2 1\ne 1\n", ":2:4: found the end of the line, expected a vertex from 1 to 2"},
        {"p edge 2 1\ne 1 2 3\n", ":2:7: found '3', expected the end of the line after 'e u v'"},
        {"p edge 2 1\na 1 2\n", ":2:1: found 'a', expected " + line},
        {"p edge 2 1\nsome\n", ":2:1: found 'some', expected " + line},
        {"p edge 2 1\nn 3 1\n", ":2:3: found '3', expected a vertex from 1 to 2"},
        {"p edge 2 1\nn 1 -1\n", ":2:5: found '-1', expected a vertex weight "
                                 "from 0 to 18446744073709551615"},
        {"c\np edge 4000000000 0\nn 1 5\n",
         ":2: found 4000000000 vertices, and lines 'n v x' for 1, expected "
         "such lines for one vertex in 64, or for none"},
        {"p edge 3 3\ne 1 2\n", ":1: found a problem line with 3 edges, expected "
                                "1, the number in the file"},
    });
}

TEST_F(colouring, reads_what_it_wrote) {
    io::random_source random(11);
    for (int round = 0; round < 32; ++round) {
        auto file = random_graph(random, false);
        std::sort(file.edges.begin(), file.edges.end());
        file.edges.erase(std::unique(file.edges.begin(), file.edges.end()), file.edges.end());
        if ((round & 1) != 0 && file.vertex_count > 0) {
            file.weights_per_vertex = 1;
            for (std::uint64_t v = 0; v < file.vertex_count; ++v)
                file.vertex_weights.push_back(random.bits());
        }
        expect_round_trip(file);
    }
    EXPECT_THROW(io::formats::dimacs_colouring.write(folder.path("x"), random_graph(random, true)),
                 std::invalid_argument);
}
