// SPDX-License-Identifier: Apache-2.0
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <algorithm>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

using edges = std::vector<graph::edge>;
using numbers = std::vector<std::uint64_t>;

class metis : public ::testing::Test {
protected:
    scratch_folder folder;

    io::graph_file read(std::string const& text) const { return io::read_metis(folder.write("file", text)); }
    std::string error(std::string const& text) const {
        return message_of<io::parse_error>([&] { (void)read(text); });
    }
};

} // namespace

TEST_F(metis, reads_plain_graphs) {
    auto const file = read("% a comment\n5 4\n2 3\n% another\n1 3\n 1\t2 4 \n3\n\n% the last\n\n");
    EXPECT_EQ(file.vertex_count, 5u);
    EXPECT_FALSE(file.directed);
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}, {1, 2}, {2, 3}}));
    EXPECT_TRUE(file.edge_weights.empty() && file.vertex_sizes.empty() && file.vertex_weights.empty());
    EXPECT_EQ(read("0 0\n").vertex_count, 0u);
    EXPECT_EQ(read("0 0").vertex_count, 0u);
    EXPECT_EQ(read("1 0 0\n\n").vertex_count, 1u);
}

TEST_F(metis, accepts_other_line_ends) {
    edges const expected{{0, 1}, {0, 2}};
    EXPECT_EQ(read("3 2\r\n2 3\r\n1\r\n1\r\n").edges, expected);
    EXPECT_EQ(read("3 2\n2 3\n1\n1").edges, expected);
    EXPECT_EQ(read("4 2\n2 3\n1\n1\n").vertex_count, 4u); // the last vertex is isolated, its line lacks
}

TEST_F(metis, reads_all_header_flags) {
    auto file = read("2 1 1\n2 7\n1 7\n");
    EXPECT_EQ(file.edge_weights, (numbers{7}));
    file = read("2 1 10\n5 2\n6 1\n");
    EXPECT_EQ(file.vertex_weights, (numbers{5, 6}));
    EXPECT_EQ(file.weights_per_vertex, 1u);
    file = read("2 1 011 2\n5 50 2 7\n6 60 1 7\n");
    EXPECT_EQ(file.vertex_weights, (numbers{5, 50, 6, 60}));
    EXPECT_EQ(file.edge_weights, (numbers{7}));
    file = read("2 1 100\n8 2\n9 1\n");
    EXPECT_EQ(file.vertex_sizes, (numbers{8, 9}));
    file = read("3 2 111 2\n8 5 50 3 4 2 7\n9 6 60 1 7\n10 0 0 1 4\n");
    EXPECT_EQ(file.vertex_sizes, (numbers{8, 9, 10}));
    EXPECT_EQ(file.vertex_weights, (numbers{5, 50, 6, 60, 0, 0}));
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}}));
    EXPECT_EQ(file.edge_weights, (numbers{7, 4}));
    EXPECT_EQ(read("2 1 1\n2 18446744073709551615\n1 18446744073709551615\n").edge_weights[0],
              ~std::uint64_t{0});
}

TEST_F(metis, reads_decimal_weights) {
    auto const file = read("3 2 1\n2 7 3 0.5\n1 7.0\n1 5e-1\n");
    EXPECT_EQ(file.edge_values, (std::vector<double>{7, 0.5}));
    EXPECT_EQ(file.value_type, "float64");
    EXPECT_TRUE(file.edge_weights.empty());
}

TEST_F(metis, counts_a_last_line_of_blanks) {
    for (char const* const last : {" ", "\t ", "\r", "", "\n"})
        EXPECT_EQ(read("3 1\n2\n1\n" + std::string(last)).vertex_count, 3u) << io::quoted(last);
    EXPECT_NE(error("3 1 10\n1 2\n1 1\n "), ""); // it lacks its weight
}

