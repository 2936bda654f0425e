#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/progress_bar.hpp>
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
