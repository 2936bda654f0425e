// SPDX-License-Identifier: Apache-2.0
// MatrixMarket coordinate files.
#include "format_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

namespace {

struct matrix_market : format_test {
    matrix_market() : format_test(io::formats::matrix_market) {}

    static std::string text(std::string const& kind, std::string const& rest) {
        return "%%MatrixMarket matrix coordinate " + kind + "\n" + rest;
    }
};

} // namespace

TEST_F(matrix_market, reads_symmetric_matrices_as_undirected_graphs) {
    auto const file = read(text("pattern symmetric", "% a comment\n%\n\n4 4 3\n2 1\n3 3\n\n 4\t1 \n"));
    EXPECT_EQ(file.vertex_count, 4u);
    EXPECT_FALSE(file.directed);
    EXPECT_EQ(file.edges, (edges{{0, 1}, {2, 2}, {0, 3}}));
    EXPECT_TRUE(file.edge_weights.empty() && file.edge_values.empty());
}

TEST_F(matrix_market, reads_general_matrices_as_directed_graphs) {
    auto const file = read(text("integer general", "3 3 3\n2 1 7\n1 2 0\n3 3 9\n"));
    EXPECT_TRUE(file.directed);
    EXPECT_EQ(file.edges, (edges{{1, 0}, {0, 1}, {2, 2}}));
    EXPECT_EQ(file.edge_weights, (numbers{7, 0, 9}));
    EXPECT_EQ(read(text("integer general", "2 2 1\n2 1 -7\n")).value_type, "int64");
    EXPECT_TRUE(read(text("pattern general", "0 0 0\n")).directed);
}

TEST_F(matrix_market, reads_skew_symmetric_matrices_as_two_arcs_per_entry) {
    auto const whole = read(text("integer skew-symmetric", "3 3 1\n2 1 7\n"));
    EXPECT_TRUE(whole.directed);
    EXPECT_EQ(whole.edges, (edges{{1, 0}, {0, 1}}));
    EXPECT_EQ(whole.edge_values, (reals{7, -7}));
    auto const real = read(text("real skew-symmetric", "3 3 1\n3 2 0.5\n"));
    EXPECT_EQ(real.edges, (edges{{2, 1}, {1, 2}}));
    EXPECT_EQ(real.edge_values, (reals{0.5, -0.5}));
}

TEST_F(matrix_market, reads_real_values) {
    auto const file = read(text("real symmetric", "2 2 3\n2 1 1.5e3\n1 1 -2\n2 2 +0.25\n"));
    EXPECT_EQ(file.edge_values, (reals{1500, -2, 0.25}));
    EXPECT_EQ(file.value_type, "float64");
}

TEST_F(matrix_market, accepts_other_spellings_and_line_ends) {
    edges const expected{{0, 1}};
    EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate Pattern Symmetric\r\n2 2 1\r\n2 1\r\n").edges, expected);
    EXPECT_EQ(read(text("pattern symmetric", "2 2 1\n2 1")).edges, expected);
    EXPECT_EQ(read("\xef\xbb\xbf" + text("pattern symmetric", "2 2 1\n2 1\n")).edges, expected);
}

TEST_F(matrix_market, takes_a_size_line_that_is_a_comment) {
    auto const file = read(text("pattern symmetric", "%70 70 2\n2 1\n70 3\n"));
    EXPECT_EQ(file.vertex_count, 70u);
    EXPECT_EQ(file.edges, (edges{{0, 1}, {2, 69}}));
    EXPECT_EQ(read(text("real general", "% a comment\n%% 3 3 1\n\n% b\n2 1 0.5\n")).edge_values,
              (reals{0.5}));
    EXPECT_EQ(read(text("pattern general", "% 3 3 0\n")).vertex_count, 3u);
    // A size line that is none counts more.
    EXPECT_EQ(read(text("pattern general", "%9 9 5\n3 3 1\n2 1\n")).vertex_count, 3u);
    expect_messages({
        {text("pattern symmetric", "%70 70 3\n2 1\n70 3\n"),
         ":2: found a size line with 3 entries, expected 2, the number in the file"},
        {text("pattern symmetric", "%70 70 2\n% c\n2 1\n3 70\n"),
         ":5: found an entry above the diagonal, expected entries in one triangle of a symmetric matrix: "
         "line 4 "
         "has one below"},
        {text("pattern symmetric", "%70 70 2\n2 71\n"), ":3:3: found '71', expected a column from 1 to 70"},
        {text("pattern symmetric", "%70 71 2\n2 1\n"),
         ":3:4: found the end of the line, expected the number of entries from 0 to 4611686018427387903"},
        {text("pattern symmetric", "%5000000000 5000000000 2\n2 1\n"),
         ":2:2: found '5000000000', expected the number of rows from 0 to 4294967295"},
    });
}