/// Two edges whose weights are swapped in one direction have the same weights in all, and differ in few bits.
TEST_F(metis, tells_weights_apart_that_differ_in_few_bits) {
    for (auto const& [one, other] : {std::pair("0", "9223372036854775808"), std::pair("0.0", "2.0"),
                                     std::pair("0.5", "1"), std::pair("1", "1.5")}) {
        std::string const a = one;
        std::string const b = other;
        EXPECT_EQ(error("3 2 1\n2 " + a + " 3 " + b + "\n1 " + a + "\n1 " + b + "\n"), "");
        for (int round = 0; round < 100; ++round)
            ASSERT_NE(error("3 2 1\n2 " + a + " 3 " + b + "\n1 " + b + "\n1 " + a + "\n"), "")
                << a << ' ' << b;
    }
    EXPECT_NE(error("2 1 1\n2 1e-9\n1 2e-9\n").find("found weight 2e-09 of edge 2 -> 1, expected 1e-09"),
              std::string::npos);
}

TEST_F(metis, mends_what_others_write_if_told_to) {
    auto const mend = [&](std::string const& text) {
        return io::read_metis(folder.write("file", text), {.lenient = true});
    };
    auto file = mend("3 2\n2 3\n1\n1\n");
    EXPECT_TRUE(file.mended.empty());
    file = mend("3 4\n2 3\n1\n1\n");
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}}));
    EXPECT_EQ(file.mended, (std::vector<std::string>{"the header names 4 edges, the lines hold 2"}));
    file = mend("4 4\n2 0 3\n3\n4 4\n0\n"); // parallel edges in one direction, none back
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {2, 3}}));
    EXPECT_EQ(file.mended, (std::vector<std::string>{"2 neighbours 0 were left out",
                                                     "5 edges stood in the line of one end only",
                                                     "the header names 4 edges, the lines hold 5"}));
    file = mend("3 2 1\n\n1 4 0 9\n1 5 2 6\n");
    EXPECT_EQ(file.edges, (edges{{0, 1}, {0, 2}, {1, 2}}));
    EXPECT_EQ(file.edge_weights, (numbers{4, 5, 6}));
    file = mend("2 1 1\n2 7\n1 8.5\n");
    EXPECT_EQ(file.edge_values, (std::vector<double>{7}));
    EXPECT_EQ(file.mended,
              (std::vector<std::string>{"1 edge had two weights: that in the line of the lower end counts"}));
    file = mend("4 1\n1 2\n1\n");
    EXPECT_EQ(file.edges, (edges{{0, 0}, {0, 1}}));
    EXPECT_EQ(file.mended, (std::vector<std::string>{"2 vertices without lines got no neighbours",
                                                     "the header names 1 edge, the lines hold 2"}));
    EXPECT_THROW((void)mend("2 1\n2\n3\n"), io::parse_error);
    EXPECT_THROW((void)mend("2 1\n2\n1\n1\n"), io::parse_error);
}

TEST_F(metis, finds_one_asymmetric_edge_among_many) {
    io::random_source random(3);
    for (int round = 0; round < 40; ++round) {
        // A ring whose vertices also list a random neighbour in one direction only.
        std::string text = "1000 1000\n";
        std::uint64_t const odd = random.below(1000);
        std::uint64_t const other = (odd + 2 + random.below(900)) % 1000;
        for (std::uint64_t v = 0; v < 1000; ++v) {
            text += std::to_string((v + 999) % 1000 + 1) + " " + std::to_string((v + 1) % 1000 + 1);
            if (v == odd) text += " " + std::to_string(other + 1);
            text += "\n";
        }
        std::string const expected = ":" + std::to_string(odd + 2) + ": found edge " +
                                     std::to_string(odd + 1) + " -> " + std::to_string(other + 1) +
                                     " without its reverse";
        EXPECT_TRUE(error(text).starts_with(folder.path("file") + expected)) << error(text);
    }
}

