// SPDX-License-Identifier: Apache-2.0
// Files that are compressed as their names say, and values of edges as numbers.
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/batch_reducer.hpp>
#include <rhizome/io/generate/updates.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

using namespace rhizome;
using namespace rhizome::testing;

TEST(packed_file, is_packed_as_its_name_says) {
    scratch_folder const folder;
    std::string text;
    for (int i = 0; i < 30'000; ++i) // several blocks
        text += std::to_string(i) + "\n";
    std::vector<packer> cases = packers();
    cases.push_back({"plain", "", "0\n1\n", nullptr});
    long written = 0;
    for (auto const& each : cases) {
        std::string const path = folder.path("a" + each.ending);
        {
            io::packed_file file(path);
            file.write(std::string_view(text).substr(0, 1000));
            file.write(std::string_view(text).substr(1000));
            EXPECT_EQ(folder.file_count(), written) << "before commit()";
            file.commit();
            ++written;
        }
        EXPECT_TRUE(text_of(path).starts_with(each.magic)) << each.name;
        io::input back(path);
        std::string read;
        for (std::string_view line; back.next_line(line);)
            read += std::string(line) + "\n";
        EXPECT_TRUE(read == text) << each.name;
    }
}

TEST(packed_file, leaves_nothing_where_it_is_dropped_and_tells_what_it_cannot_do) {
    scratch_folder const folder;
    { io::packed_file(folder.path("a.gz")).write("some text"); }
    EXPECT_EQ(folder.file_count(), 0);
    EXPECT_THROW(io::packed_file(folder.path("a.lz4")), io::file_error);
    auto const fill = [](char const* name) {
        io::packed_file file(name);
        file.write("some text");
        file.commit();
    };
    EXPECT_THROW(fill("/dev/full"), io::file_error);
    // The filter writes to the full device only when it is closed.
    scratch_folder const links;
    std::string const link = links.path("full.gz");
    std::filesystem::create_symlink("/dev/full", link);
    EXPECT_THROW(fill(link.c_str()), io::file_error);
    EXPECT_EQ(io::without_packing("a.graph.gz"), "a.graph");
    EXPECT_EQ(io::without_packing("a.graph"), "a.graph");
}

TEST(stored_numbers, choose_a_type_that_holds_them) {
    using doubles = std::vector<double>;
    EXPECT_EQ(io::type_for_numbers(doubles{1, 2}, "int8"), "int8");
    EXPECT_EQ(io::type_for_numbers(doubles{1, 128}, "int8"), "uint64");
    EXPECT_EQ(io::type_for_numbers(doubles{1, -128}, "int8"), "int8");
    EXPECT_EQ(io::type_for_numbers(doubles{1, -1}, ""), "float64");
    EXPECT_EQ(io::type_for_numbers(doubles{0.5}, "float32"), "float32");
    EXPECT_EQ(io::type_for_numbers(doubles{0.1}, "float32"), "float64");
    EXPECT_EQ(io::type_for_numbers(doubles{1, 2}, "my own type"), "uint64");
}

TEST(stored_numbers, come_back_from_the_file) {
    scratch_folder const folder;
    std::string const path = folder.path("a.rhz");
    io::graph_file file;
    file.vertex_count = 3;
    file.edges = {{0, 1}, {1, 2}};
    file.edge_values = {-4, 2};
    for (char const* type : {"int16", "float32", "float64", "int64"}) {
        (void)io::write_stored_graph(path, file, {.value_type = type});
        io::store_reader reader(path);
        EXPECT_EQ(reader.header().value_type, type);
        ASSERT_TRUE(io::has_number_values(reader.header()));
        std::vector<graph::edge> edges(2);
        std::vector<std::byte> bytes(2 * 8);
        ASSERT_EQ(reader.next_edges(edges, bytes.data()), 2u);
        std::vector<double> numbers;
        io::append_numbers(path, reader.header(), bytes, 2, numbers);
        EXPECT_EQ(numbers, file.edge_values);
    }
    // What a double does not hold exactly is refused, not rounded.
    file.edge_values.clear();
    file.edge_weights = {~std::uint64_t{0}, 1};
    (void)io::write_stored_graph(path, file);
    EXPECT_EQ(io::read_stored_graph(path, true).edge_weights, file.edge_weights);
    io::store_reader reader(path);
    std::vector<graph::edge> edges(2);
    std::vector<std::byte> bytes(2 * 8);
    ASSERT_EQ(reader.next_edges(edges, bytes.data()), 2u);
    std::vector<double> numbers;
    EXPECT_THROW(io::append_numbers(path, reader.header(), bytes, 2, numbers), io::file_error);
}

TEST(batch_reducer, keeps_the_weight_of_the_last_update) {
    using enum io::operation;
    std::vector<io::update> const updates{
        {insert, {0, 1}}, {insert, {2, 3}}, {insert, {1, 0}}, {erase, {4, 5}}};
    std::vector<double> const weights{1, 2, 3, 1};
    io::batch_reducer effect;
    io::net_batch const& net = effect.reduce(updates, false, weights);
    EXPECT_EQ(net.insertions, (std::vector<graph::edge>{{2, 3}, {1, 0}}));
    EXPECT_EQ(net.weights, (std::vector<double>{2, 3}));
    EXPECT_TRUE(effect.reduce(updates, false).weights.empty());
}

TEST(update_generator, inserts_nothing_where_the_share_is_0) {
    std::vector<graph::edge> const edges{{0, 1}, {1, 2}, {2, 2}};
    io::update_mix mix;
    mix.insert_share = 0;
    mix.self_loop_share = 0.2;
    for (std::uint64_t const vertices : {3u, 9u}) {
        io::update_generator generator(vertices, edges, false, mix, 5);
        bool inserts = false;
        for (int i = 0; i < 3000; ++i)
            inserts |= generator.next().operation == io::operation::insert;
        EXPECT_FALSE(inserts) << vertices;
        EXPECT_TRUE(generator.present().empty());
    }
}
