// SPDX-License-Identifier: Apache-2.0
// Stored graphs in parts, read as one list of edges; and what becomes of parts that are not the whole graph.
#include "saved_parts.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/parts_reader.hpp>
#include <rhizome/io/store_file.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace rhizome::testing {
namespace {

class parts : public ::testing::Test {
protected:
    scratch_folder folder;
    std::string const path = folder.path("graph.rhz");
    saved_parts const saved{};

    template <class Error = io::store_error>
    [[nodiscard]] std::string refusal() const {
        return message_of<Error>([&] { (void)io::read_stored_graph(path, true); });
    }
};

TEST_F(parts, are_read_as_one_graph) {
    saved.write(path);
    double last = 0;
    auto const file = io::read_stored_graph(path, true, [&](double share) {
        EXPECT_GE(share, last);
        last = share;
    });
    EXPECT_EQ(last, 1.0);
    EXPECT_EQ(file.vertex_count, saved_parts::vertices);
    EXPECT_TRUE(file.directed);
    EXPECT_EQ(file.edges, saved.edges);
    EXPECT_EQ(file.edge_weights, saved.weights);
    EXPECT_EQ(io::read_stored_numbers(path).edge_weights, saved.weights);
    EXPECT_TRUE(io::read_stored_graph(path).edge_weights.empty());
}

TEST_F(parts, come_in_pieces_of_any_length) {
    saved.write(path);
    for (std::size_t const room : {1u, 2u, 3u, 100u}) {
        io::parts_reader reader(path);
        EXPECT_EQ(reader.whole(), nullptr);
        EXPECT_TRUE(reader.read_names().empty());
        EXPECT_EQ(reader.fraction_read(), 0.0);
        std::vector<graph::edge> read, piece(room);
        EXPECT_EQ(reader.next_edges({}, nullptr), 0u);
        while (std::size_t const count = reader.next_edges(piece, nullptr))
            read.insert(read.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
        EXPECT_EQ(read, saved.edges) << room;
        EXPECT_EQ(reader.fraction_read(), 1.0);
        EXPECT_EQ(reader.next_edges(piece, nullptr), 0u);
    }
}

TEST_F(parts, that_are_not_the_whole_graph_are_refused) {
    saved.write(path);
    std::filesystem::remove(saved_parts::path_of(path, 1));
    std::string const missing = refusal<io::file_error>();
    EXPECT_TRUE(missing.starts_with(saved_parts::path_of(path, 1) + ": cannot open")) << missing;
    saved.write(path);
    std::filesystem::copy_file(path, saved_parts::path_of(path, 2),
                               std::filesystem::copy_options::overwrite_existing);
    EXPECT_TRUE(refusal().starts_with(saved_parts::path_of(path, 2))) << refusal();
    EXPECT_NE(refusal().find("found part 0 of 3"), std::string::npos) << refusal();
}

TEST_F(parts, with_erased_vertices_are_refused) {
    saved.write(path, {5});
    EXPECT_NE(refusal().find("1 erased vertices"), std::string::npos) << refusal();
    EXPECT_NE(refusal().find("io::load_stored_graph takes"), std::string::npos) << refusal();
}

TEST_F(parts, may_be_one_file) {
    io::graph_file file;
    file.vertex_count = 4;
    file.edges = {{0, 1}, {2, 3}};
    (void)io::write_stored_graph(path, file);
    io::parts_reader reader(path);
    EXPECT_NE(reader.whole(), nullptr);
    std::vector<graph::edge> read(5);
    EXPECT_EQ(reader.next_edges(read, nullptr), 2u);
    EXPECT_EQ(reader.fraction_read(), 1.0);
    EXPECT_EQ(reader.next_edges(read, nullptr), 0u);
}

} // namespace
} // namespace rhizome::testing
