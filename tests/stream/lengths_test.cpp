// SPDX-License-Identifier: Apache-2.0
#include <rhizome/stream/lengths.hpp>
#include <rhizome/stream/names.hpp>

#include <gtest/gtest.h>

#include <stdexcept>

using namespace rhizome;

TEST(stream_lengths, know_units) {
    EXPECT_EQ(stream::parse_time("17"), 17);
    EXPECT_EQ(stream::parse_time("2m"), 120);
    EXPECT_EQ(stream::parse_window("30d"), (stream::window_length{false, 2'592'000}));
    EXPECT_EQ(stream::parse_window("100000e"), (stream::window_length{true, 100'000}));
    for (char const* bad : {"", "d", "0", "-1d", "1.5h", "1w", "1 d", "106751991167301d"})
        EXPECT_THROW((void)stream::parse_time(bad), std::invalid_argument) << bad;
    for (char const* bad : {"e", "0e", "-1e", "1he", "1ee", "0"})
        EXPECT_THROW((void)stream::parse_window(bad), std::invalid_argument) << bad;
}

TEST(stream_names, of_vertices_before_and_after) {
    io::vertex_names names = stream::numbers_from(1, 3);
    EXPECT_TRUE(stream::are_numbers_from(1, names));
    EXPECT_FALSE(stream::are_numbers_from(0, names));
    EXPECT_EQ(names.find_or_add(std::string_view("word")), 3u);
    EXPECT_FALSE(stream::are_numbers_from(1, names));
    EXPECT_EQ(stream::first_of(names, 4), names);
    io::vertex_names const first = stream::first_of(names, 3);
    EXPECT_EQ(first.size(), 3u);
    EXPECT_EQ(first.name(2), "3");
}
