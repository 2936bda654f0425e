// SPDX-License-Identifier: Apache-2.0
// Files with a DIMACS problem line: DIMACS9 .gr and PACE .gr.
#include "format_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

namespace {

struct dimacs9 : format_test {
    dimacs9() : format_test(io::formats::dimacs9) {}
};
struct pace : format_test {
    pace() : format_test(io::formats::pace) {}
};

} // namespace

TEST_F(dimacs9, reads_arcs_with_weights) {
    auto const file =
        read("c a road\nc\n\np sp 4 5\nc here too\na 1 2 7\na 1 2 3\na\t3 3  0\n\na 4 1 5 \na 2 1 9\n");
    EXPECT_EQ(file.vertex_count, 4u);
    EXPECT_TRUE(file.directed);
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 1}, {2, 2}, {3, 0}, {1, 0}}));
    EXPECT_EQ(file.edge_weights, (numbers{7, 3, 0, 5, 9}));
    EXPECT_EQ(read("p sp 0 0\n").vertex_count, 0u);
}

TEST_F(dimacs9, keeps_weights_below_zero) {
    auto const file = read("p sp 2 3\na 1 2 -7\na 2 1 +9007199254740992\na 1 1 0\n");
    EXPECT_EQ(file.edge_values, (reals{-7, 9007199254740992, 0}));
    EXPECT_EQ(file.value_type, "int64");
    EXPECT_TRUE(file.edge_weights.empty());
}

TEST_F(dimacs9, accepts_other_line_ends) {
    edges const expected{{0, 1}, {1, 0}};
    EXPECT_EQ(read("c x\r\np sp 2 2\r\na 1 2 1\r\na 2 1 1\r\n").edges, expected);
    EXPECT_EQ(read("p sp 2 2\na 1 2 1\na 2 1 1").edges, expected);
    EXPECT_EQ(read("p sp 2 2\r\na 1 2 1\r\na 2 1 1\r").edges, expected);
    EXPECT_EQ(read("\xef\xbb\xbfp sp 2 2\na 1 2 1\na 2 1 1\n").edges, expected);
}

TEST_F(dimacs9, names_what_is_damaged) {
    expect_messages({
        {"", ":1:1: found the end of the file, expected a problem line 'p sp n m'"},
        {"c only\n", ":2:1: found the end of the file, expected a problem line 'p sp n m'"},
        {"a 1 2 3\n", ":1:1: found 'a', expected a problem line 'p sp n m'"},
        {"moon\n", ":1:1: found 'moon', expected a problem line 'p sp n m'"},
        {"p cnf 1 2\n", ":1:3: found 'cnf', expected a problem line 'p sp n m'"},
        {"p\n", ":1:2: found the end of the line, expected a problem line 'p sp n m'"},
        {"p sp\n", ":1:5: found the end of the line, expected the number of vertices from 0 to 4294967295"},
        {"p sp -1 0\n", ":1:6: found '-1', expected the number of vertices from 0 to 4294967295"},
        {"p sp 4294967296 0\n",
         ":1:6: found '4294967296', expected the number of vertices from 0 to 4294967295"},
        {"p sp 2 x\n", ":1:8: found 'x', expected the number of edges from 0 to 4611686018427387903"},
        {"p sp 2 1 3\n", ":1:10: found '3', expected the end of the line after the problem line"},
        {"p sp 2 1\na 0 1 1\n", ":2:3: found '0', expected a source from 1 to 2"},
        {"p sp 2 1\na 1 3 1\n", ":2:5: found '3', expected a target from 1 to 2"},
        {"p sp 2 1\na 1 99999999999999999999 1\n",
         ":2:5: found '99999999999999999999', expected a target from 1 to 2"},
        {"p sp 2 1\na 1 18446744073709551617 1\n", // 1 if it wrapped
         ":2:5: found '18446744073709551617', expected a target from 1 to 2"},
        {"p sp 2 1\na 1 2\n",
         ":2:6: found the end of the line, expected a weight from -9007199254740992 to 9007199254740992"},
        {"p sp 2 1\na 1 2 1.5\n",
         ":2:7: found '1.5', expected a weight from -9007199254740992 to 9007199254740992"},
        {"p sp 2 1\na 1 2 9007199254740993\n",
         ":2:7: found '9007199254740993', expected a weight from -9007199254740992 to 9007199254740992"},
        {"p sp 2 1\na 1 2 3 4\n", ":2:9: found '4', expected the end of the line after 'a u v w'"},
        {"p sp 2 1\n\nc\ne 1 2 3\n", ":4:1: found 'e', expected an arc 'a u v w' or a comment 'c ...'"},
        {"p sp 2 1\np sp 2 1\n", ":2:1: found 'p', expected an arc 'a u v w' or a comment 'c ...'"},
        {"c\np sp 2 2\na 1 2 3\n",
         ":2: found a problem line with 2 arcs, expected 1, the number in the file"},
        {"p sp 2 0\na 1 2 3\n", ":1: found a problem line with 0 arcs, expected 1, the number in the file"},
        {std::string("p sp 2 1\na 1 2\0 3\n", 18), ":2:5: found '2\\x00', expected a target from 1 to 2"},
        {"p sp 2 1\r\na 1 2 3\rx\n",
         ":2:7: found '3\\x0dx', expected a weight from -9007199254740992 to 9007199254740992"},
        {"\xff\xfep\0s\0", ":1:1: found the byte order mark of UTF-16, expected text in ASCII or UTF-8"},
    });
}

