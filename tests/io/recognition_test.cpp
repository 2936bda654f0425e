// SPDX-License-Identifier: Apache-2.0
// What a damaged file is taken for, and which files of other kinds are named.
#include "edge_list_fixture.hpp"

#include <rhizome/io/update_stream.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

class likeliest_readers : public edge_lists {
protected:
    /// The message about a file whose format is found out, behind its name.
    std::string message(std::string const& text, std::string const& columns = "") const {
        std::string const path = folder.write("file", text);
        std::string const what = message_of<std::runtime_error>(
            [&] { (void)io::read_graph(path, nullptr, {.columns = columns}); });
        return what.starts_with(path) ? what.substr(path.size()) : what;
    }
};

std::string const expects_weight = ", expected a weight, a finite number; whole ones from -2^53 to 2^53";

} // namespace

TEST_F(likeliest_readers, take_files_that_begin_with_a_hash_for_edge_lists) {
    EXPECT_EQ(message("# c\n1 2 abc\n"), ":2:5: found 'abc'" + expects_weight);
    EXPECT_EQ(message("# Nodes: 3 Edges: 3\n1 2 inf\n"), ":2:5: found 'inf'" + expects_weight);
    EXPECT_EQ(message("# c\n1 2\n3\n4 5\n"), ":3:2: found the end of the line, expected a target");
    std::string const five =
        "expected the end of the line after 4 columns, or names of all columns (--columns)";
    EXPECT_EQ(message("# c\n1 2 3 4 5\n"), ":2:9: found '5', " + five);
    EXPECT_EQ(message("1 2 3 4 5\n2 3 4 5 6\n"), ":1:9: found '5', " + five);
    EXPECT_EQ(message("# c\n1 2 3 4 5\n", "u,v,-,-,-"), "");
    EXPECT_EQ(message("# c\n1,2,abc\n"), ":2:5: found 'abc'" + expects_weight);
}

TEST_F(likeliest_readers, take_tables_for_csv) {
    EXPECT_EQ(recognised("x,y\n1,2\n3\n4,5\n"), "csv");
    EXPECT_EQ(message("x,y\n1,2\n3\n4,5\n"), ":3:2: found the end of the line, expected a target");
    EXPECT_EQ(message("1,2\n3,4,5\n"), ":2:4: found ',', expected the end of the line after 2 columns");
    std::string const point = expects_weight + "; with a point, not a comma";
    EXPECT_EQ(message("a;b;0,5\nb;c;0,7\n"), ":1:5: found '0,5'" + point);
    EXPECT_EQ(message("from;to;weight\na;b;0,5\n"), ":2:5: found '0,5'" + point);
    EXPECT_EQ(message("1\t2\t0,5\n"), ":1:5: found '0,5'" + point);
    EXPECT_EQ(message("1 2 0,5\n2 3 0,7\n"), ":1:5: found '0,5'" + point);
    EXPECT_EQ(read("1,2\n2,3\n", io::formats::csv).edges.size(), 2u);
    EXPECT_EQ(names_of(read("x;y,z\n", io::formats::csv)), (words{"x;y", "z"}));
}

TEST_F(likeliest_readers, separate_by_tabs_if_names_have_blanks) {
    for (char const* header : {"", "from\tto\tweight\n", "# places\n"}) {
        std::string const path =
            folder.write("file", std::string(header) + "New York\tBoston\t5\nBoston\tAl Bany\t7\n");
        auto const file = io::read_graph(path);
        EXPECT_EQ(names_of(file), (words{"New York", "Boston", "Al Bany"})) << header;
        EXPECT_EQ(file.edge_weights, (numbers{5, 7})) << header;
    }
    EXPECT_EQ(names_of(io::read_graph(folder.write("file", "Doe, John\tRoe, Jane\nRoe, Jane\tMoe\n"))),
              (words{"Doe, John", "Roe, Jane", "Moe"}));
    EXPECT_EQ(message("New York\tBoston\t5\nBoston\tAl Bany\tx\nBoston\tNew York\t7\n"),
              ":2:16: found 'x'" + expects_weight);
    EXPECT_EQ(read("1 2\t3\n2 3\t4\n").edge_weights, (numbers{3, 4}));
    EXPECT_EQ(read("1\t 2 \n2 \t3\n").edges.size(), 2u);
}

