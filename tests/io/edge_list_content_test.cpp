// SPDX-License-Identifier: Apache-2.0
// What a file is taken for that may be an edge list, and its first line.
#include "edge_list_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

TEST_F(edge_lists, do_not_take_an_edge_for_names_of_columns) {
    for (char const* weight : {"nan", "inf", "x", "1e999"})
        expect_messages({{std::string("1 2 ") + weight + "\n1 3 0.5\n2 3 4\n",
                          std::string(":1:5: found '") + weight +
                              "', expected a weight, a finite number; whole ones from -2^53 to 2^53"}});
    expect_messages({{"1 2 x 5\n2 3 1 6\n",
                      ":1:5: found 'x', expected a weight, a finite number; whole ones from -2^53 to 2^53"}});
    EXPECT_EQ(read("u v\nv w\nw x\n").edges, (edges{{0, 1}, {1, 2}, {2, 3}}));
    EXPECT_EQ(read("# source target\nfrom to\n1 2\n").edges, (edges{{0, 1}, {2, 3}}));
    EXPECT_EQ(read("a nan\n1 2\n").edges, (edges{{0, 1}, {2, 3}}));
    EXPECT_EQ(read("note source target\nx 1 2\n", io::formats::edge_list).edges, (edges{{0, 1}}));
    EXPECT_EQ(read("source,target\n", io::formats::csv).edges.size(), 0u);
    EXPECT_EQ(read("name,friend,weight\nAda,Bob,3\n", io::formats::csv).edge_weights, (numbers{3}));
    EXPECT_EQ(recognised("Ada Bob nan\nBob Eve 3\n"), "edge-list");
    auto const names = read("source,target\nfrom,to\nto,7\n", io::formats::csv);
    std::string const path = folder.path("list.txt");
    io::formats::edge_list.write(path, names);
    expect_same(io::read_graph(path), names);
}

