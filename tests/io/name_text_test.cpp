// SPDX-License-Identifier: Apache-2.0
// Names of vertices in lines of text: every reader of names finds the name that was written.
#include "edge_list_fixture.hpp"

#include <rhizome/io/name_text.hpp>
#include <rhizome/io/update_stream.hpp>

using namespace rhizome;
using namespace rhizome::testing;

TEST(name_text, quotes_what_is_not_one_word) {
    EXPECT_EQ(io::name_word("Ada"), "Ada");
    EXPECT_EQ(io::name_word("a\\x0ab"), "a\\x0ab") << "a word without quotes has no escapes";
    EXPECT_EQ(io::name_word(""), "\"\"");
    EXPECT_EQ(io::name_word("Doe, John"), "\"Doe, John\"");
    EXPECT_EQ(io::name_word("a\nb"), "\"a\\x0ab\"");
    EXPECT_EQ(io::name_word("say \"x\""), "\"say \"\"x\"\"\"");
    EXPECT_EQ(io::name_word("a \\x0a"), "\"a \\x5cx0a\"");
    EXPECT_EQ(io::name_word("C:\\x y"), "\"C:\\x y\"");
}

TEST(name_text, is_read_back_whatever_it_holds) {
    io::random_source random(7);
    constexpr std::string_view some = "ab\\x05c\"\", ;\n\r\t#%";
    for (int i = 0; i < 3000; ++i) {
        std::string name;
        for (std::uint64_t size = random.below(9); size > 0; --size)
            name +=
                random.below(8) == 0 ? static_cast<char>(random.below(256)) : some[random.below(some.size())];
        std::string const word = io::name_word(name);
        if (!word.starts_with('"')) {
            EXPECT_EQ(word, name);
            continue;
        }
        std::string back;
        EXPECT_EQ(io::take_quoted_name(word + " behind\"", back), word.size()) << word;
        EXPECT_EQ(back, name) << word;
        EXPECT_EQ(word.find('\n'), std::string::npos);
    }
    std::string back;
    for (char const* open : {"\"", "\"a", "\"a\n\"", "\"a\"\"", "\"\\x0"})
        EXPECT_EQ(io::take_quoted_name(open, back), 0u) << open;
}

TEST_F(edge_lists, have_the_names_of_streams) {
    auto const read_stream = [&](std::string const& text) {
        io::update_reader reader(folder.write("stream", text));
        reader.map_names({});
        io::update_batch batch;
        while (reader.next_batch(10, batch)) {
        }
        words names;
        for (graph::vertex_id v = 0; v < reader.names().size(); ++v)
            names.push_back(reader.names().name(v));
        return names;
    };
    EXPECT_EQ(read_stream("+ \"Doe, John\" 7 2.5\n- \"a\\x0ab\" \"\"\n"),
              (words{"Doe, John", "7", "a\nb", ""}));
    EXPECT_EQ(read_stream("\"New York\" Boston 5\n"), (words{"New York", "Boston"}));
    auto const message = [&](std::string const& text) {
        return message_of<io::parse_error>([&] { (void)read_stream(text); });
    };
    EXPECT_EQ(message("+ \"a b\n"),
              folder.path("stream") + ":1:3: found '\"a', expected a closing quote in the same line");
    EXPECT_EQ(message("+ \"a\"b c\n"),
              folder.path("stream") + ":1:3: found '\"a\"b', expected a blank behind the closing quote");
}
