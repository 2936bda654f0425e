// The file of a stored graph: what it holds byte for byte, every damage that it can suffer, and saves that do
// not come to their end.
#include "scratch_folder.hpp"

#include <rhizome/io/generate/random.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_reader.hpp>
#include <rhizome/io/store_writer.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

using namespace rhizome;
using namespace rhizome::testing;
using edges = std::vector<graph::edge>;
using numbers = std::vector<std::uint64_t>;
using ids = std::vector<graph::vertex_id>;
namespace format = io::store_format;

namespace {

class store : public ::testing::Test {
protected:
    scratch_folder folder;
    std::string path = folder.path("file.rhz");

    /// Six vertices, seven edges with values, a loop, and a row without edges at either end.
    [[nodiscard]] static io::graph_file sample() {
        return {.vertex_count = 6,
                .directed = false,
                .edges = {{1, 1}, {1, 2}, {1, 5}, {2, 3}, {2, 4}, {3, 5}, {4, 5}},
                .edge_weights = {10, 20, 30, 40, 50, 60, 70},
                .vertex_sizes = {},
                .vertex_weights = {},
                .weights_per_vertex = 0};
    }
    [[nodiscard]] std::string sample_bytes() const {
        io::write_stored_graph(path, sample());
        return text_of(path);
    }

    /// Reads a file to its end, as whoever wants all of it.
    static edges read_all(std::string const& from) {
        io::store_reader reader(from);
        edges all;
        edges batch(3);
        std::vector<std::byte> values(3 * (reader.header().value_bytes + std::size_t{1}));
        while (std::size_t const count = reader.next_edges(batch, values.data()))
            all.insert(all.end(), batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(count));
        return all;
    }
    /// What is said about bytes that must be refused.
    [[nodiscard]] std::string refusal(std::string const& bytes) const {
        std::string const file = folder.write("damaged.rhz", bytes);
        std::string const said = message_of<io::store_error>([&] { (void)read_all(file); });
        EXPECT_TRUE(said.empty() || said.starts_with(file + ": at byte ")) << said;
        EXPECT_EQ(said.find('\n'), std::string::npos) << said;
        return said;
    }
    /// ... in a sound file whose header is changed, and made to look unharmed.
    template <class Change>
    [[nodiscard]] std::string refusal_of_header(Change const& change) const {
        std::string bytes = sample_bytes();
        format::header header{};
        std::memcpy(&header, bytes.data(), sizeof(header));
        change(header);
        header.checksum = format::checksum(0, &header, offsetof(format::header, checksum));
        std::memcpy(bytes.data(), &header, sizeof(header));
        return refusal(bytes);
    }
    /// ... in a file whose checksums are right, and whose sections are these.
    [[nodiscard]] std::string refusal_of(io::store_header const& header, ids const& erased,
                                         numbers const& offsets, ids const& targets) const {
        {
            io::store_writer writer(folder.path("wrong.rhz"), header);
            writer.erased(erased);
            writer.offsets(offsets);
            writer.targets(targets);
            writer.commit();
        }
        return refusal(text_of(folder.path("wrong.rhz")));
    }
};

void expect_part(std::string const& text, std::string const& part) {
    EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' without '" << part << "'";
}

} // namespace

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
                                     {.progress =
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
    io::write_stored_graph(path, file, {.in_arcs = true, .self_loops = true});
    EXPECT_TRUE(io::store_reader(path).header().in_arcs);
    // Nothing at all.
    io::write_stored_graph(path, io::graph_file{});
    EXPECT_TRUE(read_all(path).empty());
}

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
    for (std::size_t more : {1, 8, 4096})
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
    expect([](header& h) { h.magic[1] = 'Z'; }, "at byte 0: found other bytes");
    expect([](header& h) { h.byte_order = 0x04030201u; }, "found another byte order");
    expect([](header& h) { h.version = 2; }, "found version 2, expected one up to 1");
    expect([](header& h) { h.version = 0; }, "found version 0");
    expect([](header& h) { h.flags = 8; }, "found flags 8");
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

TEST_F(store, is_told_by_its_first_bytes) {
    EXPECT_FALSE(io::is_stored_graph(folder.write("a.rhz", "2 1\n2\n1\n")));
    EXPECT_FALSE(io::is_stored_graph(folder.write("b.rhz", sample_bytes().substr(0, 7))));
    EXPECT_FALSE(io::is_stored_graph(folder.path("nowhere")));
    EXPECT_FALSE(io::is_stored_graph(folder.path(".")));
    EXPECT_FALSE(io::is_stored_graph("/dev/null"));
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

TEST_F(store, is_written_whole_or_not_at_all) {
    auto const head = io::store_header{.vertices = 2, .edges = 1};
    folder.write("file.rhz", "precious");
    EXPECT_THROW(
        {
            io::store_writer writer(path, head);
            writer.offsets(numbers{0, 1});
            writer.commit(); // an offset and a target lack
        },
        std::logic_error);
    EXPECT_THROW(io::store_writer(path, head).targets(ids{1}), std::logic_error);
    EXPECT_THROW(io::store_writer(path, head).offsets(numbers{0, 1, 1, 1}), std::logic_error);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .value_bytes = 4}), std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .value_type = "int"}), std::invalid_argument);
    EXPECT_THROW(
        io::store_writer(path, {.vertices = 1, .value_bytes = 4, .value_type = std::string(40, 'x')}),
        std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.in_arcs = true}), std::invalid_argument);
    EXPECT_THROW(io::store_writer(path, {.vertices = 1, .erased = 2}), std::invalid_argument);
    EXPECT_EQ(text_of(path), "precious");
    EXPECT_EQ(folder.file_count(), 1);
}

TEST_F(store, stays_the_old_one_when_the_disk_is_full) {
    folder.write("file.rhz", "precious");
    io::graph_file large = sample();
    large.vertex_count = 1'000'000;
    // What write() meets on a full disk, it meets at this limit.
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
    rlimit const little{100'000, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    std::string const said = message_of<io::file_error>([&] { io::write_stored_graph(path, large); });
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    std::signal(SIGXFSZ, handler);
    expect_part(said, "file.rhz: cannot write");
    EXPECT_EQ(text_of(path), "precious");
    EXPECT_EQ(folder.file_count(), 1);
    expect_part(message_of<io::file_error>([&] { io::write_stored_graph("/dev/full", large); }), "/dev/full");
    EXPECT_EQ(io::write_stored_graph(path, large), 7u);
    EXPECT_EQ(read_all(path), large.edges);
}

TEST_F(store, stays_the_old_one_when_the_process_is_killed) {
    folder.write("file.rhz", "precious");
    int const nameless = open(folder.path("").c_str(), O_WRONLY | O_TMPFILE, 0600); // NOLINT: POSIX
    pid_t const child = fork();
    if (child == 0) {
        io::store_writer writer(path, {.vertices = 100'000, .edges = 0});
        writer.offsets(numbers(50'000, 0));
        raise(SIGKILL);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(text_of(path), "precious");
    if (nameless < 0) GTEST_SKIP() << "this file system has no files without names: one is left over";
    close(nameless);
    EXPECT_EQ(folder.file_count(), 1);
}