/// Of several blocks, with comments between them.
TEST_F(metis, reads_long_files_on_any_number_of_threads) {
    io::random_source random(4);
    constexpr std::uint64_t vertices = tests::sanitized ? 30000 : 60000; // several blocks of text
    std::vector<edges> rows(vertices);
    edges all;
    for (std::uint64_t i = 0; i < 5 * vertices; ++i) {
        auto const u = static_cast<graph::vertex_id>(random.below(vertices));
        auto const v = static_cast<graph::vertex_id>(random.below(vertices));
        if (u == v) continue;
        all.push_back({std::min(u, v), std::max(u, v)});
        rows[u].push_back({u, v});
        rows[v].push_back({v, u});
    }
    std::sort(all.begin(), all.end());
    std::string text = std::to_string(vertices) + " " + std::to_string(all.size()) + "\n";
    for (std::uint64_t v = 0; v < vertices; ++v) {
        if (random.below(1000) == 0) text += "% a comment\n";
        for (graph::edge const edge : rows[v])
            text += std::to_string(edge.target + 1) + " ";
        text += "\n";
    }
    for (unsigned const threads : {1u, 2u, 7u}) {
        EXPECT_EQ(io::read_metis(folder.write("plain", text), {.threads = threads}).edges, all);
        EXPECT_EQ(io::read_metis(folder.write("packed", gzip(text)), {.threads = threads}).edges, all);
    }
    // The line of an error is right whatever block it is in.
    std::size_t const at = text.find('\n', text.size() * 9 / 10) + 1;
    auto const line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    std::string const damaged = text.substr(0, at) + "x\n" + text.substr(at);
    std::string const expected = ":" + std::to_string(line) + ":1: found 'x', expected a neighbour";
    EXPECT_TRUE(error(damaged).starts_with(folder.path("file") + expected)) << error(damaged);
    std::string const packed = error(gzip(damaged));
    EXPECT_TRUE(packed.starts_with(folder.path("file") + expected)) << packed;
}

TEST_F(metis, keeps_self_loops_and_parallel_edges) {
    EXPECT_EQ(read("2 2\n1 2\n1\n").edges, (edges{{0, 0}, {0, 1}}));
    EXPECT_EQ(read("2 2\n2\n2 1\n").edges, (edges{{0, 1}, {1, 1}}));
    EXPECT_EQ(read("2 2\n2 2\n1 1\n").edges, (edges{{0, 1}, {0, 1}}));
    auto const file = read("2 2 1\n2 5 2 3\n1 3 1 5\n"); // in any order
    EXPECT_EQ(file.edge_weights, (numbers{3, 5}));
}

/// FILE:LINE:COLUMN: text as FILE:LINE: text.
std::string without_column(std::string const& message) {
    std::size_t const text = message.find(": found");
    std::size_t const column = message.rfind(':', text - 1);
    return message.substr(0, column) + message.substr(text);
}

