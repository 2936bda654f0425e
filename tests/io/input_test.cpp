// SPDX-License-Identifier: Apache-2.0
#include "packing.hpp"
#include "scratch_folder.hpp"

#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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
    for (packer const& each : packers()) {
        SCOPED_TRACE(each.name);
        EXPECT_EQ(lines_of(folder.write("packed", each.pack(text))), expected);
        EXPECT_EQ(lines_of(folder.write("twice", each.pack("a\n") + each.pack("b\n"))).size(), 2u);
        EXPECT_EQ(lines_of(folder.write("empty", each.pack(""))).size(), 0u);
    }
}

TEST(input, finds_every_cut_of_a_packed_file) {
    scratch_folder const folder;
    for (packer const& each : packers()) {
        SCOPED_TRACE(each.name);
        std::string const packed = each.pack("1 2\n3 4\n");
        for (std::size_t size = each.magic.size(); size < packed.size(); ++size) {
            std::string const path = folder.write("cut", packed.substr(0, size));
            EXPECT_NE(message_of<io::parse_error>([&] { (void)lines_of(path); }), "")
                << size << " of " << packed.size() << " bytes";
        }
    }
}

#ifdef RHIZOME_HAS_ZSTD
#ifdef RHIZOME_HAS_ZSTD
TEST(input, unpacks_zstd_that_begins_with_a_frame_to_be_skipped) {
    scratch_folder const folder;
    std::string const skipped("\x5a\x2a\x4d\x18\x03\0\0\0abc", 11);
    EXPECT_EQ(lines_of(folder.write("a", skipped + zstd("one\ntwo\n"))),
              (std::vector<std::string>{"one", "two"}));
}
#endif

/// A reader that finds an error must say so, though the writer of the pipe goes on.
TEST(input, does_not_wait_for_a_pipe_once_a_reader_has_failed) {
    scratch_folder const folder;
    std::string const path = folder.path("pipe");
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    int const writer = open(path.c_str(), O_RDWR); // so that no open() waits
    ASSERT_GE(writer, 0);
    std::string_view const text = "3 2\n2 x\n1\n\n";
    ASSERT_EQ(write(writer, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(
        message_of<io::parse_error>([&] { (void)io::read_graph(path, &io::formats::metis, {.threads = 3}); }),
        path + ":2:3: found 'x', expected a neighbour from 1 to 3"); // would hang here
    close(writer);
}

// What the zstd tool writes: frames with a checksum and without a size, several blocks, skippable frames.
TEST(input, takes_frames_of_zstd_whole_or_not_at_all) {
    using namespace std::string_literals;
    scratch_folder const folder;
    std::string const small =
        "\x28\xb5\x2f\xfd\x04\x58\x41\x00\x00\x31\x20\x32\x0a\x33\x20\x34\x0a\x8a\x81\x17"
        "\xcf"
        ""s;
    std::string const repeated = // 300,000 line ends
        "\x28\xb5\x2f\xfd\x04\x58\x54\x00\x00\x10\x0a\x0a\x01\x00\xfb\xff\x39\xc0\x02\x02"
        "\x00\x10\x0a\x03\x9f\x04\x0a\x00\x51\xea\x49"
        ""s;
    std::string const skippable = "\x53\x2a\x4d\x18\x05\x00\x00\x00\x61\x62\x63\x64\x65"
                                  ""s;
    EXPECT_EQ(lines_of(folder.write("small", small)).size(), 2u);
    EXPECT_EQ(lines_of(folder.write("repeated", repeated)).size(), 300'000u);
    std::string const all = small + skippable + repeated;
    EXPECT_EQ(lines_of(folder.write("all", all)).size(), 300'002u);
    for (std::size_t size = 4; size < all.size(); ++size) {
        bool const whole = size == small.size() || size == small.size() + skippable.size();
        std::string const path = folder.write("cut", all.substr(0, size));
        EXPECT_EQ(message_of<io::parse_error>([&] { (void)lines_of(path); }).empty(), whole) << size;
    }
}
#endif

TEST(input, finds_damage_and_says_how_far_it_came) {
    scratch_folder const folder;
    for (packer const& each : packers()) {
        SCOPED_TRACE(each.name);
        std::string packed = each.pack(long_text());
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
    std::vector<std::string> contents{long_text()};
    for (packer const& each : packers())
        contents.push_back(each.pack(long_text()));
    for (auto const& content : contents) {
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
