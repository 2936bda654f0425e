// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/sha256.hpp>
#include <rhizome/cli/usage_error.hpp>

#include <gtest/gtest.h>

using namespace rhizome::cli;

TEST(parse_bytes, knows_units) {
    EXPECT_EQ(parse_bytes("x", "17"), 17u);
    EXPECT_EQ(parse_bytes("x", "17B"), 17u);
    EXPECT_EQ(parse_bytes("x", "2K"), 2048u);
    EXPECT_EQ(parse_bytes("x", "2k"), 2048u);
    EXPECT_EQ(parse_bytes("x", "3MiB"), 3u << 20);
    EXPECT_EQ(parse_bytes("x", "3MB"), 3'000'000u);
    EXPECT_EQ(parse_bytes("x", "4G"), std::uint64_t{4} << 30);
    EXPECT_EQ(parse_bytes("x", "1T"), std::uint64_t{1} << 40);
    for (char const* bad : {"", "K", "-1", "1.5G", "1X", "1 K", "1KK", "1KBB", "1iB", "99999999999T"})
        EXPECT_THROW((void)parse_bytes("x", bad), usage_error) << bad;
}

TEST(parse_count, keeps_to_its_range) {
    EXPECT_EQ(parse_count("x", "7", 7, 9), 7u);
    EXPECT_EQ(parse_count("x", "9", 7, 9), 9u);
    for (char const* bad : {"6", "10", "", "7x", " 7", "+7", "-7", "18446744073709551616"})
        EXPECT_THROW((void)parse_count("x", bad, 7, 9), usage_error) << bad;
}

TEST(parse_window, knows_times_and_edges) {
    EXPECT_EQ(parse_time("x", "17"), 17);
    EXPECT_EQ(parse_time("x", "17s"), 17);
    EXPECT_EQ(parse_time("x", "2m"), 120);
    EXPECT_EQ(parse_time("x", "3h"), 10'800);
    EXPECT_EQ(parse_time("x", "30d"), 2'592'000);
    for (char const* bad : {"", "d", "0", "-1d", "1.5h", "1w", "1 d", "1D", "1dd", "5e", "106751991167301d"})
        EXPECT_THROW((void)parse_time("x", bad), usage_error) << bad;
    EXPECT_TRUE(parse_window("x", "100000e").counts_edges);
    EXPECT_EQ(parse_window("x", "100000e").length, 100'000u);
    EXPECT_FALSE(parse_window("x", "1h").counts_edges);
    EXPECT_EQ(parse_window("x", "1h").length, 3600u);
    for (char const* bad : {"e", "0e", "-1e", "1he", "1ee", "0"})
        EXPECT_THROW((void)parse_window("x", bad), usage_error) << bad;
}

TEST(progress_line, fits_the_terminal) {
    EXPECT_EQ(progress_line(0.5, "text", 80), "[############............]  50% text");
    EXPECT_EQ(progress_line(-1, "text", 80), "text");
    EXPECT_EQ(progress_line(2, "text", 80), "[########################] 100% text");
    EXPECT_EQ(progress_line(0.5, "text", 11).size(), 10u);
}

TEST(sha256, gives_the_sums_of_the_standard) {
    auto const sum_of = [](std::string const& text, std::size_t piece) {
        sha256 sum;
        for (std::size_t at = 0; at < text.size(); at += piece)
            sum.add(std::string_view(text).substr(at, piece));
        return sum.finish();
    };
    for (std::size_t const piece : {1u, 7u, 64u, 1000u}) {
        EXPECT_EQ(sum_of("", piece), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        EXPECT_EQ(sum_of("abc", piece), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        EXPECT_EQ(sum_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", piece),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        EXPECT_EQ(sum_of(std::string(1'000'000, 'a'), piece),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}