TEST_F(metis, names_what_is_damaged) {
    struct {
        std::string text;
        std::string expected; ///< begins behind the name of the file
    } const cases[] = {
        {"", ":1: found the end of the file, expected a header"},
        {"% nothing\n", ":2: found the end of the file, expected a header"},
        {"\n2 1\n2\n1\n", ":1: found the end of the line, expected a header"},
        {"moon\n", ":1: found 'moon', expected the number of vertices"},
        {"2\n", ":1: found the end of the line, expected the number of edges"},
        {"2 x\n", ":1: found 'x', expected the number of edges"},
        {"-2 1\n", ":1: found '-2', expected the number of vertices"},
        {"2.0 1\n", ":1: found '2.0', expected the number of vertices"},
        {"4294967296 1\n", ":1: found '4294967296', expected the number of vertices from 0 to 4294967295"},
        {"99999999999999999999 1\n", ":1: found '99999999999999999999', expected the number of vertices"},
        {"2 1 2\n2\n1\n", ":1: found '2', expected a format"},
        {"2 1 0011\n2\n1\n", ":1: found '0011', expected a format"},
        {"2 1 1 1\n2 1\n1 1\n", ":1: found '1', expected no number of weights a vertex"},
        {"2 1 10 0\n2 1\n1 1\n", ":1: found '0', expected the number of weights a vertex from 1"},
        {"2 1 10 1 1\n", ":1: found '1', expected the end of the line after the header"},
        {"2 1\n2\nmoon\n", ":3: found 'moon', expected a neighbour from 1 to 2"},
        {"2 1\n2\n-1\n", ":3: found '-1', expected a neighbour"},
        {"2 1\n2\n0\n", ":3: found '0', expected a neighbour"},
        {"2 1\n% here\n3\n1\n", ":3: found '3', expected a neighbour from 1 to 2"},
        {"2 1\n2\n1,\n", ":3: found '1,', expected a neighbour"},
        {"2 1\n2\n99999999999999999999\n", ":3: found '99999999999999999999', expected a neighbour"},
        {"3 2\n2 3\n1\n", ":4: found the end of the file after 2 vertex lines, expected 3"},
        {"3 2\n2 3\n", ":3: found the end of the file after 1 vertex lines, expected 3"},
        {"4000000000 0\n", ":2: found the end of the file after 0 vertex lines, expected 4000000000"},
        {"2 1\n2\n1\n1\n",
         ":4: found one more vertex line, expected the end of the file after 2 vertex lines"},
        {"2 1\n2\n1\n\n% c\n  moon\n",
         ":6:3: found 'moon', expected the end of the file after 2 vertex lines"},
        {"3 3\n2 3\n1\n1\n",
         ":1: found a header with 3 edges, expected 2, as the vertex lines hold 4 neighbours"},
        {"3 4\n2 3\n1\n1\n", ":1: found a header with 4 edges, expected 2"}, // counts arcs
        {"2 2\n1 1 2\n1\n",
         ":1: found a header with 2 edges, expected 3, as the vertex lines hold 4 neighbours, 2 "
         "of them self-loops"},
        {"3 2\n2 3\n1\n\n", ":2: found edge 1 -> 3 without its reverse in the line of vertex 3"},
        {"3 2\n2\n1\n1\n", ":4: found edge 3 -> 1 without its reverse in the line of vertex 1"},
        {"3 2\n3\n3\n2 2\n", ":4: found edge 3 -> 2 without its reverse in the line of vertex 2"},
        {"4 2\n2 3\n\n1\n1\n", ":2: found edge 1 -> 2 without its reverse in the line of vertex 2"},
        {"% c\n3 2\n2 3\n% c\n1 3\n1\n", ":5: found edge 2 -> 3 without its reverse in the line of vertex 3"},
        {"3 1\n2 3\n\n\n", ":2: found edge 1 -> 2 without its reverse"}, // though m is half the arcs
        {"2 2\n2 2\n1\n", ":2: found edge 1 -> 2 without its reverse"},  // parallel, once
        {"2 1 1\n2 7\n1 8\n", ":3: found weight 8 of edge 2 -> 1, expected 7 as in line 2"},
        {"2 1 1\n2 7\n1\n", ":3: found the end of the line, expected an edge weight"},
        {"2 1 1\n2 -7\n1 -7\n", ":2: found '-7', expected an edge weight"},
        {"2 1 1\n2 1.5\n1 1.25\n", ":3: found weight 1.25"},
        {"2 1 1\n2 1.5x\n1 1.5\n", ":2:3: found '1.5x', expected an edge weight, a finite number"},
        {"2 1 1\n2 1.5\n1 -1.5\n", ":3:3: found '-1.5', expected an edge weight, 0 or more"},
        {"2 1 1\n2 18446744073709551616\n1 1\n", ":2: found '18446744073709551616', expected an edge weight"},
        {"2 1 10\n5 2\n\n", ":3: found the end of the line, expected a vertex weight"},
        {"2 1 11 2\n5 2 7\n6 6 1 7\n", ":2: found '7', expected a neighbour"},
        {"2 1 100\nx 2\n1 1\n", ":2: found 'x', expected a vertex size"},
        {std::string("2 1\n2\n1\0\n", 10), ":3: found '1\\x00', expected a neighbour"},
        {std::string("\x7f\x45LF\0\0\1\2\n", 9),
         ":1: found '\\x7fELF\\x00\\x00\\x01\\x02', expected the number"},
    };
    for (auto const& each : cases) {
        std::string const message = error(each.text);
        EXPECT_TRUE(message.starts_with(folder.path("file") + each.expected) ||
                    without_column(message).starts_with(folder.path("file") + each.expected))
            << io::quoted(each.text) << "\n got " << message << "\nwant " << each.expected;
        EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    }
}

