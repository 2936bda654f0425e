// SPDX-License-Identifier: Apache-2.0
// GML files.
#include "format_fixture.hpp"

#include <chrono>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

struct gml : format_test {
    gml() : format_test(io::formats::gml) {}

    static std::vector<std::string> names_of(io::graph_file const& file) {
        std::vector<std::string> names;
        for (std::uint64_t v = 0; v < file.names.size(); ++v)
            names.push_back(file.names.name(static_cast<graph::vertex_id>(v)));
        return names;
    }
};

using words = std::vector<std::string>;

} // namespace

TEST_F(gml, reads_nodes_and_edges_and_skips_all_else) {
    auto const file = read("# made by hand\nCreator \"me [\"\nVersion 1\n"
                           "graph\n[\n  comment \"two\nlines # not a comment\"\n"
                           "  graphics [ x 1 more [ y -2.5e3 name \"]\" ] ]\n"
                           "  node [ id 7 graphics [ id 9 label \"no\" ] ]\n"
                           "  node[id -3]# the second\n"
                           "  edge [ source 7 target 12 ] edge [ source -3 target 7 label \"id 4\" ]\r\n"
                           "  node [\n id 12\n]\n] other [ ]");
    EXPECT_EQ(file.vertex_count, 3u);
    EXPECT_FALSE(file.directed);
    EXPECT_EQ(file.edges, (edges{{0, 2}, {0, 1}}));
    EXPECT_EQ(names_of(file), (words{"7", "-3", "12"}));
    EXPECT_TRUE(file.edge_weights.empty());
    EXPECT_EQ(read("graph [ ]").vertex_count, 0u);
    EXPECT_EQ(read("\xef\xbb\xbfgraph [ node [ id 0 ] ]").vertex_count, 1u);
}

TEST_F(gml, says_whether_edges_are_arcs) {
    std::string const rest = "node [ id 0 ] node [ id 1 ] edge [ source 1 target 0 ] ]";
    EXPECT_EQ(read("graph [ directed 1 " + rest).edges, (edges{{1, 0}}));
    EXPECT_TRUE(read("graph [ directed 1 " + rest).directed);
    EXPECT_EQ(read("graph [ directed 0 " + rest, true).edges, (edges{{0, 1}}));
    EXPECT_FALSE(read("graph [ " + rest, true).directed) << "GML: undirected unless the file says otherwise";
}

TEST_F(gml, names_vertices_by_labels_if_all_differ) {
    auto const nodes = [&](std::string const& a, std::string const& b) {
        return read("graph [ node [ id 5 " + a + " ] node [ id 6 " + b + " ] edge [ source 6 target 5 ] ]");
    };
    EXPECT_EQ(names_of(nodes("label \"a &amp; &quot;b&quot; &#228; &x;\"", "label \"\"")),
              (words{"a & \"b\" \xc3\xa4 &x;", ""}));
    EXPECT_EQ(names_of(nodes("label \"a\"", "label \"a\"")), (words{"5", "6"}));
    EXPECT_EQ(names_of(nodes("label \"a\"", "")), (words{"5", "6"}));
    EXPECT_EQ(names_of(nodes("", "label \"a\"")), (words{"5", "6"}));
    EXPECT_EQ(names_of(nodes("label 1", "label 2.5")), (words{"1", "2.5"}));
    EXPECT_TRUE(nodes("label \"0\"", "label \"1\"").names.empty()) << "their own ids";
    EXPECT_TRUE(nodes("label 1", "label 2").counts_from_one);
    EXPECT_TRUE(read("graph [ node [ id 0 ] node [ id 1 ] ]").names.empty());
    EXPECT_EQ(nodes("label \"a\"", "label \"b\"").edges, (edges{{0, 1}}));
}

TEST_F(gml, reads_long_labels_in_linear_time) {
    std::string const label(1'000'000, '&');
    auto const start = std::chrono::steady_clock::now();
    auto const file = read("graph [ node [ id 5 label \"" + label + "&#0000065;;\" ] ]");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
    EXPECT_EQ(file.names.name(0), label + "A;");
}

TEST_F(gml, takes_weights_from_weight_or_value) {
    auto const weighted = [&](std::string const& first, std::string const& second) {
        return read("graph [ node [ id 0 value 3 ] edge [ source 0 target 0 " + first +
                    " ] edge [ source 0 target 0 " + second + " ] ]");
    };
    EXPECT_EQ(weighted("value 3", "weight 4").edge_weights, (numbers{3, 4}));
    EXPECT_EQ(weighted("value 3 weight 4", "weight 5 value 6").edge_weights, (numbers{4, 5}));
    EXPECT_EQ(weighted("", "value +4").edge_weights, (numbers{1, 4}));
    EXPECT_EQ(weighted("value 4", "").edge_weights, (numbers{4, 1}));
    auto const negative = weighted("value -4", "");
    EXPECT_EQ(negative.edge_values, (reals{-4, 1}));
    EXPECT_EQ(negative.value_type, "int64");
    auto const real = weighted("value 4", "value 2.50E-1");
    EXPECT_EQ(real.edge_values, (reals{4, 0.25}));
    EXPECT_EQ(real.value_type, "float64");
    auto const text = weighted("value \"heavy\"", "");
    EXPECT_TRUE(text.edge_weights.empty() && text.edge_values.empty());
}

