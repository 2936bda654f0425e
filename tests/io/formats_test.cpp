// SPDX-License-Identifier: Apache-2.0
// How formats of graph files are told apart, and what all of their readers share.
#include "format_fixture.hpp"

#include <rhizome/io/line_scanner.hpp>

using namespace rhizome;
using namespace rhizome::testing;

namespace {

class format_table : public ::testing::Test {
protected:
    scratch_folder folder;

    std::string recognised(std::string const& text, std::string const& name = "file") const {
        io::input from(folder.write(name, text));
        return io::recognise_graph_format(from).name;
    }
};

/// Gives a text byte by byte, so that blocks end anywhere.
class slow_source : public io::byte_source {
public:
    explicit slow_source(std::string text) : text_(std::move(text)) {}
    std::size_t read(char* to, std::size_t) override {
        if (given_ == text_.size()) return 0;
        *to = text_[given_++];
        return 1;
    }
    [[nodiscard]] double fraction_read() const override { return -1; }

private:
    std::string text_;
    std::size_t given_ = 0;
};

} // namespace

TEST_F(format_table, recognises_formats_by_content) {
    EXPECT_EQ(recognised("5 4\n2 3\n1 3\n1 2 4\n3\n\n"), "metis");
    EXPECT_EQ(recognised("% a comment\n2 1\n2\n1\n"), "metis");
    EXPECT_EQ(recognised("c x\n\nc\np sp 2 1\na 1 2 3\n"), "dimacs9");
    EXPECT_EQ(recognised("\xef\xbb\xbfp sp 2 1\n"), "dimacs9");
    EXPECT_EQ(recognised(gzip("p sp 2 1\n")), "dimacs9");
    EXPECT_EQ(recognised("p tw 2 1\n1 2\n"), "pace");
    EXPECT_EQ(recognised("p tw 2 1\r\n1 2\r\n"), "pace");
    EXPECT_EQ(recognised("%%MatrixMarket matrix coordinate pattern general\n"), "matrix-market");
    EXPECT_EQ(recognised("c x\np edge 2 1\ne 1 2\n"), "dimacs-colouring");
    EXPECT_EQ(recognised("p col 2 1\ne 1 2\n"), "dimacs-colouring");
    for (int lines : {100, 5000}) // comments longer than a block of a compressed file
        EXPECT_EQ(recognised(gzip([&] {
                      std::string text;
                      for (int i = 0; i < lines; ++i)
                          text += "c comment\n";
                      return text + "p tw 2 1\n1 2\n";
                  }())),
                  "pace");
}

TEST_F(format_table, refuses_files_that_are_no_graphs) {
    std::string const path = folder.write("empty", "");
    EXPECT_EQ(message_of<io::parse_error>([&] { (void)io::read_graph(path); }),
              path + ":1:1: found an empty file, expected a graph");
    std::string const wide = folder.write("wide", std::string("\xfe\xff\0p", 4));
    EXPECT_EQ(message_of<io::parse_error>([&] { (void)io::read_graph(wide); }),
              wide + ":1:1: found the byte order mark of UTF-16, expected text in ASCII or UTF-8");
}

TEST_F(format_table, lets_the_caller_overrule_what_the_content_says) {
    std::string const road = folder.write("road", "p sp 2 1\na 1 2 3\n");
    EXPECT_EQ(message_of<io::file_error>([&] { (void)io::read_graph(road, &io::formats::metis); }),
              road + ": is a DIMACS9 file, not a METIS file");
    EXPECT_EQ(io::read_graph(road, &io::formats::dimacs9).edges, (edges{{0, 1}}));
    std::string const bad = folder.write("bad", "moon\n");
    EXPECT_TRUE(message_of<io::parse_error>([&] {
                    (void)io::read_graph(bad, &io::formats::metis);
                }).starts_with(bad + ":1:1: found 'moon', expected the number of vertices"));
}

TEST_F(format_table, has_each_name_once) {
    for (io::graph_format const* const each : io::graph_formats())
        EXPECT_EQ(io::graph_format_named(each->name), each);
    EXPECT_EQ(io::graph_format_named("moon"), nullptr);
}

TEST(line_blocks, are_whole_lines_wherever_the_source_stops) {
    std::string const text = "one\ntwo\r\n\nfour and more\nlast";
    io::input from("text", std::make_unique<slow_source>(text));
    EXPECT_EQ(from.head(5), "one\nt");
    io::line_block block;
    std::string all;
    std::uint64_t line = 1;
    while (from.next_block(block)) {
        EXPECT_EQ(block.first_line, line);
        line += static_cast<std::uint64_t>(std::count(block.text.begin(), block.text.end(), '\n'));
        all += block.text;
        EXPECT_TRUE(block.text.ends_with('\n') || all == text);
    }
    EXPECT_EQ(all, text);
    EXPECT_EQ(from.line_number(), 5u);
    EXPECT_FALSE(from.ended_with_newline());
}

TEST(line_scanner, reads_words_and_numbers_within_their_line) {
    std::string const file = "f";
    io::line_scanner lines(file, {" 12\t-3 +4 1e3 word\r\n\nlast", 7});
    EXPECT_EQ(lines.number("x", 0, 12), 12u);
    EXPECT_EQ(lines.signed_number("x", -3, 0), -3);
    EXPECT_EQ(lines.signed_number("x", 0, 9), 4);
    EXPECT_EQ(lines.real("x"), 1000);
    EXPECT_FALSE(lines.take("wor"));
    EXPECT_TRUE(lines.take("word"));
    EXPECT_TRUE(lines.at_line_end());
    EXPECT_EQ(lines.word(), "");
    lines.next_line();
    EXPECT_TRUE(lines.at_line_end());
    lines.next_line();
    EXPECT_EQ(lines.line(), 9u);
    EXPECT_EQ(message_of<io::parse_error>([&] { (void)lines.real("x"); }),
              "f:9:1: found 'last', expected x, a finite number");
    EXPECT_EQ(lines.word(), "last");
    EXPECT_TRUE(lines.at_line_end());
    lines.next_line();
    EXPECT_TRUE(lines.at_end());
}

TEST(line_scanner, refuses_numbers_that_do_not_fit) {
    std::string const file = "f";
    auto const message = [&](char const* text, auto take) {
        io::line_scanner lines(file, {text, 1});
        return message_of<io::parse_error>([&] { take(lines); });
    };
    auto const whole = [](io::line_scanner& lines) { (void)lines.number("x", 0, ~std::uint64_t{0}); };
    EXPECT_EQ(message("18446744073709551615", whole), "");
    EXPECT_EQ(message("0000000000000000000000001", whole), "");
    EXPECT_EQ(message("18446744073709551616", whole),
              "f:1:1: found '18446744073709551616', expected x from 0 to 18446744073709551615");
    EXPECT_NE(message("1x", whole), "");
    auto const real = [](io::line_scanner& lines) { (void)lines.real("x"); };
    for (char const* bad : {"", "inf", "nan", "1e999", "1x", "+-1", "--1"})
        EXPECT_NE(message(bad, real), "") << bad;
}
