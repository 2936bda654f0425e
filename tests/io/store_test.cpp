// SPDX-License-Identifier: Apache-2.0
// The file of a stored graph: what it holds byte for byte, and what is read from it.
#include "packing.hpp"
#include "store_fixture.hpp"

#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::testing {

TEST_F(store, is_what_its_description_says) {
    std::string const bytes = sample_bytes();
    std::size_t at = 0;
    auto const next = [&]<class Number>(Number) {
        Number number{};
        std::memcpy(&number, bytes.data() + at, sizeof(number));
        at += sizeof(number);
        return number;
    };
    std::uint32_t const u32 = 0;
    std::uint64_t const u64 = 0;
    EXPECT_EQ(bytes.substr(0, 8), std::string("\x89RHZ\r\n\x1a\n"));
    at = 8;
    EXPECT_EQ(next(u32), 0x01020304u);
    EXPECT_EQ(next(u32), 1u);
    EXPECT_EQ(next(u32), 0u);
    EXPECT_EQ(next(u32), 4u);
    EXPECT_EQ(next(u64), 6u);
    EXPECT_EQ(next(u64), 7u);
    EXPECT_EQ(next(u64), 0u);
    EXPECT_EQ(next(u32), 8u);
    EXPECT_EQ(bytes.substr(at, 40), std::string("uint64") + std::string(34, '\0'));
    at += 40;
    EXPECT_EQ(next(u32), format::checksum(0, bytes.data(), 92));
    auto const expect_section = [&](std::uint32_t kind, std::uint32_t item_bytes, auto const& items) {
        std::size_t const begin = at;
        EXPECT_EQ(next(u32), kind);
        EXPECT_EQ(next(u32), item_bytes);
        ASSERT_EQ(next(u64), items.size());
        for (auto const item : items)
            EXPECT_EQ(next(item), item);
        while (at % 8 != 0)
            EXPECT_EQ(bytes[at++], '\0');
        std::uint64_t const sum = format::checksum(0, bytes.data() + begin, at - begin);
        EXPECT_EQ(next(u64), sum);
    };
    expect_section(1, 4, ids{});
    expect_section(2, 8, numbers{0, 0, 3, 5, 6, 7, 7});
    expect_section(3, 4, ids{1, 2, 5, 3, 4, 5, 5});
    expect_section(4, 8, numbers{10, 20, 30, 40, 50, 60, 70});
    EXPECT_EQ(at, bytes.size());
    EXPECT_EQ(format::checksum(0, "123456789", 9), 0xcbf43926u); // the check value of CRC-32
    EXPECT_EQ(format::joined_checksum(format::checksum(0, "1234", 4), format::checksum(0, "56789", 5), 5),
              0xcbf43926u);
}

