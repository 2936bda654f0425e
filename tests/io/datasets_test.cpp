// SPDX-License-Identifier: Apache-2.0
// Real graphs, against the index that comes with them. RHIZOME_DATASETS names their folder.
#include <rhizome/io/graph_format.hpp>

#include <boost/pending/disjoint_sets.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <vector>

using namespace rhizome;

namespace {

/// The cells of a line; a quoted cell may contain commas.
std::vector<std::string> cells_of(std::string const& line) {
    std::vector<std::string> cells(1);
    bool in_quotes = false;
    for (char const c : line) {
        if (c == '"') {
            in_quotes = !in_quotes;
        } else if (c == ',' && !in_quotes) {
            cells.emplace_back();
        } else {
            cells.back() += c;
        }
    }
    return cells;
}

/// The reader that should recognise files with this text in the column `format`; nullptr: none.
io::graph_format const* format_of(std::string const& text) {
    std::map<std::string, io::graph_format const*> const prefixes{
        {"METIS", &io::formats::metis},
        {"DIMACS9", &io::formats::dimacs9},
        {"PACE", &io::formats::pace},
        {"DIMACS .col", &io::formats::dimacs_colouring},
        {"GML", &io::formats::gml},
        {"MatrixMarket", &io::formats::matrix_market},
        {"edge list", &io::formats::edge_list},
        {"temporal stream", &io::formats::edge_list},
    };
    for (auto const& [prefix, format] : prefixes)
        if (text.starts_with(prefix)) return format;
    return nullptr;
}

} // namespace

TEST(datasets, hold_what_their_index_says) {
    char const* const folder = std::getenv("RHIZOME_DATASETS");
    if (folder == nullptr) GTEST_SKIP() << "RHIZOME_DATASETS is not set";
    std::ifstream index(std::string(folder) + "/INDEX.csv");
    ASSERT_TRUE(index) << "no INDEX.csv in " << folder;
    std::string line;
    std::getline(index, line);
    ASSERT_TRUE(line.starts_with("file,name,format,vertices,undirected_edges,max_degree,triangles,components,"
                                 "self_loops,raw_entries"));
    int graphs = 0;
    while (std::getline(index, line)) {
        std::vector<std::string> const cell = cells_of(line);
        ASSERT_GE(cell.size(), 10u);
        io::graph_format const* const format = format_of(cell[2]);
        SCOPED_TRACE(cell[0]);
        ASSERT_NE(format, nullptr) << "no reader for " << cell[2];
        io::input from(std::string(folder) + "/" + cell[0]);
        EXPECT_EQ(io::recognise_graph_format(from).name, std::string(format->name));
        io::graph_file file = io::read_graph(std::string(folder) + "/" + cell[0]);
        std::uint64_t const entries = file.edges.size();
        EXPECT_EQ(file.edge_times.size(), cell[2].starts_with("temporal") ? entries : 0);
        std::erase_if(file.edges, [](graph::edge edge) { return edge.source == edge.target; });
        std::uint64_t const loops = entries - file.edges.size();
        for (graph::edge& edge : file.edges)
            if (edge.target < edge.source) std::swap(edge.source, edge.target);
        std::sort(file.edges.begin(), file.edges.end());
        file.edges.erase(std::unique(file.edges.begin(), file.edges.end()), file.edges.end());
        std::vector<std::uint64_t> ranks(file.vertex_count);
        std::vector<std::uint64_t> parents(file.vertex_count);
        boost::disjoint_sets sets(ranks.data(), parents.data());
        for (std::uint64_t v = 0; v < file.vertex_count; ++v)
            sets.make_set(v);
        std::uint64_t components = file.vertex_count;
        for (auto const edge : file.edges) {
            std::uint64_t const u = sets.find_set(edge.source);
            std::uint64_t const v = sets.find_set(edge.target);
            if (u == v) continue;
            sets.link(u, v);
            --components;
        }
        EXPECT_EQ(components, std::stoull(cell[7]));
        std::vector<std::uint64_t> degrees(file.vertex_count);
        for (auto const edge : file.edges) {
            ++degrees[edge.source];
            ++degrees[edge.target];
        }
        EXPECT_EQ(file.vertex_count, std::stoull(cell[3]));
        EXPECT_EQ(file.edges.size(), std::stoull(cell[4]));
        EXPECT_EQ(*std::max_element(degrees.begin(), degrees.end()), std::stoull(cell[5]));
        EXPECT_EQ(loops, std::stoull(cell[8]));
        std::uint64_t const raw_entries = std::stoull(cell[9]);
        if (format == &io::formats::metis) {
            EXPECT_EQ(2 * entries - loops, raw_entries); // each edge is in two lines
        } else if (format == &io::formats::dimacs_colouring) {
            EXPECT_TRUE(raw_entries == entries || raw_entries == 2 * entries) << raw_entries;
        } else {
            EXPECT_EQ(entries, raw_entries);
        }
        ++graphs;
    }
    EXPECT_GT(graphs, 0);
}
