// SPDX-License-Identifier: Apache-2.0
// Text of users and files in messages.
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>

#include <string>

using namespace rhizome::io;

TEST(message_text, shows_what_a_terminal_draws_and_escapes_the_rest) {
    EXPECT_EQ(shown("road.graph"), "road.graph");
    EXPECT_EQ(shown(""), "");
    EXPECT_EQ(shown("a\x1b[31mb\n\x7f"), "a\\x1b[31mb\\x0a\\x7f");
    EXPECT_EQ(shown(std::string("a\0b", 3)), "a\\x00b");
    // UTF-8 stays: two, three and four bytes
    EXPECT_EQ(shown("gr\xc3\xb6\xc3\x9f"
                    "e \xe6\xbc\xa2 \xf0\x9f\x98\x80"),
              "gr\xc3\xb6\xc3\x9f"
              "e \xe6\xbc\xa2 \xf0\x9f\x98\x80");
    EXPECT_EQ(shown("\xc2\x9b"), "\\xc2\\x9b") << "the control character CSI";
    EXPECT_EQ(shown("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of text";
    EXPECT_EQ(shown("\xff\xc3"), "\\xff\\xc3") << "no character, and one without its end";
    EXPECT_EQ(shown("\xc0\xaf"), "\\xc0\\xaf") << "longer than need be";
    EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
    EXPECT_EQ(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

TEST(message_text, replaces_the_middle_of_long_text) {
    EXPECT_EQ(shown("0123456789", 10), "0123456789");
    EXPECT_EQ(shown("0123456789a", 10), "0123456...89a");
    EXPECT_EQ(shown(std::string(1'000'000, 'x')).size(), most_shown_bytes + 3);
    std::string umlauts;
    for (int i = 0; i < 20; ++i)
        umlauts += "\xc3\xb6";
    EXPECT_EQ(shown(umlauts, 11).find('\\'), std::string::npos) << "no character is cut";
    EXPECT_EQ(rhizome::io::quoted(std::string(1000, 'x')).size(), 45u);
    EXPECT_EQ(rhizome::io::quoted("a\x1b"), "'a\\x1b'");
}

TEST(message_text, errors_show_the_name_of_the_file) {
    EXPECT_STREQ(file_error("a\x1b.graph", "why").what(), "a\\x1b.graph: why");
    EXPECT_STREQ(parse_error("a\x1b.graph", 3, "x", "y").what(), "a\\x1b.graph:3: found x, expected y");
    EXPECT_STREQ(parse_error("a\x1b.graph", 3, "x", "y").moved_down(2).what(),
                 "a\\x1b.graph:5: found x, expected y");
    EXPECT_LT(std::string(file_error(std::string(1'000'000, 'x'), "why").what()).size(), 500u);
}
