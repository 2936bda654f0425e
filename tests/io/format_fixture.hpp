// SPDX-License-Identifier: Apache-2.0
// What the tests of formats of graph files share.
#pragma once

#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rhizome::testing {

using edges = std::vector<graph::edge>;
using numbers = std::vector<std::uint64_t>;
using reals = std::vector<double>;

struct damaged_file {
    std::string text;
    std::string message; ///< of the parse_error, behind the name of the file
};

class format_test : public ::testing::Test {
protected:
    explicit format_test(io::graph_format const& format) : format_(format) {}

    scratch_folder folder;

    io::graph_file read(std::string const& text, bool directed = false) const {
        return io::read_graph(folder.write("file", text), &format_, {.directed = directed});
    }

    void expect_messages(std::vector<damaged_file> const& cases) const {
        for (damaged_file const& each : cases) {
            std::string const path = folder.path("file");
            std::string const message = message_of<std::runtime_error>([&] { (void)read(each.text); });
            EXPECT_EQ(message, path + each.message) << io::quoted(each.text);
        }
    }

    /// The graph must come back as it was written: plain and packed, and recognised.
    void expect_round_trip(io::graph_file const& file) const {
        for (char const* name : {"written", "written.gz", "written.bz2"}) {
            std::string const path = folder.path(name);
            format_.write(path, file);
            io::input from(path);
            EXPECT_EQ(&io::recognise_graph_format(from), &format_);
            expect_same(io::read_graph(path), file);
        }
    }

    static void expect_same(io::graph_file const& back, io::graph_file const& file) {
        EXPECT_EQ(back.vertex_count, file.vertex_count);
        EXPECT_EQ(back.directed, file.directed);
        EXPECT_TRUE(back.names == file.names);
        EXPECT_EQ(back.edges, file.edges);
        EXPECT_EQ(back.edge_weights, file.edge_weights);
        EXPECT_EQ(back.edge_values, file.edge_values);
        EXPECT_EQ(back.value_type, file.value_type);
        EXPECT_EQ(back.vertex_weights, file.vertex_weights);
    }

    /// Self-loops and parallel edges among them, in any order.
    static io::graph_file random_graph(io::random_source& random, bool directed) {
        io::graph_file file;
        file.vertex_count = random.below(40);
        file.directed = directed;
        for (std::uint64_t i = random.below(100); i > 0 && file.vertex_count > 0; --i) {
            auto const u = static_cast<graph::vertex_id>(random.below(file.vertex_count));
            auto const v = static_cast<graph::vertex_id>(random.below(file.vertex_count));
            file.edges.push_back(directed ? graph::edge{u, v} : graph::edge{std::min(u, v), std::max(u, v)});
        }
        return file;
    }

    /// Whole numbers, 0 or more, as weights; if `negative`, below 0 too.
    static void give_whole_weights(io::random_source& random, io::graph_file& file, bool negative) {
        for (std::size_t i = 0; i < file.edges.size(); ++i) {
            std::uint64_t const weight = random.bits() >> (11 + random.below(53));
            if (negative) {
                file.edge_values.push_back(i == 0 ? -1.0 : static_cast<double>(weight) - 1000.0);
            } else {
                file.edge_weights.push_back(weight);
            }
        }
        if (negative && !file.edges.empty()) file.value_type = "int64";
    }

private:
    io::graph_format const& format_;
};

} // namespace rhizome::testing
