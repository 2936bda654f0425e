// SPDX-License-Identifier: Apache-2.0
// The files beside DIMACS9 graphs: .co, .ss and .p2p.
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/dimacs_queries.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

using points = std::vector<io::map_point>;
using edge_vector = std::vector<graph::edge>;
using ids = std::vector<graph::vertex_id>;

struct damaged_queries {
    std::string text;
    std::string message;
};

/// What read(path) throws must have these messages, behind the name of the file.
template <class Read>
void expect_messages(Read&& read, std::vector<damaged_queries> const& cases) {
    scratch_folder const folder;
    for (damaged_queries const& each : cases) {
        std::string const path = folder.write("file", each.text);
        EXPECT_EQ(message_of<io::parse_error>([&] { (void)read(path); }), path + each.message) << each.text;
    }
}

} // namespace

TEST(dimacs_queries, reads_coordinates_in_any_order) {
    scratch_folder const folder;
    std::string const text = "c a map\n\np aux sp co 3\nv 2 -73530767 41085396\r\nv 1 0 -1\nc v\n"
                             "v 3 9223372036854775807 -9223372036854775808";
    points const expected{{0, -1}, {-73530767, 41085396}, {9223372036854775807, -9223372036854775807 - 1}};
    EXPECT_EQ(io::read_coordinates(folder.write("a.co", text)), expected);
    EXPECT_EQ(io::read_coordinates(folder.write("a.co.gz", gzip(text))), expected);
    EXPECT_TRUE(io::read_coordinates(folder.write("a.co", "\xef\xbb\xbfp aux sp co 0\n")).empty());
}

TEST(dimacs_queries, reads_queries_in_their_order) {
    scratch_folder const folder;
    EXPECT_EQ(io::read_source_queries(folder.write("a.ss", "c\np aux sp ss 3\ns 5\ns 4294967295\ns 5\n")),
              (ids{4, 4294967294, 4}));
    EXPECT_EQ(io::read_pair_queries(folder.write("a.p2p", "p aux sp p2p 2\nq 3 1\nc\nq 1 1")),
              (edge_vector{{2, 0}, {0, 0}}));
}

TEST(dimacs_queries, names_what_is_damaged) {
    expect_messages(
        [](std::string const& path) { return io::read_coordinates(path); },
        {
            {"", ":1:1: found the end of the file, expected a problem line 'p aux sp co n'"},
            {"p sp 1 1\n", ":1:3: found 'sp', expected a problem line 'p aux sp co n'"},
            {"p aux sp ss 1\n", ":1:10: found 'ss', expected a problem line 'p aux sp co n'"},
            {"p aux sp co -1\n", ":1:13: found '-1', expected the number of lines from 0 to 4294967295"},
            {"p aux sp co 1 1\n", ":1:15: found '1', expected the end of the line after the problem line"},
            {"p aux sp co 1\nv 2 0 0\n", ":2:3: found '2', expected a vertex from 1 to 1"},
            {"p aux sp co 1\nv 1 0.5 0\n", ":2:5: found '0.5', expected a coordinate from "
                                           "-9223372036854775808 to 9223372036854775807"},
            {"p aux sp co 1\nv 1 0 0 0\n", ":2:9: found '0', expected the end of the line after 'v id x y'"},
            {"p aux sp co 1\nx 1\n", ":2:1: found 'x', expected 'v id x y' or a comment 'c ...'"},
            {"p aux sp co 4000000000\nv 1 0 0\n",
             ":1: found a problem line with 4000000000 lines 'v', expected 1, the number in the file"},
            {"c\np aux sp co 2\nv 2 0 0\nv 2 1 1\n",
             ":2: found two points for vertex 2, expected one per vertex"},
        });
    expect_messages([](std::string const& path) { return io::read_source_queries(path); },
                    {{"p aux sp p2p 1\n", ":1:10: found 'p2p', expected a problem line 'p aux sp ss k'"},
                     {"p aux sp ss 1\ns 0\n", ":2:3: found '0', expected a source from 1 to 4294967295"},
                     {"p aux sp ss 2\ns 1\n",
                      ":1: found a problem line with 2 lines 's', expected 1, the number in the file"}});
    expect_messages([](std::string const& path) { return io::read_pair_queries(path); },
                    {{"p aux sp ss 1\n", ":1:10: found 'ss', expected a problem line 'p aux sp p2p k'"},
                     {"p aux sp p2p 1\nq 1\n",
                      ":2:4: found the end of the line, expected a target from 1 to 4294967295"}});
}

TEST(dimacs_queries, are_not_taken_for_graphs) {
    scratch_folder const folder;
    auto const refusal = [&](std::string const& text, io::graph_format const* format) {
        std::string const path = folder.write("file", text);
        return message_of<io::file_error>([&] { (void)io::read_graph(path, format); }).substr(path.size());
    };
    for (io::graph_format const* const format :
         {static_cast<io::graph_format const*>(nullptr), &io::formats::dimacs9, &io::formats::metis}) {
        EXPECT_EQ(refusal("c\np aux sp co 1\nv 1 0 0\n", format),
                  ": holds coordinates of vertices (a DIMACS9 .co file), not a graph");
        EXPECT_EQ(refusal("p aux sp ss 1\ns 1\n", format),
                  ": holds queries for shortest paths (a DIMACS9 .ss or .p2p file), not a graph");
        EXPECT_EQ(refusal("p aux sp p2p 1\nq 1 1\n", format),
                  ": holds queries for shortest paths (a DIMACS9 .ss or .p2p file), not a graph");
    }
    EXPECT_EQ(io::readable_format_names().find("queries"), std::string::npos);
}
