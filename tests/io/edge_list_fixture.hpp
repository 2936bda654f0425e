// SPDX-License-Identifier: Apache-2.0
// What the tests of edge lists share.
#pragma once

#include "format_fixture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::testing {

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

} // namespace rhizome::testing
