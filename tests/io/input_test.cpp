#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>

#include <gtest/gtest.h>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

std::vector<std::string> lines_of(std::string const& path) {
    io::input from(path);
    std::vector<std::string> lines;
    for (std::string_view line; from.next_line(line);)
        lines.emplace_back(line);
    EXPECT_EQ(from.line_number(), lines.size());
    return lines;
}

std::string long_text() {
    std::string text;
    for (int i = 0; i < 200'000; ++i)
        text += std::to_string(i * 7919) + " " + std::to_string(i) + "\n";
    return text;
}

} // namespace

TEST(input, splits_lines) {
    scratch_folder const folder;
    using lines = std::vector<std::string>;
    EXPECT_EQ(lines_of(folder.write("a", "")), lines{});
    EXPECT_EQ(lines_of(folder.write("a", "one")), lines{"one"});
    EXPECT_EQ(lines_of(folder.write("a", "one\n")), lines{"one"});
    EXPECT_EQ(lines_of(folder.write("a", "one\n\ntwo")), (lines{"one", "", "two"}));
    EXPECT_EQ(lines_of(folder.write("a", "one\r\n\r\ntwo\r\n")), (lines{"one", "", "two"}));
    EXPECT_EQ(lines_of(folder.write("a", "\n\n")), (lines{"", ""}));
}

TEST(input, keeps_lines_whole_across_blocks) {
    scratch_folder const folder;
    std::string const longest(5'000'000, 'x'); // longer than the reader's block
    std::vector<std::string> const expected{"a", longest, "", longest + "y", "b"};
    std::string text;
    for (auto const& line : expected)
        text += line + "\n";
    EXPECT_EQ(lines_of(folder.write("long", text)), expected);
    EXPECT_EQ(lines_of(folder.write("long.gz", gzip(text))), expected);
}

TEST(input, tells_packed_files_by_their_content) {
    scratch_folder const folder;
    std::string const text = long_text();
    auto const expected = lines_of(folder.write("plain.gz", text)); // whatever the name
    EXPECT_EQ(expected.size(), 200'000u);
    EXPECT_EQ(lines_of(folder.write("packed", gzip(text))), expected);
    EXPECT_EQ(lines_of(folder.write("packed", bzip2(text))), expected);
    EXPECT_EQ(lines_of(folder.write("twice", gzip("a\n") + gzip("b\n"))).size(), 2u);
    EXPECT_EQ(lines_of(folder.write("twice", bzip2("a\n") + bzip2("b\n"))).size(), 2u);
    EXPECT_EQ(lines_of(folder.write("empty", gzip(""))).size(), 0u);
}

TEST(input, finds_every_cut_of_a_packed_file) {
    scratch_folder const folder;
    for (std::string const& packed : {gzip("1 2\n3 4\n"), bzip2("1 2\n3 4\n")}) {
        for (std::size_t size = 3; size < packed.size(); ++size) {
            std::string const path = folder.write("cut", packed.substr(0, size));
            EXPECT_NE(message_of<io::parse_error>([&] { (void)lines_of(path); }), "")
                << size << " of " << packed.size() << " bytes";
        }
    }
}

TEST(input, finds_damage_and_says_how_far_it_came) {
    scratch_folder const folder;
    for (std::string packed : {gzip(long_text()), bzip2(long_text())}) {
        packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
        std::string const path = folder.write("damaged", packed);
        std::string const message = message_of<io::parse_error>([&] { (void)lines_of(path); });
        EXPECT_NE(message.find("a truncated or damaged"), std::string::npos) << message;
    }
    std::string const whole = gzip(long_text());
    std::string const path = folder.write("half", whole.substr(0, whole.size() / 2));
    io::input from(path);
    std::string_view line;
    EXPECT_THROW(while (from.next_line(line)){}, io::parse_error);
    EXPECT_GT(from.line_number(), 80'000u);
}

TEST(input, reports_files_that_cannot_be_read) {
    scratch_folder const folder;
    EXPECT_EQ(message_of<io::file_error>([&] { io::input from(folder.path("none")); }),
              folder.path("none") + ": cannot open: No such file or directory");
    EXPECT_EQ(message_of<io::file_error>([&] { (void)lines_of(folder.path(".")); }),
              folder.path(".") + ": cannot read: Is a directory");
}

TEST(input, knows_how_far_it_is) {
    scratch_folder const folder;
    for (auto const& content : {long_text(), gzip(long_text()), bzip2(long_text())}) {
        io::input from(folder.write("file", content));
        std::string_view line;
        ASSERT_TRUE(from.next_line(line));
        EXPECT_LT(from.fraction_read(), 0.9);
        while (from.next_line(line)) {
        }
        EXPECT_DOUBLE_EQ(from.fraction_read(), 1.0);
    }
}

TEST(quoted, stays_on_one_line) {
    EXPECT_EQ(io::quoted("a\n\xff"), "'a\\x0a\\xff'");
    EXPECT_EQ(io::quoted(std::string(50, 'a')), "'" + std::string(40, 'a') + "'...");
}
