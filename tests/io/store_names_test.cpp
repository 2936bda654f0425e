// SPDX-License-Identifier: Apache-2.0
// Names of vertices in stored graphs.
#include "store_fixture.hpp"

namespace rhizome::testing {
namespace {

class named_store : public store {
protected:
    static io::graph_file named(std::vector<std::string> const& names) {
        io::graph_file file = sample();
        for (std::string const& name : names)
            (void)file.names.find_or_add(name);
        return file;
    }
    static std::vector<io::graph_file> samples() {
        return {named({"2", "3", "5", "7", "11", "18446744073709551615"}),
                named({"7", "5", "3", "2", "1", "0"}), named({"", "Ada", "7", "a\nb", "007", "Bob"})};
    }
};

} // namespace

TEST_F(named_store, keeps_names) {
    for (io::graph_file const& file : samples()) {
        io::write_stored_graph(path, file);
        EXPECT_EQ(io::read_stored_graph(path, true).names, file.names);
        EXPECT_EQ(io::read_stored_numbers(path).names, file.names);
        EXPECT_EQ(io::read_stored_graph(path).edges, file.edges);
        exec::thread_team team(2);
        EXPECT_EQ(io::store_reader(path).read_rows(team, true).offsets[6], 7u);
    }
    io::write_stored_graph(path, sample());
    EXPECT_TRUE(io::store_reader(path).read_names().empty());
}

TEST_F(named_store, keeps_from_where_vertices_count) {
    io::graph_file file = sample();
    for (bool const from_one : {false, true}) {
        file.counts_from_one = from_one;
        io::write_stored_graph(path, file);
        EXPECT_EQ(io::read_stored_graph(path, true).counts_from_one, from_one);
    }
}

TEST_F(named_store, refuses_every_flipped_bit) {
    for (io::graph_file const& file : samples()) {
        io::write_stored_graph(path, file);
        std::string bytes = text_of(path);
        ASSERT_EQ(refusal(bytes), "");
        for (std::size_t at = 0; at < bytes.size(); ++at)
            for (int bit = 0; bit < 8; ++bit) {
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
                EXPECT_NE(refusal(bytes), "") << "byte " << at << ", bit " << bit;
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
            }
    }
}

TEST_F(named_store, refuses_every_length_but_its_own) {
    for (io::graph_file const& file : samples()) {
        io::write_stored_graph(path, file);
        std::string const bytes = text_of(path);
        for (std::size_t length = 0; length < bytes.size(); ++length)
            EXPECT_NE(refusal(bytes.substr(0, length)), "") << length;
        for (std::size_t const more : {1u, 8u, 4096u})
            EXPECT_NE(refusal(bytes + std::string(more, '\0')), "") << more;
    }
}

TEST_F(named_store, refuses_names_that_cannot_be) {
    auto const write = [&](io::stored_names kind, numbers const& items, std::string const& text) {
        io::store_writer writer(path, {.vertices = 3, .names = kind, .name_bytes = text.size()});
        writer.offsets(numbers(4, 0));
        writer.names(items);
        writer.name_text(text);
        writer.commit();
        return message_of<io::store_error>([&] { (void)io::store_reader(path).read_names(); });
    };
    EXPECT_EQ(write(io::stored_names::numbers, {9, 8, 7}, ""), "");
    EXPECT_EQ(write(io::stored_names::text, {1, 2, 3}, "abc"), "");
    auto const expect = [](std::string const& said, std::string const& part) {
        EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    expect(write(io::stored_names::numbers, {9, 8, 9}, ""), "found the name of another vertex");
    expect(write(io::stored_names::text, {1, 2, 3}, "aba"), "found the name of another vertex");
    expect(write(io::stored_names::text, {1, 0, 3}, "abc"),
           "found end of a name 0, expected one from 1 to 3");
    expect(write(io::stored_names::text, {1, 2, 4}, "abc"),
           "found end of a name 4, expected one from 2 to 3");
    expect(write(io::stored_names::text, {1, 2, 3}, "abcd"),
           "found end of the last name 3, expected 4, the length of all names");
    io::graph_file file = sample();
    (void)file.names.find_or_add("only one");
    EXPECT_THROW(io::write_stored_graph(path, file), std::invalid_argument);
}

} // namespace rhizome::testing