TEST_F(likeliest_readers, take_ragged_lists_and_words_for_edge_lists) {
    EXPECT_EQ(message("1 2\n2 3\n3 4 5\n4 1\n"),
              ":3:5: found '5', expected the end of the line after 2 columns");
    EXPECT_EQ(message("Ada Bob nan\nBob Eve 3\n"), ":1:9: found 'nan'" + expects_weight);
    EXPECT_EQ(recognised("Ada Bob\n"), "edge-list");
    for (char const* metis :
         {"4 3\n2 3\n1 3\n1 2\n", "4 3\n2 3\n1 3\n1 2\n\n", "3 3\n2 3\n1 3\n1 2 3\n", "1 2\n"})
        EXPECT_EQ(recognised(metis), "metis") << metis;
    EXPECT_EQ(message("5 4\n2 3\n1 3\n1 2 4\n3 x\n\n"), ":5:3: found 'x', expected a neighbour from 1 to 5");
}

TEST_F(likeliest_readers, follow_names_of_columns) {
    std::string const triangle = "3 3\n2 3\n1 3\n1 2\n"; // METIS, and also a list
    EXPECT_EQ(io::read_graph(folder.write("file", triangle)).edges.size(), 3u);
    EXPECT_EQ(io::read_graph(folder.write("file", triangle), nullptr, {.columns = "u,v"}).edges.size(), 4u);
    EXPECT_EQ(message("3 3\n2 3\n1\n", "u,v"), ":3:2: found the end of the line, expected a target");
}

TEST_F(likeliest_readers, name_files_of_other_kinds) {
    std::string const unpack = "; unpack it, and name the file in it that holds the graph";
    std::string const read = "; files of these formats are read: " + io::readable_format_names();
    std::string tar(512, '\0');
    tar.replace(0, 4, "file");
    tar.replace(257, 5, "ustar");
    std::vector<std::pair<std::string, std::string>> const cases{
        {"<?xml version=\"1.0\"?>\n<graphml xmlns=\"x\">\n", "a GraphML file" + read},
        {"<gexf>\n", "a GEXF file" + read},
        {"<!DOCTYPE html>\n", "an HTML page; it may be the page of a download that failed"},
        {"{\"nodes\": [1, 2]}\n", "a JSON file" + read},
        {"*Vertices 2\n1 \"a\"\n2 \"b\"\n*Edges\n1 2\n", "a Pajek file" + read},
        {"% by hand\n*vertices 2\n*arcs\n1 2\n", "a Pajek file" + read},
        {"graph {\n a -- b\n}\n", "a DOT file" + read},
        {"// c\nstrict digraph \"my graph\"\n{ a -> b }\n", "a DOT file" + read},
        {">>graph6<<Bw\n", "a graph6 or sparse6 file" + read},
        {"Bw\nD?{\n", "a graph6 or sparse6 file" + read},
        {":An\n", "a graph6 or sparse6 file" + read},
        {"# a\nb\nc\n# b\nc\n", "an LGL file" + read},
        {"# a\nb 1.5\nc\n# b\nc 2\n", "an LGL file" + read},
        {"# 1\n2 0.5\n# 2\n3 1.5\n", "an LGL file" + read},
        {"AdjacencyGraph\n2\n1\n0\n1\n1\n", "a Ligra file" + read},
        {"WeightedAdjacencyGraph\n2\n1\n", "a Ligra file" + read},
        {tar, "a tar archive" + unpack},
        {std::string("PK\x03\x04\x14\x00", 6), "a ZIP archive" + unpack},
        {std::string("Rar!\x1a\x07\x00", 7), "a RAR archive" + unpack},
        {std::string("\x89HDF\r\n\x1a\n", 8), "an HDF5 file" + read},
        {"PAR1\x15\x04", "a Parquet file" + read},
        {std::string("\x93NUMPY\x01\x00", 8), "a NumPy file" + read},
        {"%PDF-1.7\n", "a PDF file" + read},
        {"version https://git-lfs.github.com/spec/v1\n",
         "a pointer of Git LFS; 'git lfs pull' fetches the file that it stands for"},
        {gzip("1 2\n2 3\n"), "compressed twice, inside by gzip; unpack it once"},
    };
    for (auto const& [text, what] : cases) {
        EXPECT_EQ(message(gzip(text)), ": is " + what);
        bool const is_packed = text.starts_with("\x1f\x8b");
        if (!is_packed) {
            EXPECT_EQ(message(text), ": is " + what);
        }
        std::string const path = folder.write("file", gzip(text));
        EXPECT_EQ(message_of<io::file_error>([&] { (void)io::read_graph(path, &io::formats::metis); }),
                  path + ": is " + what);
    }
    EXPECT_EQ(message("moon\n"), ":1:1: found 'moon', expected the first line of a graph file" + read);
    for (char const* text :
         {"BZh", "7z", "PK", "*", "{", "~", "~~", ":", "&", "#", "graph", "graph \"", "/*", "<"})
        EXPECT_NE(message(text), "x") << "no damage makes recognition read beyond the text";
    EXPECT_EQ(recognised("graph\n[ node [ id 0 ] ]\n"), "gml");
    for (char const* list : {"# a\nb c\n", "# a comment\n1 2\n# another\n2 3\n", "# part\n1 2\n# next\n2 3\n",
                             "# a\nann bob\n# b\nbob eve\n", "graph vertex\nvertex x\n", "ab cd\ncd ef\n"})
        EXPECT_EQ(recognised(list), "edge-list") << list;
}