TEST_F(matrix_market, names_what_is_damaged) {
    std::string const pattern = text("pattern symmetric", "");
    expect_messages({
        {"", ":1:1: found the end of the line, expected '%%MatrixMarket matrix coordinate ...'"},
        {"2 2 1\n", ":1:1: found '2', expected '%%MatrixMarket matrix coordinate ...'"},
        {"%%MatrixMarket vector\n", ":1:16: found 'vector', expected 'matrix'"},
        {"%%MatrixMarket matrix array real general\n",
         ":1:23: found 'array', expected 'coordinate', as graphs are sparse matrices"},
        {text("complex general", ""), ":1:34: found 'complex', expected 'pattern', 'integer' or 'real'"},
        {text("real hermitian", ""),
         ":1:39: found 'hermitian', expected 'general', 'symmetric' or 'skew-symmetric'"},
        {text("pattern skew-symmetric", ""),
         ":1:42: found 'skew-symmetric', expected 'general' or 'symmetric'"},
        {text("pattern", ""), ":1:41: found the end of the line, expected 'general' or 'symmetric'"},
        {text("pattern general x", ""), ":1:50: found 'x', expected the end of the line after the banner"},
        {pattern, ":2:1: found the end of the file, expected a size line 'rows columns entries'"},
        {pattern + "% only\n",
         ":3:1: found the end of the file, expected a size line 'rows columns entries'"},
        {pattern + "4294967296 1 0\n",
         ":2:1: found '4294967296', expected the number of rows from 0 to 4294967295"},
        {pattern + "2 x 0\n", ":2:3: found 'x', expected the number of columns from 0 to 4294967295"},
        {pattern + "2 2\n",
         ":2:4: found the end of the line, expected the number of entries from 0 to 4611686018427387903"},
        {pattern + "2 2 0 0\n",
         ":2:7: found '0', expected the end of the line after the size line 'rows columns entries'"},
        {pattern + "2 3 0\n", ":2: found a matrix of 2 rows and 3 columns, expected as many rows as columns: "
                              "a graph has one of each per vertex"},
        {pattern + "2 2 1\n0 1\n", ":3:1: found '0', expected a row from 1 to 2"},
        {pattern + "2 2 1\n1 3\n", ":3:3: found '3', expected a column from 1 to 2"},
        {pattern + "2 2 1\n1 18446744073709551617\n",
         ":3:3: found '18446744073709551617', expected a column from 1 to 2"},
        {pattern + "2 2 1\n1\n", ":3:2: found the end of the line, expected a column from 1 to 2"},
        {pattern + "2 2 1\n1 2 3\n", ":3:5: found '3', expected the end of the line after 'row column'"},
        {pattern + "2 2 2\n1 2\n",
         ":2: found a size line with 2 entries, expected 1, the number in the file"},
        {pattern + "2 2 0\n1 2\n",
         ":2: found a size line with 0 entries, expected 1, the number in the file"},
        {text("integer general", "2 2 1\n1 2 1.5\n"),
         ":3:5: found '1.5', expected a weight from -9007199254740992 to 9007199254740992"},
        {text("real general", "2 2 1\n1 2 nan\n"), ":3:5: found 'nan', expected a value, a finite number"},
        {text("real general", "2 2 1\n1 2\n"),
         ":3:4: found the end of the line, expected a value, a finite number"},
        {text("real general", "2 2 1\n1 2 1 1\n"),
         ":3:7: found '1', expected the end of the line after 'row column value'"},
        {text("real skew-symmetric", "2 2 2\n1 2 1\n 2 2 1\n"),
         ":4:2: found '2', expected an entry off the diagonal, as a skew-symmetric matrix has zeros there"},
    });
}

TEST_F(matrix_market, refuses_both_triangles_of_a_symmetric_matrix) {
    std::string const pattern = text("pattern symmetric", "");
    std::string const one = ", expected entries in one triangle of a symmetric matrix: line ";
    expect_messages({
        {pattern + "2 2 2\n1 2\n2 1\n", ":4: found an entry below the diagonal" + one + "3 has one above"},
        {pattern + "% c\n3 3 4\n1 1\n3 2\n\n2 1\n1 3",
         ":8: found an entry above the diagonal" + one + "5 has one below"},
    });
    std::string many = "2 2 400001\n"; // several blocks
    for (int i = 0; i < 400000; ++i)
        many += "2 1\n";
    expect_messages(
        {{pattern + many + "1 2\n", ":400003: found an entry above the diagonal" + one + "3 has one below"}});
    EXPECT_EQ(read(text("pattern symmetric", "2 2 2\n1 2\n1 2\n")).edges, (edges{{0, 1}, {0, 1}}));
    EXPECT_EQ(read(text("pattern general", "2 2 2\n1 2\n2 1\n")).edges, (edges{{0, 1}, {1, 0}}));
}

TEST_F(matrix_market, finds_every_cut_of_the_last_lines) {
    std::string const whole = text("pattern symmetric", "3 3 3\n2 1\n3 1\n3 2\n");
    (void)read(whole);
    for (std::size_t size = 0; size + 1 < whole.size(); ++size)
        EXPECT_THROW((void)read(whole.substr(0, size)), io::parse_error) << size;
}

TEST_F(matrix_market, reads_what_it_wrote) {
    io::random_source random(12);
    for (int round = 0; round < 64; ++round) {
        auto file = random_graph(random, (round & 1) != 0);
        if (round % 4 == 1) give_whole_weights(random, file, (round & 8) != 0);
        if (round % 4 == 2) {
            for (std::size_t i = 0; i < file.edges.size(); ++i)
                file.edge_values.push_back(static_cast<double>(random.bits()) / 3e12 - 100);
            file.value_type = file.edges.empty() ? "" : "float64";
        }
        expect_round_trip(file);
    }
}

TEST_F(matrix_market, writes_the_lower_triangle_of_symmetric_matrices) {
    io::graph_file file;
    file.vertex_count = 3;
    file.edges = {{0, 1}, {2, 2}};
    std::string const path = folder.path("out.mtx");
    io::formats::matrix_market.write(path, file);
    EXPECT_EQ(text_of(path), text("pattern symmetric", "3 3 2\n2 1\n3 3\n"));
    file.directed = true;
    file.edge_weights = {5, 6};
    io::formats::matrix_market.write(path, file);
    EXPECT_EQ(text_of(path), text("integer general", "3 3 2\n1 2 5\n3 3 6\n"));
    file.edges = {{0, 3}, {0, 1}};
    EXPECT_THROW(io::formats::matrix_market.write(path, file), std::invalid_argument);
}
