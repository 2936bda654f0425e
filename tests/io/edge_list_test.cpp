// SPDX-License-Identifier: Apache-2.0
// Edge lists: plain, SNAP, KONECT and CSV.
#include "edge_list_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

TEST_F(edge_lists, keep_numbers_that_are_ids_already) {
    auto const file = read("# a comment\n0 1\n2\t0\n\n  3  3 \n1 0\n");
    EXPECT_EQ(file.vertex_count, 4u);
    EXPECT_FALSE(file.directed);
    EXPECT_FALSE(file.counts_from_one);
    EXPECT_TRUE(file.names.empty());
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}, {3, 3}, {0, 1}}));
    EXPECT_TRUE(file.edge_weights.empty() && file.edge_values.empty() && file.edge_times.empty());
    auto const directed = read("2 0\n0 1\n", io::formats::edge_list, {.directed = true});
    EXPECT_TRUE(directed.directed);
    EXPECT_EQ(directed.edges, (edges{{2, 0}, {0, 1}}));
}

TEST_F(edge_lists, count_from_one_if_the_numbers_do) {
    auto const file = read("3 1\n2 1\n");
    EXPECT_EQ(file.vertex_count, 3u);
    EXPECT_TRUE(file.counts_from_one);
    EXPECT_TRUE(file.names.empty());
    EXPECT_EQ(file.edges, (edges{{0, 2}, {0, 1}}));
}

TEST_F(edge_lists, number_other_ids_in_their_order) {
    auto const file = read("30 1412\n5 30\n18446744073709551615 5\n");
    EXPECT_EQ(file.vertex_count, 4u);
    EXPECT_EQ(names_of(file), (words{"5", "30", "1412", "18446744073709551615"}));
    EXPECT_FALSE(file.names.is_text());
    EXPECT_EQ(file.edges, (edges{{1, 2}, {0, 1}, {0, 3}}));
    auto const sparse = read("4294967295 7\n9 4294967294\n");
    EXPECT_EQ(names_of(sparse), (words{"7", "9", "4294967294", "4294967295"}));
    EXPECT_EQ(sparse.edges, (edges{{0, 3}, {1, 2}}));
    EXPECT_EQ(names_of(read("2 4\n4 2\n")), (words{"2", "4"}));
    EXPECT_EQ(names_of(read("0 2\n")), (words{"0", "2"}));
    EXPECT_EQ(names_of(read("10000000000000000000 1\n")), (words{"1", "10000000000000000000"}));
}

TEST_F(edge_lists, number_text_in_the_order_in_which_it_appears) {
    auto const file = read("Bob Ada\n7 Bob\n007 Ada\n18446744073709551616 7\n-1 7\n");
    EXPECT_EQ(names_of(file), (words{"Bob", "Ada", "7", "007", "18446744073709551616", "-1"}));
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}, {1, 3}, {2, 4}, {2, 5}}));
    EXPECT_EQ(read("Bob Ada\n", io::formats::edge_list, {.directed = true}).edges, (edges{{0, 1}}));
}

TEST_F(edge_lists, have_the_vertices_that_a_comment_counts) {
    auto const file = read("# Nodes: 7 Edges: 2\n# FromNodeId\tToNodeId\n2\t4\n4\t5\n");
    EXPECT_EQ(file.vertex_count, 7u);
    EXPECT_TRUE(file.names.empty());
    EXPECT_EQ(file.edges, (edges{{2, 4}, {4, 5}}));
    auto const from_one = read("# Nodes: 5 Edges: 1\n2\t5\n");
    EXPECT_EQ(from_one.vertex_count, 5u);
    EXPECT_TRUE(from_one.counts_from_one);
    EXPECT_EQ(from_one.edges, (edges{{1, 4}}));
    EXPECT_EQ(read("# Nodes: 5 Edges: 1\n2\t6\n").vertex_count, 2u); // the ids do not fit
    EXPECT_EQ(read("# Nodes: 3 Edges: 0\n").vertex_count, 3u);
    EXPECT_EQ(read("# nothing\n").vertex_count, 0u);
}

TEST_F(edge_lists, have_weights) {
    EXPECT_EQ(read("0 1 7\n1 2 0\n").edge_weights, (numbers{7, 0}));
    EXPECT_EQ(read("0 1 7\n1 2 -3\n").edge_values, (reals{7, -3}));
    EXPECT_EQ(read("0 1 7\n1 2 -3\n").value_type, "int64");
    auto const file = read("0 1 7\n1 2 .5\n0 2 +1e3\n2 2 9\n");
    EXPECT_EQ(file.edge_values, (reals{7, 0.5, 1000, 9}));
    EXPECT_EQ(file.value_type, "float64");
}

