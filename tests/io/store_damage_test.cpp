// SPDX-License-Identifier: Apache-2.0
// Every damage that a stored graph can suffer.
#include "store_fixture.hpp"

#include <rhizome/io/generate/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace rhizome::testing {

TEST_F(store, refuses_every_flipped_bit) {
    std::string bytes = sample_bytes();
    ASSERT_EQ(refusal(bytes), "");
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
            EXPECT_NE(refusal(bytes), "") << "byte " << at << ", bit " << bit;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        }
}

TEST_F(store, refuses_every_length_but_its_own) {
    std::string const bytes = sample_bytes();
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
    for (std::size_t const more : {1u, 8u, 4096u})
        EXPECT_NE(refusal(bytes + std::string(more, '\0')), "") << more;
    expect_part(refusal(bytes.substr(0, bytes.size() - 8)), "a file of ");
    expect_part(refusal(bytes + bytes), ", as the header says");
}

TEST_F(store, refuses_headers_that_cannot_be) {
    using header = format::header;
    EXPECT_EQ(refusal_of_header([](header&) {}), "");
    auto const expect = [&](auto const& change, char const* part) {
        expect_part(refusal_of_header(change), part);
    };
    expect([](header& h) { h.magic[1] = 'Z'; },
           "at byte 0: found '\\x89ZHZ\\x0d\\x0a\\x1a\\x0a', expected '\\x89RHZ");
    expect([](header& h) { h.byte_order = 0x04030201u; }, "found another byte order");
    expect([](header& h) { h.version = 3; }, "found version 3, expected one up to 2");
    expect([](header& h) { h.version = 2; }, "at byte 96: found section 1, expected section 7");
    expect([](header& h) { h.version = 0; }, "found version 0");
    expect([](header& h) { h.flags = 64; }, "found flags 64");
    expect([](header& h) { h.flags = 8; }, "a file of ");
    expect([](header& h) { h.flags = 16; }, "a file of ");
    expect([](header& h) { h.flags = 24; },
           "found flags 24, expected names that are numbers or text, not both");
    expect([](header& h) { h.flags = 2; }, "found flags 2");
    expect([](header& h) { h.id_bytes = 8; }, "found ids of 8 bytes, expected 4");
    expect([](header& h) { h.vertices = std::uint64_t{1} << 33; }, "vertices, expected at most");
    expect([](header& h) { h.vertices = 0xffff'ffffu; }, "a file of ");
    expect([](header& h) { h.vertices = 5; }, "a file of ");
    expect([](header& h) { h.edges = std::uint64_t{1} << 60; }, "promises less");
    expect([](header& h) { h.edges = ~std::uint64_t{0}; }, "promises less");
    expect([](header& h) { h.value_bytes = 0xffff'ffffu; }, "a file of ");
    expect([](header& h) { h.erased = 7; }, "7 erased vertices, expected at most 6");
    expect([](header& h) { h.erased = 2; }, "a file of ");
    expect([](header& h) { h.value_bytes = 0; }, "found value type 'uint64'");
    expect([](header& h) { std::memset(h.value_type, 0, sizeof(h.value_type)); }, "found value type ''");
    expect([](header& h) { std::memset(h.value_type, 'x', sizeof(h.value_type)); }, "found value type 'xx");
    expect([](header& h) { h.value_type[20] = 'x'; }, "found value type 'uint64'");
    // A file of the same length, whose sections are others.
    expect(
        [](header& h) {
            h.value_bytes = 2;
            h.edges = 14;
        },
        "found a section of 7 items of 4 bytes, expected 14 of 4");
    expect([](header& h) { h.value_bytes = 7; }, "found a section of 7 items of 8 bytes, expected 7 of 7");
}

TEST_F(store, notices_that_a_file_is_cut_while_it_is_read) {
    std::string const bytes = sample_bytes();
    io::store_reader reader(path);
    std::filesystem::resize_file(path, bytes.size() - 60); // within the values
    edges some(2);
    std::vector<std::byte> values(16);
    std::string const said = message_of<io::store_error>([&] {
        while (reader.next_edges(some, values.data()) != 0)
            continue;
    });
    expect_part(said, "at byte " + std::to_string(bytes.size() - 60) + ": found the end of the file");
}

TEST_F(store, notices_that_a_file_is_cut_before_its_rows_are_read) {
    std::string const bytes = sample_bytes();
    exec::thread_team team(2);
    for (std::size_t const cut : {60u, 100u, 150u}) { // within values, targets, offsets
        folder.write("file.rhz", bytes);
        io::store_reader reader(path);
        std::filesystem::resize_file(path, bytes.size() - cut);
        std::string const said = message_of<io::store_error>([&] { (void)reader.read_rows(team, true); });
        expect_part(said, "at byte ");
        expect_part(said, ": found the end of the file");
    }
}

/// Many blocks of each section, rows of several blocks among them. Each damage says the same by rows as edge
/// by edge.
TEST_F(store, refuses_damage_in_every_block) {
    constexpr std::uint64_t vertices = 100'000; // four blocks of offsets
    io::store_header const header{.directed = true, .vertices = vertices, .edges = 4 * vertices};
    numbers offsets{0};
    ids targets;
    for (std::uint64_t v = 0; v < vertices; ++v) {
        // Two hubs that have all vertices; the other vertices have two neighbours each.
        bool const hub = v == 0 || v == 60'000;
        for (std::uint64_t i = 0; i < (hub ? vertices : 2); ++i)
            targets.push_back(static_cast<graph::vertex_id>(hub ? i : v / 2 + i));
        offsets.push_back(targets.size());
    }
    for (graph::vertex_id i = 4; i > 0; --i) // more neighbours of the last vertex
        targets.push_back(vertices - i);
    offsets.back() = targets.size();
    ASSERT_EQ(targets.size(), header.edges);
    ASSERT_EQ(refusal_of(header, {}, offsets, targets), "");

    // Each vertex has itself, so targets ascend from row to row, and only offsets can tell.
    numbers own_offsets{0};
    ids own_targets;
    for (graph::vertex_id v = 0; v < vertices; ++v) {
        own_targets.push_back(v);
        own_offsets.push_back(own_targets.size());
    }
    io::store_header const own{.directed = true, .vertices = vertices, .edges = vertices};
    ASSERT_EQ(refusal_of(own, {}, own_offsets, own_targets), "");
    constexpr std::size_t block_offsets = 1u << 15;
    for (std::size_t at = block_offsets; at < vertices; at += block_offsets) {
        numbers wrong = own_offsets;
        wrong[at] = wrong[at - 1] - 1; // the first of a block is less than the last of the one before
        expect_part(refusal_of(own, {}, wrong, own_targets), "found offset " + std::to_string(wrong[at]));
    }
    constexpr std::size_t block_targets = 1u << 16;
    for (std::size_t at = block_targets; at < targets.size(); at += block_targets) {
        ids wrong = targets;
        wrong[at] = wrong[at - 1];
        bool const begins_row = std::binary_search(offsets.begin(), offsets.end(), at);
        if (!begins_row) expect_part(refusal_of(header, {}, offsets, wrong), "expected a target above");
        wrong[at] = vertices;
        expect_part(refusal_of(header, {}, offsets, wrong), "expected a target among 100000 vertices");
    }
    io::store_header loopless = header;
    loopless.self_loops = false;
    expect_part(refusal_of(loopless, {}, offsets, targets), "found edge 0 -> 0, expected no self-loop");

    {
        io::store_writer writer(path, header);
        writer.offsets(offsets);
        writer.targets(targets);
        writer.commit();
    }
    std::string bytes = text_of(path);
    for (std::size_t at = 100; at < bytes.size(); at += 40'009) {
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
        EXPECT_NE(refusal(bytes), "") << "byte " << at;
        bytes[at] = static_cast<char>(bytes[at] ^ 1);
    }
}

TEST_F(store, refuses_sections_out_of_order) {
    std::string bytes = sample_bytes(); // the first section has no items
    constexpr std::size_t section = sizeof(format::header);
    std::uint32_t const other = 2;
    std::memcpy(bytes.data() + section, &other, sizeof(other));
    std::uint64_t const sum = format::checksum(0, bytes.data() + section, 16);
    std::memcpy(bytes.data() + section + 16, &sum, sizeof(sum));
    expect_part(refusal(bytes), "at byte 96: found section 2, expected section 1");
}

TEST_F(store, refuses_contents_that_cannot_be) {
    io::store_header const six{.vertices = 6, .edges = 4};
    io::store_header directed = six;
    directed.directed = true;
    EXPECT_EQ(refusal_of(six, {}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "");
    EXPECT_EQ(refusal_of(directed, {}, {0, 0, 2, 3, 4, 4, 4}, {0, 1, 0, 0}), "");
    struct {
        numbers offsets;
        ids targets;
        std::string part;
    } const cases[] = {
        {{1, 1, 2, 3, 4, 4, 4}, {2, 5, 3, 3}, "found first offset 1, expected 0"},
        {{0, 0, 2, 1, 4, 4, 4}, {2, 5, 3, 3}, "found offset 1, expected one from 2 to 4"},
        {{0, 0, 2, 5, 5, 5, 5}, {2, 5, 3, 3}, "found offset 5, expected one from 2 to 4"},
        {{0, 0, 2, 3, 3, 3, 3}, {2, 5, 3, 3}, "found last offset 3, expected 4"},
        {{0, 0, 2, 3, 4, 4, 3}, {2, 5, 3, 3}, "found offset 3, expected one from 4 to 4"},
        {{0, 0, 2, 3, 4, 4, 4}, {2, 6, 3, 3}, "found edge 1 -> 6, expected a target among 6 vertices"},
        {{0, 0, 2, 3, 4, 4, 4}, {2, graph::no_vertex, 3, 3}, "found edge 1 -> 4294967295"},
        {{0, 0, 2, 3, 4, 4, 4}, {5, 2, 3, 3}, "found edge 1 -> 2, expected a target above 5"},
        {{0, 0, 2, 3, 4, 4, 4}, {5, 5, 3, 3}, "found edge 1 -> 5, expected a target above 5"},
        {{0, 0, 2, 3, 4, 4, 4}, {0, 2, 3, 3}, "found edge 1 -> 0, expected an undirected edge with its"},
    };
    for (auto const& each : cases)
        expect_part(refusal_of(six, {}, each.offsets, each.targets), each.part);
    directed.self_loops = false;
    expect_part(refusal_of(directed, {}, {0, 0, 2, 3, 4, 4, 4}, {0, 1, 0, 0}), "expected no self-loop");

    io::store_header holes = six;
    holes.erased = 2;
    EXPECT_EQ(refusal_of(holes, {0, 4}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "");
    expect_part(refusal_of(holes, {4, 0}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "expected one above 4");
    expect_part(refusal_of(holes, {4, 4}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "expected one above 4");
    expect_part(refusal_of(holes, {4, 6}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "erased vertex 6");
    expect_part(refusal_of(holes, {1, 4}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "edges of erased vertex 1");
    expect_part(refusal_of(holes, {0, 5}, {0, 0, 2, 3, 4, 4, 4}, {2, 5, 3, 3}), "target that is not erased");
}

TEST_F(store, survives_random_bytes) {
    io::random_source random(7);
    std::string const sound = sample_bytes();
    for (int round = 0; round < 3'000; ++round) {
        std::string bytes = sound;
        for (std::uint64_t changes = 1 + random.bits() % 8; changes > 0; --changes)
            bytes[static_cast<std::size_t>(random.bits() % bytes.size())] = static_cast<char>(random.bits());
        if (random.bits() % 2 == 0) bytes.resize(random.bits() % (2 * bytes.size()), 'x');
        if (random.bits() % 4 == 0 && bytes.size() >= 96) {
            std::uint32_t const sum = format::checksum(0, bytes.data(), 92);
            std::memcpy(bytes.data() + 92, &sum, sizeof(sum));
        }
        EXPECT_TRUE(bytes == sound || !refusal(bytes).empty()) << "round " << round;
    }
}

} // namespace rhizome::testing