TEST_F(store, gives_back_what_was_written) {
    io::graph_file file = sample();
    EXPECT_EQ(io::write_stored_graph(path, file), 7u);
    EXPECT_TRUE(io::is_stored_graph(path));
    io::graph_file read = io::read_stored_graph(path, true);
    EXPECT_EQ(read.edges, file.edges);
    EXPECT_EQ(read.edge_weights, file.edge_weights);
    EXPECT_EQ(read.vertex_count, 6u);
    EXPECT_FALSE(read.directed);
    EXPECT_TRUE(io::read_stored_graph(path).edge_weights.empty());
    // In any order; of parallel edges the last counts; many blocks.
    file = {.vertex_count = 50'000,
            .directed = true,
            .edges = {},
            .edge_weights = {},
            .vertex_sizes = {},
            .vertex_weights = {},
            .weights_per_vertex = 0};
    for (std::uint32_t i = 0; i < 200'000; ++i) {
        file.edges.push_back({(199'999 - i) / 4, i % 7 == 0 ? 3 : (i * 7919u) % 50'000});
        file.edge_weights.push_back(i);
    }
    std::map<graph::edge, std::uint64_t> expected;
    for (std::size_t i = 0; i < file.edges.size(); ++i)
        expected[file.edges[i]] = file.edge_weights[i];
    double last = 0;
    EXPECT_EQ(io::write_stored_graph(path, file,
                                     {.parallel = io::parallel_rule::last,
                                      .progress =
                                          [&](double share) {
                                              EXPECT_GE(share, last);
                                              last = share;
                                          }}),
              expected.size());
    EXPECT_EQ(last, 1.0);
    last = 0;
    read = io::read_stored_graph(path, true, [&](double share) { last = share; });
    EXPECT_EQ(last, 1.0);
    ASSERT_EQ(read.edges.size(), expected.size());
    std::size_t i = 0;
    for (auto const& [edge, weight] : expected) {
        ASSERT_EQ(read.edges[i], edge);
        ASSERT_EQ(read.edge_weights[i++], weight);
    }
    EXPECT_TRUE(read.directed);
    EXPECT_EQ(read_rows(path), read.edges);
    io::write_stored_graph(path, file, {.in_arcs = true, .self_loops = true});
    EXPECT_TRUE(io::store_reader(path).header().in_arcs);
    // Nothing at all.
    io::write_stored_graph(path, io::graph_file{});
    EXPECT_TRUE(read_all(path).empty());
    EXPECT_TRUE(read_rows(path).empty());
}

TEST_F(store, is_read_by_rows_or_by_edges) {
    io::write_stored_graph(path, sample());
    exec::thread_team team(2);
    io::store_reader reader(path);
    EXPECT_EQ(reader.rows_bytes(true), 7u * 8 + 7u * 4 + 7u * 8);
    EXPECT_EQ(reader.rows_bytes(false), 7u * 8 + 7u * 4);
    edges some(3);
    ASSERT_EQ(reader.next_edges(some, nullptr), 3u);
    EXPECT_THROW((void)reader.read_rows(team, true), std::logic_error);
    reader.rewind();
    EXPECT_EQ(reader.fraction_read(), 0.0);
    io::stored_arrays const rows = reader.read_rows(team, true);
    EXPECT_EQ(reader.fraction_read(), 1.0);
    EXPECT_EQ(numbers(rows.offsets.get(), rows.offsets.get() + 7), (numbers{0, 0, 3, 5, 6, 7, 7}));
    EXPECT_EQ(ids(rows.targets.get(), rows.targets.get() + 7), (ids{1, 2, 5, 3, 4, 5, 5}));
    numbers values(7);
    std::memcpy(values.data(), rows.values.get(), 7 * sizeof(values[0]));
    EXPECT_EQ(values, (numbers{10, 20, 30, 40, 50, 60, 70}));
    EXPECT_EQ(reader.next_edges(some, nullptr), 0u);
    reader.rewind();
    EXPECT_EQ(reader.read_rows(team, false).values, nullptr);
    reader.rewind();
    ASSERT_EQ(reader.next_edges(some, nullptr), 3u);
    EXPECT_EQ(some, (edges{{1, 1}, {1, 2}, {1, 5}}));
}

TEST_F(store, gives_out_erased_vertices) {
    {
        io::store_writer writer(path, {.vertices = 4, .edges = 1, .erased = 2});
        writer.erased(ids{0, 2});
        writer.offsets(numbers{0, 0, 1, 1, 1});
        writer.targets(ids{3});
        writer.commit();
    }
    io::store_reader const reader(path);
    EXPECT_EQ(reader.erased(), (ids{0, 2}));
    expect_part(message_of<io::store_error>([&] { reader.expect_no_erased(); }), "2 erased vertices");
    expect_part(message_of<io::store_error>([&] { (void)io::read_stored_graph(path); }), "2 erased vertices");
}

TEST_F(store, is_a_format_of_graph_files) {
    io::formats::stored.write(path, sample());
    EXPECT_EQ(io::read_graph(path).edges, sample().edges);
    EXPECT_EQ(io::read_graph(path).edge_weights, sample().edge_weights);
    EXPECT_TRUE(io::read_graph(path, nullptr, {.weights = false}).edge_weights.empty());
    std::string bytes = sample_bytes();
    std::string const packed = folder.write("packed", gzip(bytes));
    expect_part(message_of<io::file_error>([&] { (void)io::read_graph(packed); }),
                "holds a stored graph that is compressed");
    bytes[0] = '\x88';
    std::string const damaged = folder.write("damaged.rhz", bytes);
    expect_part(message_of<io::store_error>([&] { (void)io::read_graph(damaged); }), "at byte 0: found");
}

TEST_F(store, is_told_by_its_first_bytes) {
    EXPECT_FALSE(io::is_stored_graph(folder.write("a.rhz", "2 1\n2\n1\n")));
    EXPECT_FALSE(io::is_stored_graph(folder.write("b.rhz", sample_bytes().substr(0, 7))));
    EXPECT_FALSE(io::is_stored_graph(folder.path("nowhere")));
    EXPECT_FALSE(io::is_stored_graph(folder.path(".")));
    EXPECT_FALSE(io::is_stored_graph("/dev/null"));
    ASSERT_EQ(mkfifo(folder.path("pipe").c_str(), 0600), 0); // to open it would wait for a writer
    EXPECT_FALSE(io::is_stored_graph(folder.path("pipe")));
    expect_part(message_of<io::file_error>([&] { io::store_reader reader(folder.path("nowhere")); }),
                "nowhere: cannot open");
    expect_part(message_of<io::file_error>([&] { io::store_reader reader("/dev/null"); }),
                "a regular file only");
}

TEST_F(store, has_weights_only_where_values_are_whole_numbers) {
    auto const write = [&]<class Value>(std::string const& name, std::vector<Value> const& values) {
        io::store_writer writer(path, {.vertices = 3,
                                       .edges = 2,
                                       .value_bytes = static_cast<std::uint32_t>(sizeof(Value)),
                                       .value_type = name});
        writer.offsets(numbers{0, 2, 2, 2});
        writer.targets(ids{1, 2});
        writer.values(std::span<Value const>(values));
        writer.commit();
    };
    auto const refused = [&] {
        EXPECT_EQ(io::read_stored_graph(path).edges.size(), 2u); // without weights it can be read
        return message_of<io::file_error>([&] { (void)io::read_stored_graph(path, true); });
    };
    write("int16", std::vector<std::int16_t>{7, 32'767});
    EXPECT_EQ(io::read_stored_graph(path, true).edge_weights, (numbers{7, 32'767}));
    write("uint64", numbers{~std::uint64_t{0}, 0});
    EXPECT_EQ(io::read_stored_graph(path, true).edge_weights, (numbers{~std::uint64_t{0}, 0}));
    write("int16", std::vector<std::int16_t>{7, -1});
    expect_part(refused(), "edge 0 -> 2 has value -1");
    write("float32", std::vector<float>{1, 2});
    expect_part(refused(), "holds values of type 'float32'");
    write("int64", std::vector<std::int16_t>{1, 2}); // a name that lies
    expect_part(refused(), "holds values of type 'int64'");
    EXPECT_EQ(io::store_reader(path).header().value_bytes, 2u);
}

} // namespace rhizome::testing
