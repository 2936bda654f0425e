// Edge lists: plain, SNAP, KONECT and CSV.
#include "format_fixture.hpp"

using namespace rhizome;
using namespace rhizome::testing;

namespace {

using times = std::vector<std::int64_t>;
using words = std::vector<std::string>;

class edge_lists : public ::testing::Test {
protected:
    scratch_folder folder;

    io::graph_file read(std::string const& text, io::graph_format const& format = io::formats::edge_list,
                        io::read_options const& options = {}) const {
        return io::read_graph(folder.write("file", text), &format, options);
    }
    io::graph_file read_columns(std::string const& text, std::string const& columns) const {
        return read(text, io::formats::edge_list, {.columns = columns});
    }
    std::string recognised(std::string const& text) const {
        io::input from(folder.write("file", text));
        return io::recognise_graph_format(from).name;
    }

    static words names_of(io::graph_file const& file) {
        words names;
        for (std::uint64_t v = 0; v < file.names.size(); ++v)
            names.push_back(file.names.name(static_cast<graph::vertex_id>(v)));
        return names;
    }

    static void expect_same(io::graph_file const& back, io::graph_file const& file) {
        EXPECT_EQ(back.vertex_count, file.vertex_count);
        EXPECT_EQ(back.directed, file.directed);
        EXPECT_EQ(back.counts_from_one, file.counts_from_one);
        EXPECT_EQ(names_of(back), names_of(file));
        EXPECT_EQ(back.edges, file.edges);
        EXPECT_EQ(back.edge_weights, file.edge_weights);
        EXPECT_EQ(back.edge_values, file.edge_values);
        EXPECT_EQ(back.edge_times, file.edge_times);
    }

    void expect_messages(std::vector<damaged_file> const& cases,
                         io::graph_format const& format = io::formats::edge_list,
                         io::read_options const& options = {}) const {
        for (damaged_file const& each : cases) {
            std::string const path = folder.path("file");
            std::string const message =
                message_of<std::runtime_error>([&] { (void)read(each.text, format, options); });
            EXPECT_EQ(message, path + each.message) << io::quoted(each.text);
        }
    }
};

} // namespace

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
    EXPECT_EQ(recognised("Ada Bob nan\nBob Eve 3\n"), "metis");
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
        {"0 1 2 3\n1 2 3 4.5\n", ":2:7: found '4.5', expected a time, a whole number"},
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
    EXPECT_EQ(recognised("moon\n"), "metis");
    EXPECT_EQ(recognised(std::string("1 2\n3 \0\n", 8)), "metis");
    std::string ring = "20000 20000\n"; // longer than what recognition looks at
    for (int v = 0; v < 20000; ++v)
        ring += std::to_string((v + 1) % 20000 + 1) + " " + std::to_string((v + 19999) % 20000 + 1) + "\n";
    EXPECT_EQ(recognised(ring), "metis");
    EXPECT_EQ(read(ring, io::formats::metis).edges.size(), 20000u);
    ring[ring.find("\n") + 1] = '3'; // one edge has no reverse
    EXPECT_EQ(recognised(ring), "edge-list");
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

TEST_F(edge_lists, come_back_as_they_were_written) {
    io::random_source random(77);
    for (int round = 0; round < 96; ++round) {
        bool const directed = (round & 1) != 0;
        int const format_number = round / 2 % 3;
        bool const konect = format_number == 2;
        io::graph_file file;
        file.directed = directed;
        file.vertex_count = 1 + random.below(40);
        auto const vertex = [&] { return static_cast<graph::vertex_id>(random.below(file.vertex_count)); };
        // Each vertex has an edge: CSV files have no others. Text is numbered as it appears.
        for (graph::vertex_id v = 0; v < file.vertex_count; ++v)
            file.edges.push_back({v, v});
        for (std::uint64_t i = random.below(100); i > 0; --i) {
            auto const [u, v] = std::pair(vertex(), vertex());
            file.edges.push_back(directed ? graph::edge{u, v} : graph::edge{std::min(u, v), std::max(u, v)});
        }
        file.counts_from_one = konect;
        if (!konect && round % 5 == 1)
            for (std::uint64_t v = 0; v < file.vertex_count; ++v)
                (void)file.names.find_or_add(v * v * v + 2);
        if (!konect && round % 5 == 2)
            for (std::uint64_t v = 0; v < file.vertex_count; ++v)
                (void)file.names.find_or_add((format_number == 0 ? "x" : "#a, \"b;") + std::to_string(v));
        for (std::size_t i = 0; i < file.edges.size(); ++i) {
            if (round % 7 == 1) file.edge_weights.push_back(random.below(1000));
            if (round % 7 >= 5) file.edge_values.push_back(0.25 + static_cast<double>(random.below(100)));
            if (round % 7 == 2 || round % 7 == 6)
                file.edge_times.push_back(static_cast<std::int64_t>(random.below(99)) - 9);
        }
        io::graph_format const* const formats[] = {&io::formats::edge_list, &io::formats::csv,
                                                   &io::formats::konect};
        io::graph_format const& format = *formats[format_number];
        for (char const* name : {"written", "written.gz"}) {
            std::string const path = folder.path(name);
            format.write(path, file);
            io::input from(path);
            EXPECT_EQ(io::recognise_graph_format(from).name, std::string(format.name)) << text_of(path);
            expect_same(io::read_graph(path, nullptr, {.directed = directed}), file);
        }
    }
}