TEST_F(likeliest_readers, take_lines_of_two_words_and_a_time_for_a_temporal_list) {
    auto const format_of = [&](std::string const& text) {
        return io::update_reader(folder.write("stream", text)).format();
    };
    EXPECT_EQ(format_of("Ada Bob 5\n"), io::stream_format::temporal);
    EXPECT_EQ(format_of("# c\nAda 7 1082040961.5\n"), io::stream_format::updates) << "or a damaged update";
    EXPECT_EQ(format_of("7 Ada 1.5e1 3\n"), io::stream_format::temporal);
    EXPECT_EQ(format_of("Ada Bob x\n"), io::stream_format::updates);
    EXPECT_EQ(format_of("+ Ada 5\n"), io::stream_format::updates);
    EXPECT_EQ(format_of("a Ada 5\n"), io::stream_format::graphbolt);
    EXPECT_EQ(format_of("ab 0 1\n"), io::stream_format::updates);
    io::update_reader reader(folder.write("stream", "Ada Bob 5\nBob Eve 4\n"));
    reader.map_names({});
    io::update_batch batch;
    ASSERT_TRUE(reader.next_batch(10, batch));
    EXPECT_EQ(batch.times, (times{4, 5}));
    EXPECT_EQ(reader.names().name(0), "Bob");
}

TEST_F(likeliest_readers, say_what_to_do) {
    auto const stream_message = [&](std::string const& text) {
        std::string const path = folder.write("stream", text);
        std::string const what = message_of<io::parse_error>([&] {
            io::update_reader reader(path);
            io::update_batch batch;
            (void)reader.next_batch(10, batch);
        });
        return what.starts_with(path) ? what.substr(path.size()) : what;
    };
    std::string const names = ", expected a vertex from 0 to 4294967293; --map-ids takes names";
    EXPECT_EQ(stream_message("+ alice bob\n"), ":1:3: found 'alice'" + names);
    EXPECT_EQ(stream_message("+ 1 bob\n"), ":1:5: found 'bob'" + names);
    EXPECT_EQ(stream_message("# c\n0 1\n1 2\n"), ":2:1: found '0', expected an update '+ u v [w]' or '- u "
                                                 "v'; lists of edges need times in a third column");
    for (char const* table : {"a,b\n", "1,2\n", "1,2,5\n"})
        EXPECT_EQ(stream_message(table),
                  ":1: found columns with ',' between them, expected spaces or tabs between "
                  "the columns of a stream");
    EXPECT_EQ(message("# Nodes: 4294967295 Edges: 1\n0 1\n"),
              ": has 4294967295 vertices; graphs hold up to 4294967294");
    EXPECT_EQ(message("# Nodes: 4294967295 Edges: 0\n"),
              ": has 4294967295 vertices; graphs hold up to 4294967294");
    std::string const flow = "p max 3 2\nn 1 s\nn 3 t\na 1 2 5\na 2 3 4\n";
    EXPECT_EQ(message(flow),
              ":2:5: found 's', expected a vertex weight; files of maximum-flow problems are not read");
}

TEST_F(likeliest_readers, tell_times_that_are_guessed_by_their_order) {
    std::string ascending;
    for (int i = 0; i < 20; ++i)
        ascending += std::to_string(i) + " " + std::to_string(i + 1) + " " + std::to_string(i) + "\n";
    EXPECT_TRUE(read(ascending).guessed_times);
    EXPECT_EQ(read(ascending).edge_times.size(), 20u);
    EXPECT_FALSE(read_columns(ascending, "u,v,t").guessed_times);
    EXPECT_FALSE(read_columns(ascending, "u,v,w").guessed_times);
    EXPECT_FALSE(read("# source target time\n" + ascending).guessed_times);
    EXPECT_FALSE(read("source target time\n" + ascending).guessed_times);
    EXPECT_FALSE(read("0 1 1082040961\n").guessed_times) << "seconds since 1970";
    EXPECT_FALSE(read("0 1 7\n").guessed_times);
}