TEST_F(gml, names_what_is_damaged) {
    expect_messages({
        {"", ":1:1: found the end of the file, expected 'graph ['"},
        {"Version 1\n", ":2:1: found the end of the file, expected 'graph ['"},
        {"3 2\n", ":1:1: found '3', expected a key such as 'graph'"},
        {"graph 1\n", ":1:7: found '1', expected '[' after 'graph'"},
        {"graph [\n", ":2:1: found the end of the file, expected a key or ']'"},
        {"graph [ node [ id 1 ]", ":2:1: found the end of the file, expected a key or ']'"},
        {"graph [ ] ]", ":1:11: found ']', expected a key such as 'graph'"},
        {"graph [ ]\ngraph [ ]", ":2:1: found 'graph', expected one graph in the file"},
        {"graph [ node [ ] ]", ":1:9: found a node without an id, expected 'id N'"},
        {"graph [ node [ id 1 id 2 ] ]", ":1:21: found 'id', expected one 'id' per node"},
        {"graph [ node [ id \"1\" ] ]", ":1:19: found '1', expected the id of a node, a whole number"},
        {"graph [ node [ id 1.5 ] ]",
         ":1:19: found '1.5', expected the id of a node, a whole number of 64 bits"},
        {"graph [ node [ id 9223372036854775808 ] ]",
         ":1:19: found '9223372036854775808', expected the id of a node, a whole number of 64 bits"},
        {"graph [ node [ id 1 ]\n node [ id 1 ] ]",
         ":2:12: found '1', expected an id that no other node has"},
        {"graph [ node [ id 1 label [ ] ] ]", ":1:27: found '[', expected a label, a string"},
        {"graph [ node [ id 1 label \"x\n ] ]",
         ":1:27: found a string without an end, expected '\"' at its end"},
        {"graph [ edge [ source 1 ] ]",
         ":1:9: found an edge without both ends, expected 'source N' and 'target N'"},
        {"graph [\nedge [ source 1 target 2 ] node [ id 1 ] ]",
         ":2:24: found '2', expected the id of a node in this file"},
        {"graph [ edge [ source 1 source 1 ] ]",
         ":1:25: found 'source', expected one 'source' and one 'target' per edge"},
        {"graph [ edge [ weight 1 weight 2 ] ]", ":1:25: found 'weight', expected one 'weight' per edge"},
        {"graph [ edge [ value 1 value 2 ] ]", ":1:24: found 'value', expected one 'value' per edge"},
        {"graph [ edge [ weight nan ] ]", ":1:23: found 'nan', expected a weight, a finite number"},
        {"graph [ edge [ weight 1e999 ] ]", ":1:23: found '1e999', expected a weight, a finite number"},
        {"graph [ edge [ weight 9007199254740994 ] ]",
         ":1:23: found '9007199254740994', expected a weight from -9007199254740992 to 9007199254740992, or "
         "one with a decimal point"},
        {"graph [ directed 2 ]", ":1:18: found '2', expected 'directed', 0 or 1"},
        {"graph [ x ]", ":1:11: found ']', expected a number, a string or '['"},
        {"graph [ x [ 1 ] ]", ":1:13: found '1', expected a key or ']'"},
        {"graph [ x [ y ] ]", ":1:15: found ']', expected a number, a string or '['"},
        {"graph [ {", ":1:9: found '{', expected a key, a number, a string, '[' or ']'"},
        {"p sp 0 0\n", ": is a DIMACS9 file, not a GML file"},
    });
}

TEST_F(gml, is_recognised_by_its_content) {
    auto const recognised = [&](std::string const& text) {
        io::input from(folder.write("file", text));
        return &io::recognise_graph_format(from) == &io::formats::gml;
    };
    EXPECT_TRUE(recognised("graph[]"));
    EXPECT_TRUE(recognised("# x\n\nCreator \"a\" Version -1.5\n# y\ngraph # z\n["));
    EXPECT_TRUE(recognised("comment [ a [ b \"]\" # ]\n ] ]\ngraph ["));
    EXPECT_FALSE(recognised("comment [ graph [ ]"));
    EXPECT_FALSE(recognised("comment [ \""));
    EXPECT_THROW((void)recognised("graph { a -- b }"), io::file_error) << "a DOT file";
    EXPECT_FALSE(recognised("digraph ["));
    EXPECT_FALSE(recognised("# x\n1 2\n"));
    EXPECT_FALSE(recognised("Creator \"a"));
}

TEST_F(gml, reads_what_it_wrote) {
    io::random_source random(13);
    for (int round = 0; round < 60; ++round) {
        auto file = random_graph(random, (round & 1) != 0);
        if (round % 3 == 1) give_whole_weights(random, file, (round & 2) != 0);
        if (round % 3 == 2 && !file.edges.empty()) {
            for (std::size_t i = 0; i < file.edges.size(); ++i)
                file.edge_values.push_back(static_cast<double>(random.bits() >> 11) * 0x1p-33 -
                                           (i == 0 ? 0 : 1000.0));
            file.edge_values.front() = 3; // whole, yet of real type
            file.value_type = "float64";
        }
        for (std::uint64_t v = 0; v < file.vertex_count && round % 4 != 0; ++v) {
            std::uint64_t const number = random.bits();
            if (round % 4 == 1) (void)file.names.find_or_add(number); // also beyond 63 bits
            if (round % 4 == 2) (void)file.names.find_or_add(number >> 1);
            if (round % 4 == 3)
                (void)file.names.find_or_add(std::string_view("a\"&\n\x7f&amp;]" + std::to_string(number)));
        }
        ASSERT_TRUE(file.names.empty() || file.names.size() == file.vertex_count);
        file.counts_from_one = file.names.empty() && file.vertex_count > 0 && round % 8 == 4;
        expect_round_trip(file);
        EXPECT_EQ(io::read_graph(folder.path("written")).counts_from_one, file.counts_from_one);
    }
}