TEST_F(edge_lists, keep_the_number_of_the_first_vertex) {
    std::string const path = folder.path("list.txt");
    auto const file = io::read_graph(folder.write("file", "4 2\n2\n1 3\n2\n\n"), &io::formats::metis);
    ASSERT_TRUE(file.counts_from_one);
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 4 Edges: 2 First: 1\n# source\ttarget\n1\t2\n2\t3\n");
    expect_same(io::read_graph(path), file);
    io::graph_file empty;
    empty.vertex_count = 3;
    empty.counts_from_one = true;
    io::formats::edge_list.write(path, empty);
    expect_same(io::read_graph(path), empty);
}

TEST_F(edge_lists, keep_directions) {
    io::graph_file file;
    file.vertex_count = 2;
    file.directed = true;
    file.edges = {{1, 0}, {0, 1}};
    std::string const path = folder.path("list.txt");
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 2 Edges: 2\n# Directed\n# source\ttarget\n1\t0\n0\t1\n");
    expect_same(io::read_graph(path), file);
    EXPECT_TRUE(read("# Directed graph (each unordered pair of nodes is saved once): x.txt\n0 1\n").directed);
    EXPECT_FALSE(
        read("# Undirected graph: x.txt\n0 1\n", io::formats::edge_list, {.directed = true}).directed);
    EXPECT_FALSE(read("# Directed edge A->B: A knows B\n0 1\n").directed);
}

TEST_F(edge_lists, keep_whole_and_real_weights_apart) {
    std::string const path = folder.path("list");
    for (auto const* format : {&io::formats::edge_list, &io::formats::csv, &io::formats::konect}) {
        io::graph_file file;
        file.vertex_count = 2;
        file.counts_from_one = true;
        file.edges = {{0, 1}, {0, 1}};
        file.edge_values = {12345678901234567890.0, 7};
        file.value_type = "float64";
        format->write(path, file);
        auto const real = io::read_graph(path, format);
        EXPECT_EQ(real.edge_values, file.edge_values) << text_of(path);
        EXPECT_EQ(real.value_type, "float64");
        file.edge_values = {5, 7};
        format->write(path, file);
        EXPECT_EQ(io::read_graph(path, format).edge_values, file.edge_values) << text_of(path);
        file.edge_values = {-100000, 1e15};
        file.value_type = "int64";
        format->write(path, file);
        auto const whole = io::read_graph(path, format);
        EXPECT_EQ(whole.edge_values, file.edge_values) << text_of(path);
        EXPECT_EQ(whole.value_type, "int64");
        file.edge_values = {7, 8};
        file.value_type = ""; // not known
        format->write(path, file);
        EXPECT_EQ(io::read_graph(path, format).edge_weights, (numbers{7, 8})) << text_of(path);
    }
}

TEST_F(edge_lists, have_as_many_edges_as_konect_says) {
    expect_messages({{"% sym unweighted\n\n% 3 4 4\n1 3\n3 2\n",
                      ":3: found a line '% m n n' with 3 edges, expected 2, the number in the file"},
                     {"% asym unweighted\n% 1 4 4\n1 3\n3 2\n",
                      ":2: found a line '% m n n' with 1 edges, expected 2, the number in the file"}},
                    io::formats::konect);
}

TEST_F(edge_lists, keep_vertices_without_edges) {
    io::graph_file file;
    file.vertex_count = 9;
    file.edges = {{2, 3}};
    std::string const path = folder.path("out");
    for (auto const* format : {&io::formats::edge_list, &io::formats::konect}) {
        file.counts_from_one = format == &io::formats::konect;
        format->write(path, file);
        expect_same(io::read_graph(path), file);
    }
    EXPECT_EQ(text_of(path), "% sym unweighted\n% 1 9 9\n3 4\n");
    file.counts_from_one = false;
    io::formats::edge_list.write(path, file);
    EXPECT_EQ(text_of(path), "# Nodes: 9 Edges: 1\n# source\ttarget\n2\t3\n");
}

TEST_F(edge_lists, are_not_written_if_they_could_not_be_read) {
    io::graph_file file;
    file.vertex_count = 1;
    file.edges = {{0, 0}};
    std::string const path = folder.path("out");
    for (char const* name : {"", "a b", "a\tb", "#a", "%a", "\"a", "a,b", "a;b", "a\nb", "a\x01"}) {
        file.names = {};
        (void)file.names.find_or_add(name);
        EXPECT_THROW(io::formats::edge_list.write(path, file), std::invalid_argument) << name;
    }
    for (char const* name : {"a\nb", "a\x01", "\x1f z"}) {
        file.names = {};
        (void)file.names.find_or_add(name);
        EXPECT_THROW(io::formats::csv.write(path, file), std::invalid_argument);
    }
    file.names = {};
    (void)file.names.find_or_add("a\tb");
    io::formats::csv.write(path, file);
    EXPECT_EQ(names_of(io::read_graph(path, &io::formats::csv)), (words{"a\tb"}));
    file.names = {};
    file.edges = {{0, 1}};
    for (auto const* format : {&io::formats::edge_list, &io::formats::csv, &io::formats::konect})
        EXPECT_THROW(format->write(path, file), std::invalid_argument);
}