TEST_F(edge_lists, have_times) {
    EXPECT_EQ(read("1 2 1082040961\n3 2 1082040960\n").edge_times, (times{1082040961, 1082040960}));
    std::string ascending;
    for (int i = 0; i < 16; ++i)
        ascending += "0 1 " + std::to_string(i) + "\n";
    EXPECT_EQ(read(ascending).edge_times.size(), 16u);
    EXPECT_TRUE(read(ascending).edge_weights.empty());
    EXPECT_EQ(read(ascending + "0 1 14\n").edge_weights.size(), 17u);                     // it decreases
    EXPECT_EQ(read(ascending.substr(ascending.find('\n') + 1)).edge_weights.size(), 15u); // too few differ
    auto const both = read("0 1 0.5 1e9\n1 2 3 -7\n");
    EXPECT_EQ(both.edge_values, (reals{0.5, 3}));
    EXPECT_EQ(both.edge_times, (times{1000000000, -7}));
}

TEST_F(edge_lists, have_the_columns_that_the_caller_names) {
    auto const file = read_columns("9 x 0 1\n8 y 1 2\n", "t,-,u,v");
    EXPECT_EQ(file.edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(file.edge_times, (times{9, 8}));
    EXPECT_EQ(read_columns("0 1 7\n", "u,v,t").edge_times, (times{7}));
    EXPECT_EQ(read_columns("0 1 1082040961\n", "u,v,w").edge_weights, (numbers{1082040961}));
    auto const turned = read("0 1\n", io::formats::edge_list, {.directed = true, .columns = "v,u"});
    EXPECT_EQ(turned.edges, (edges{{1, 0}}));
    for (char const* bad : {"u", "u,u", "u,v,x", "u,v,w,w", "u,v,", "uv"})
        EXPECT_THROW((void)read_columns("0 1\n", bad), std::invalid_argument) << bad;
}

TEST_F(edge_lists, have_the_columns_that_a_comment_or_header_names) {
    EXPECT_EQ(read("# source target time\n0 1 7\n").edge_times, (times{7}));
    EXPECT_EQ(read("source\ttarget\ttime\n0\t1\t7\n").edge_times, (times{7}));
    auto const file = read("id,To,From,note,Weight\n1,20,30,\"a, b\",0.5\n2,30,40,,2\n", io::formats::csv,
                           {.directed = true});
    EXPECT_EQ(names_of(file), (words{"20", "30", "40"}));
    EXPECT_EQ(file.edges, (edges{{1, 0}, {2, 1}}));
    EXPECT_EQ(file.edge_values, (reals{0.5, 2}));
    EXPECT_EQ(read("person,friend\n0,1\n1,2\n", io::formats::csv).edges, (edges{{0, 1}, {1, 2}}));
    EXPECT_EQ(read("person,friend,time\n0,1,5\n1,2,6\n", io::formats::csv).edge_times, (times{5, 6}));
}

TEST_F(edge_lists, have_quoted_cells) {
    auto const file = read("\"source\";\"target\"\n\"Ada L.\" ; \"say \"\"hi\"\"\"\n7;\"a;b\"\n\"8\";7\n",
                           io::formats::csv);
    EXPECT_EQ(names_of(file), (words{"Ada L.", "say \"hi\"", "7", "a;b", "8"}));
    EXPECT_EQ(file.edges, (edges{{0, 1}, {2, 3}, {2, 4}}));
    EXPECT_EQ(names_of(read("New York\tBoston\nBoston\tSalem\n", io::formats::csv)),
              (words{"New York", "Boston", "Salem"}));
    EXPECT_EQ(read("\"0\",\"1\"\n", io::formats::csv).edges, (edges{{0, 1}}));
}

TEST_F(edge_lists, of_konect_say_their_kind) {
    auto const sym = read("% sym unweighted\n% 2 4 4\n1 3\n3 2\n", io::formats::konect, {.directed = true});
    EXPECT_FALSE(sym.directed);
    EXPECT_EQ(sym.vertex_count, 4u);
    EXPECT_TRUE(sym.counts_from_one);
    EXPECT_EQ(sym.edges, (edges{{0, 2}, {1, 2}}));
    auto const asym = read("% asym posweighted\n1 3 0.5 7\n3\t2\t1 1e9\n", io::formats::konect);
    EXPECT_TRUE(asym.directed);
    EXPECT_EQ(asym.edges, (edges{{0, 2}, {2, 1}}));
    EXPECT_EQ(asym.edge_values, (reals{0.5, 1}));
    EXPECT_EQ(asym.edge_times, (times{7, 1000000000}));
    auto const dated = read("% sym unweighted\n1 2 1 9\n", io::formats::konect);
    EXPECT_TRUE(dated.edge_weights.empty());
    EXPECT_EQ(dated.edge_times, (times{9}));
    expect_messages(
        {{"% bip unweighted\n1 1\n", ": is a bipartite KONECT file, whose two sides both count from "
                                     "1; 'sym' and 'asym' files are read"}},
        io::formats::konect);
}

TEST_F(edge_lists, accept_other_line_ends) {
    edges const expected{{0, 1}, {1, 2}};
    for (char const* text : {"0 1\r\n1 2\r\n", "0 1\n1 2", "0 1\r\n1 2\r",
                             "\xef\xbb\xbf"
                             "0 1\n1 2\n",
                             "0 1\n\n\n1 2\n\n", "% c\r\n0 1 \r\n1 2\t\r\n", "0 1\n1 2\n# end"})
        EXPECT_EQ(read(text).edges, expected) << io::quoted(text);
}

TEST_F(edge_lists, name_what_is_damaged) {
    expect_messages({
        {"0\n", ":1:2: found the end of the line, expected a target"},
        {"0 1\n2\n", ":2:2: found the end of the line, expected a target"},
        {"0 1\n# c\n2 3 4\n", ":3:5: found '4', expected the end of the line after 2 columns"},
        {"0 1 2\n2 3\n", ":2:4: found the end of the line, expected a weight"},
        {"0 1 2\n2 3 x\n",
         ":2:5: found 'x', expected a weight, a finite number; whole ones from -2^53 to 2^53"},
        {"0 1 2\n2 3 nan\n",
         ":2:5: found 'nan', expected a weight, a finite number; whole ones from -2^53 to 2^53"},
        {"0 1 2\n2 3 1e999\n",
         ":2:5: found '1e999', expected a weight, a finite number; whole ones from -2^53 to 2^53"},
        {"0 1 2\n0 1 9007199254740993\n",
         ":2:5: found '9007199254740993', expected a weight, a finite number; whole "
         "ones from -2^53 to 2^53"},
        {"0 1 2 3\n1 2 3 4.5s\n", ":2:7: found '4.5s', expected a time, a number from -2^63 to 2^63 - 1"},
        {"0 1 2 3\n1 2 3 4 5\n", ":2:9: found '5', expected the end of the line after 4 columns"},
        {"\"0\" \"1\n", ":1:5: found '\"1', expected a closing quote in the same line"},
        {"\"0\"x 1\n", ":1:4: found 'x', expected a target"},
        {"0 1\n1 2\rx\n", ":2:3: found '2\\x0dx', expected a target"},
        {"\xff\xfe"
         "0\0",
         ":1:1: found the byte order mark of UTF-16, expected text in ASCII or UTF-8"},
    });
    expect_messages(
        {
            {"0,1\n2,\n", ":2:3: found the end of the line, expected a target"},
            {"0,1\n,2\n", ":2:1: found ',', expected a source"},
            {"0,1\n2\n", ":2:2: found the end of the line, expected a target"},
            {"0,1\n2,3,4\n", ":2:4: found ',', expected the end of the line after 2 columns"},
            {"0,1\n\"2\"3,4\n", ":2:4: found '3', expected a target"},
            {"0,1,5\n2,3,a b\n",
             ":2:5: found 'a', expected a weight, a finite number; whole ones from -2^53 to 2^53"},
        },
        io::formats::csv);
}

TEST_F(edge_lists, join_blocks_whatever_their_names_are) {
    io::random_source random(5);
    for (int kind = 0; kind < 4; ++kind) {
        std::string text;
        std::vector<std::pair<std::string, std::string>> ends;
        for (int i = 0; i < 200000; ++i) {
            auto const name = [&]() -> std::string {
                std::uint64_t const number = random.below(5000);
                if (kind == 1 && i > 100000) return std::to_string(number + (std::uint64_t{1} << 40));
                if (kind == 2) return std::to_string(number * 77'777'777'777u);
                if (kind == 3 && i > 150000) return "v" + std::to_string(number);
                return std::to_string(number);
            };
            ends.emplace_back(name(), name());
            text += ends.back().first + ' ' + ends.back().second + '\n';
        }
        for (unsigned const threads : {1u, 3u}) {
            auto const file =
                read(text, io::formats::edge_list, {.directed = true, .threads = threads, .columns = "u,v"});
            ASSERT_EQ(file.edges.size(), ends.size());
            EXPECT_EQ(file.names.is_text(), kind == 3);
            EXPECT_EQ(file.names.empty(), kind == 0);
            std::vector<bool> seen(file.vertex_count);
            std::uint64_t next = 0;
            for (std::size_t i = 0; i < ends.size(); ++i) {
                auto const name = [&](graph::vertex_id v) {
                    return file.names.empty() ? std::to_string(v) : file.names.name(v);
                };
                ASSERT_EQ(name(file.edges[i].source), ends[i].first) << i;
                ASSERT_EQ(name(file.edges[i].target), ends[i].second) << i;
                for (graph::vertex_id const v : {file.edges[i].source, file.edges[i].target}) {
                    if (kind == 3 && !seen[v]) {
                        ASSERT_EQ(v, next++);
                    }
                    seen[v] = true;
                }
            }
            EXPECT_EQ(std::count(seen.begin(), seen.end(), false), 0);
            for (std::uint64_t v = 1; kind != 3 && v < file.names.size(); ++v)
                ASSERT_LT(file.names.number(static_cast<graph::vertex_id>(v - 1)),
                          file.names.number(static_cast<graph::vertex_id>(v)));
        }
    }
}

TEST_F(edge_lists, have_as_many_edges_as_konect_says) {
    expect_messages({{"% sym unweighted\n\n% 3 4 4\n1 3\n3 2\n",
                      ":3: found a line '% m n n' with 3 edges, expected 2, the number in the file"},
                     {"% asym unweighted\n% 1 4 4\n1 3\n3 2\n",
                      ":2: found a line '% m n n' with 1 edges, expected 2, the number in the file"}},
                    io::formats::konect);
}

TEST_F(edge_lists, have_times_with_fractions_and_exponents) {
    auto const konect = io::read_graph(folder.write("file", "% sym positive\n1 2 0 885635999.999997\n"));
    EXPECT_EQ(konect.edge_times, (times{885'635'999}));
    EXPECT_EQ(konect.edge_weights, (numbers{0}));
    EXPECT_EQ(konect.rounded_times, 1u);
    // As SNAP publishes trust networks of traders in bitcoins.
    auto const bitcoin =
        io::read_graph(folder.write("file", "6,2,4,1289241911.72836\n6,5,-2,1289241941.53378\n"));
    EXPECT_EQ(bitcoin.edge_times, (times{1'289'241'911, 1'289'241'941}));
    EXPECT_EQ(bitcoin.edge_values, (reals{4, -2}));
    EXPECT_EQ(bitcoin.rounded_times, 2u);
    auto const file =
        read_columns("0 1 1.5e1\n0 2 -0.5\n0 3 3.0\n0 4 0.99999999999999999999\n0 5 -7.\n", "u,v,t");
    EXPECT_EQ(file.edge_times, (times{15, -1, 3, 0, -7}));
    EXPECT_EQ(file.rounded_times, 2u);
    for (char const* const text : {"1e99", "nan", "inf", ".", "-", "1.5.2", "0x10", "9223372036854775808",
                                   "-9223372036854775808.5", "1e", "1.-5"})
        EXPECT_THROW((void)read_columns("0 1 " + std::string(text) + "\n", "u,v,t"), io::parse_error) << text;
}

TEST_F(edge_lists, have_the_columns_that_any_comment_names) {
    EXPECT_EQ(read("# time source target\n# made by hand\n7 0 1\n").edge_times, (times{7}));
    EXPECT_EQ(read("#time,source,target\n7,0,1\n", io::formats::csv).edge_times, (times{7}));
    auto const konect = read("% sym positive\n% source target time weight\n1 2 30 4\n", io::formats::konect);
    EXPECT_EQ(konect.edge_times, (times{30}));
    EXPECT_EQ(konect.edge_weights, (numbers{4}));
    auto const unweighted =
        read("% sym unweighted\n% source target time weight\n1 2 30 4\n", io::formats::konect);
    EXPECT_EQ(unweighted.edge_times, (times{30}));
    EXPECT_TRUE(unweighted.edge_weights.empty());
}

TEST_F(edge_lists, are_read_as_networkit_writes_them) {
    for (std::string const end : {"\n", "\r\n"}) {
        std::string const text = "p 4 2 u u 0" + end + "0 1" + end + "1 2" + end;
        EXPECT_EQ(recognised(text), "edge-list");
        auto const file = io::read_graph(folder.write("file", text));
        EXPECT_EQ(file.vertex_count, 4u);
        EXPECT_FALSE(file.directed || file.counts_from_one);
        EXPECT_EQ(file.edges, (edges{{0, 1}, {1, 2}}));
    }
    EXPECT_EQ(io::read_graph(folder.write("file", "p 3 0 u u 0\n")).vertex_count, 3u);
    EXPECT_EQ(io::read_graph(folder.write("file", "p 3 1 u u 0\n1 2\n")).edges, (edges{{1, 2}}));
    expect_messages(
        {{"p 4 2 u u 0\n0 1\n1 2 3\n", ":3:5: found '3', expected the end of the line after 2 columns"}});
}