TEST_F(edge_lists, have_the_columns_of_lines_behind_long_comments) {
    std::string comments;
    while (comments.size() < 73 * 1024)
        comments += "# a comment, and another one\n\n";
    for (auto const* format : {&io::formats::edge_list, &io::formats::csv}) {
        std::string const rows =
            format == &io::formats::csv ? "from,to,time\n3,5,7\n" : "from to time\n3 5 7\n";
        auto const file = read(comments + rows, *format);
        EXPECT_EQ(names_of(file), (words{"3", "5"}));
        EXPECT_EQ(file.edge_times, (times{7}));
    }
    EXPECT_EQ(io::read_graph(folder.write("file", comments + "3 5 7\n")).edge_weights, (numbers{7}));
    EXPECT_EQ(read(comments).edges.size(), 0u);
    std::string const longest(100'000, 'x');
    EXPECT_EQ(names_of(read(longest + " b 5\nb c 7\n")), (words{longest, "b", "c"}));
    EXPECT_EQ(read(longest + " b 5").edge_weights, (numbers{5}));
}

TEST_F(edge_lists, are_not_taken_from_files_of_other_kinds) {
    std::string const stream = ": holds an update stream, not a list of edges";
    std::string const bolt = "', as a GraphBolt stream or a DIMACS9 file without its line 'p sp n m', not a "
                             "list of edges";
    std::string const matrix =
        ": holds a MatrixMarket file whose first line is not '%%MatrixMarket ...', not a "
        "list of edges";
    std::vector<damaged_file> const cases{
        {"+ 1 2\n- 1 2\n", stream},
        {"- 1 2\n", stream},
        {"# made by hand\n+ 1 2\n", stream},
        {"+ 1 2 5\n- 1 2\n", stream},
        {"a 1 2\nd 1 2\n", ": holds lines that begin with 'a" + bolt},
        {"c text\na 1 2 5\n", ": holds lines that begin with 'a" + bolt},
        {"e 1 2\ne 2 3\n",
         ": holds lines that begin with 'e', as a DIMACS file without its line 'p ...', not "
         "a list of edges"},
        {"%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 0.5\n", matrix},
        {"\n%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n", matrix},
    };
    expect_messages({{"%%MatrixMarket matrix coordinate pattern general\n3 3 1\n1 2\n",
                      ": holds a MatrixMarket file, not a list of edges"}});
    for (damaged_file const& each : cases) {
        EXPECT_EQ(recognised(each.text), "edge-list") << each.text;
        expect_messages({each});
    }
    expect_messages({{"+,1,2\n", stream}}, io::formats::csv);
    EXPECT_EQ(recognised("% bip temporal\n1 1\n"), "konect");
    EXPECT_EQ(recognised("% sym temporal\n1 1\n"), "konect");
    EXPECT_EQ(recognised("% a 1\n2 1\n2\n1\n"), "metis");
    EXPECT_EQ(recognised("% from MatrixMarket\n2 1\n2\n1\n"), "metis");
    EXPECT_EQ(read("# from MatrixMarket\n1 2\n").edges.size(), 1u);
    EXPECT_EQ(read("a 1\nb 2\n").edges.size(), 2u);
    EXPECT_EQ(read_columns("+ 1 2\n+ 1 3\n", "-,u,v").edges.size(), 2u);
    EXPECT_EQ(read("# source target\na 1\n").edges.size(), 1u);
}

TEST_F(edge_lists, are_recognised_by_content) {
    EXPECT_EQ(recognised("# c\n0 1\n"), "edge-list");
    EXPECT_EQ(recognised("# Nodes: 3 Edges: 0\n"), "edge-list");
    EXPECT_EQ(recognised("0 1\n0 2\n"), "edge-list");
    EXPECT_EQ(recognised("4 5\n1 2\n3 1\n"), "edge-list");
    EXPECT_EQ(recognised("2 9 0.5\n1 2 1\n"), "edge-list");
    EXPECT_EQ(recognised("Ada Bob\nBob Eve\n"), "edge-list");
    EXPECT_EQ(recognised("source target\n0 1\n"), "edge-list");
    EXPECT_EQ(recognised("name friend\n10 11\n11 12\n"), "edge-list");
    EXPECT_EQ(recognised("% asym unweighted\n1 2\n"), "konect");
    EXPECT_EQ(recognised("1,2\n2,3\n"), "csv");
    EXPECT_EQ(recognised("\"a\";\"b\"\n1;2\n"), "csv");
    EXPECT_EQ(recognised("source,target,note\n1,2,x\n"), "csv");
    std::string blocks;
    for (int i = 0; i < 100000; ++i)
        blocks += std::to_string(i) + " " + std::to_string(i * 7 % 1000) + "\n";
    EXPECT_EQ(recognised(blocks), "edge-list");
    EXPECT_EQ(recognised(gzip(blocks)), "edge-list");
}

TEST_F(edge_lists, do_not_take_metis_files) {
    EXPECT_EQ(recognised("3 3\n2 3\n1 3\n1 2\n"), "metis"); // a triangle: all lines have two words
    EXPECT_EQ(recognised("% c\n3 3 \r\n2 3\r\n1 3\r\n1 2\r\n"), "metis");
    EXPECT_EQ(recognised("3 3 10\n7 2 3\n8 1 3\n9 1 2\n"), "metis"); // with weights of vertices
    EXPECT_EQ(recognised("2 1\n2\n1\n"), "metis");
    EXPECT_EQ(recognised("2 1 11\n5 2 0.5\n6 1 0.5\n"), "metis"); // decimal weights of edges
    EXPECT_EQ(recognised("2 1 1\n2 0.5 3\n1 0.5 3\n"), "edge-list");
    EXPECT_EQ(recognised("2 1 11\n0.5 2 5\n0.5 1 6\n"), "edge-list");
    EXPECT_EQ(recognised("1 2\n"), "metis"); // a header alone
    EXPECT_EQ(recognised("5 4\n2 3\n1 3\n\n3\n\n"), "metis");
    EXPECT_EQ(recognised(std::string("1 2\n3 \0\n", 8)), "metis");
    std::string ring = "20000 20000\n"; // longer than what recognition looks at
    for (int v = 0; v < 20000; ++v)
        ring += std::to_string((v + 1) % 20000 + 1) + " " + std::to_string((v + 19999) % 20000 + 1) + "\n";
    EXPECT_EQ(recognised(ring), "metis");
    EXPECT_EQ(read(ring, io::formats::metis).edges.size(), 20000u);
    ring[ring.find("\n") + 1] = '3'; // one edge has no reverse
    EXPECT_EQ(recognised(ring), "edge-list");
}