TEST_F(dimacs9, finds_every_cut_of_the_last_lines) {
    std::string const text = "c head\np sp 3 3\na 1 2 10\na 2 3 20\na 3 1 30\n";
    (void)read(text);
    for (std::size_t size = 0; size + 3 < text.size(); ++size) // "3" of "30" is a number too
        EXPECT_THROW((void)read(text.substr(0, size)), io::parse_error) << size;
    std::string const packed = gzip(text);
    for (std::size_t size = 0; size < packed.size(); ++size)
        EXPECT_THROW((void)read(packed.substr(0, size)), io::parse_error) << size;
}

TEST_F(dimacs9, reads_what_it_wrote) {
    io::random_source random(9);
    for (int round = 0; round < 64; ++round) {
        auto file = random_graph(random, true);
        give_whole_weights(random, file, (round & 1) != 0);
        expect_round_trip(file);
    }
}

TEST_F(dimacs9, writes_undirected_graphs_as_two_arcs_per_edge) {
    io::graph_file file;
    file.vertex_count = 3;
    file.edges = {{0, 1}, {2, 2}};
    std::string const path = folder.path("out.gr");
    io::formats::dimacs9.write(path, file);
    EXPECT_EQ(text_of(path), "p sp 3 3\na 1 2 1\na 2 1 1\na 3 3 1\n");
    file.edge_weights = {1, (std::uint64_t{1} << 53) + 1};
    EXPECT_THROW(io::formats::dimacs9.write(path, file), std::invalid_argument);
    file.edge_weights = {};
    file.edge_values = {0.5, 1};
    EXPECT_THROW(io::formats::dimacs9.write(path, file), std::invalid_argument);
    file.edge_values = {1};
    EXPECT_THROW(io::formats::dimacs9.write(path, file), std::invalid_argument);
    file.edge_values = {};
    file.edges = {{0, 3}};
    EXPECT_THROW(io::formats::dimacs9.write(path, file), std::invalid_argument);
}

TEST_F(pace, reads_edges) {
    auto const file = read("c a tree\np tw 4 3\n2 1\nc here too\n3 2\n\n4 4\n");
    EXPECT_EQ(file.vertex_count, 4u);
    EXPECT_FALSE(file.directed);
    EXPECT_EQ(file.edges, (edges{{0, 1}, {1, 2}, {3, 3}}));
    EXPECT_TRUE(file.edge_weights.empty() && file.edge_values.empty());
    EXPECT_EQ(read("p tw 2 1\r\n1 2\r\n").edges, (edges{{0, 1}}));
    EXPECT_EQ(read("p tw 2 1\n1 2").edges, (edges{{0, 1}}));
}

TEST_F(pace, names_what_is_damaged) {
    expect_messages({
        {"", ":1:1: found the end of the file, expected a problem line 'p tw n m'"},
        {"p sp 2 1\n", ": is a DIMACS9 file, not a PACE file"},
        {"p xy 2 1\n", ":1:3: found 'xy', expected a problem line 'p tw n m'"},
        {"p tw 2 1\n1 2 3\n", ":2:5: found '3', expected the end of the line after 'u v'"},
        {"p tw 2 1\n1 3\n", ":2:3: found '3', expected a vertex from 1 to 2"},
        {"p tw 2 1\n0 1\n", ":2:1: found '0', expected a vertex from 1 to 2"},
        {"p tw 2 1\n1\n", ":2:2: found the end of the line, expected a vertex from 1 to 2"},
        {"p tw 2 1\ne 1 2\n", ":2:1: found 'e', expected a vertex from 1 to 2"},
        {"p tw 2 2\n1 2\n", ":1: found a problem line with 2 edges, expected 1, the number in the file"},
    });
}

TEST_F(pace, reads_what_it_wrote) {
    io::random_source random(10);
    for (int round = 0; round < 32; ++round)
        expect_round_trip(random_graph(random, false));
    EXPECT_THROW(io::formats::pace.write(folder.path("x"), random_graph(random, true)),
                 std::invalid_argument);
}