TEST_F(metis, finds_every_cut) {
    std::string const text = "5 5 1\n2 10 3 11\n1 10 3 12\n1 11 2 12 4 13 5 14\n3 13\n3 14\n";
    (void)read(text);
    for (std::size_t size = 0; size + 2 < text.size(); ++size)
        EXPECT_NE(error(text.substr(0, size)), "") << io::quoted(text.substr(0, size));
    for (std::string const& packed : {gzip(text), bzip2(text)}) {
        EXPECT_EQ(read(packed).edges.size(), 5u);
        for (std::size_t size = 0; size < packed.size(); ++size)
            EXPECT_NE(error(packed.substr(0, size)), "") << size << " of " << packed.size();
    }
}

TEST_F(metis, reads_what_it_wrote) {
    io::random_source random(1);
    for (int round = 0; round < 64; ++round) {
        io::graph_file file;
        file.vertex_count = random.below(40);
        for (std::uint64_t i = random.below(100); i > 0 && file.vertex_count > 0; --i) {
            auto const u = static_cast<graph::vertex_id>(random.below(file.vertex_count));
            auto const v = static_cast<graph::vertex_id>(random.below(file.vertex_count));
            file.edges.push_back({std::min(u, v), std::max(u, v)});
        }
        std::sort(file.edges.begin(), file.edges.end());
        auto const fill = [&](numbers& values, std::uint64_t count) {
            for (std::uint64_t i = 0; i < count; ++i)
                values.push_back(random.bits() >> random.below(64));
        };
        if (round & 1) fill(file.vertex_sizes, file.vertex_count);
        if (round & 2 && file.vertex_count > 0) {
            file.weights_per_vertex = static_cast<unsigned>(1 + random.below(3));
            fill(file.vertex_weights, file.vertex_count * file.weights_per_vertex);
        }
        if (round & 4) fill(file.edge_weights, file.edges.size());
        for (std::size_t i = 1; i < file.edge_weights.size(); ++i) // parallel edges come sorted by weight
            if (file.edges[i] == file.edges[i - 1])
                file.edge_weights[i] = std::max(file.edge_weights[i], file.edge_weights[i - 1]);
        std::string const path = folder.path("written");
        io::write_metis(path, file);
        io::graph_file const back = io::read_metis(path);
        EXPECT_EQ(back.vertex_count, file.vertex_count);
        EXPECT_EQ(back.edges, file.edges);
        EXPECT_EQ(back.edge_weights, file.edge_weights);
        EXPECT_EQ(back.vertex_sizes, file.vertex_sizes);
        EXPECT_EQ(back.vertex_weights, file.vertex_weights);
    }
}

TEST_F(metis, refuses_to_write_what_the_format_cannot_hold) {
    std::string const path = folder.path("refused");
    io::graph_file file;
    file.vertex_count = 2;
    file.edges = {{0, 1}};
    auto const refuses = [&](auto change) {
        io::graph_file changed = file;
        change(changed);
        EXPECT_THROW(io::write_metis(path, changed), std::invalid_argument);
    };
    refuses([](auto& f) { f.directed = true; });
    refuses([](auto& f) { f.edges = {{0, 2}}; });
    refuses([](auto& f) { f.edge_weights = {1, 2}; });
    refuses([](auto& f) { f.vertex_sizes = {1}; });
    refuses([](auto& f) { f.weights_per_vertex = 1; });
    EXPECT_EQ(folder.file_count(), 0);
}
