#include <rhizome/cli/graph_statistics.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

using namespace rhizome;
using namespace rhizome::cli;

using counts = std::vector<std::uint64_t>;

TEST(degree_statistics, of_no_and_of_one_vertex) {
    auto const none = statistics_of(std::vector<std::uint32_t>{});
    EXPECT_EQ(none.highest, 0u);
    EXPECT_EQ(none.mean, 0.0);
    EXPECT_TRUE(none.histogram.empty());
    auto const one = statistics_of(std::vector<std::uint32_t>{5});
    EXPECT_EQ(one.lowest, 5u);
    EXPECT_EQ(one.median, 5u);
    EXPECT_EQ(one.percentile_99, 5u);
    EXPECT_EQ(one.histogram, (counts{0, 0, 0, 1}));
}

TEST(degree_statistics, take_the_degree_that_a_share_does_not_exceed) {
    EXPECT_EQ(statistics_of(std::vector<std::uint32_t>{4, 1, 3, 2}).median, 2u);
    EXPECT_EQ(statistics_of(std::vector<std::uint32_t>{5, 4, 1, 3, 2}).median, 3u);
    std::vector<std::uint32_t> degrees(200, 1);
    degrees[10] = 50;
    degrees[20] = 60;
    EXPECT_EQ(statistics_of(std::vector<std::uint32_t>(degrees)).percentile_99, 1u);
    degrees[30] = 40;
    auto const some = statistics_of(std::move(degrees));
    EXPECT_EQ(some.percentile_99, 40u);
    EXPECT_EQ(some.lowest, 1u);
    EXPECT_EQ(some.highest, 60u);
    EXPECT_DOUBLE_EQ(some.mean, (197 + 150) / 200.0);
}

TEST(degree_statistics, count_degrees_by_powers_of_two) {
    std::uint32_t const most = std::numeric_limits<std::uint32_t>::max();
    EXPECT_EQ(statistics_of(std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4, 7, 8}).histogram,
              (counts{2, 1, 2, 2, 1}));
    auto const wide = statistics_of(std::vector<std::uint32_t>{most}).histogram;
    EXPECT_EQ(wide.size(), 33u);
    EXPECT_EQ(lowest_of_bin(32), 2147483648u);
    EXPECT_EQ(highest_of_bin(32), most);
    EXPECT_EQ(highest_of_bin(0), 0u);
}

TEST(edge_statistics, count_what_is_special) {
    std::vector<graph::edge> const edges{{0, 1}, {1, 1}, {1, 1}, {1, 4}};
    auto const found = statistics_of(edges, 6, false);
    EXPECT_TRUE(found.sorted);
    EXPECT_FALSE(found.directed);
    EXPECT_EQ(found.self_loops, 2u);
    EXPECT_EQ(found.duplicates, 1u);
    EXPECT_EQ(found.isolated, 3u); // 2, 3 and 5
    EXPECT_FALSE(found.symmetric.has_value());
    std::vector<graph::edge> const mixed{{1, 4}, {0, 1}, {1, 4}, {1, 4}};
    EXPECT_FALSE(statistics_of(mixed, 5, false).sorted);
    EXPECT_EQ(statistics_of(mixed, 5, false).duplicates, 2u);
    EXPECT_EQ(statistics_of({}, 3, false).isolated, 3u);
    EXPECT_TRUE(statistics_of({}, 0, false).sorted);
}

TEST(edge_statistics, know_whether_arcs_have_their_reverses) {
    using edges = std::vector<graph::edge>;
    EXPECT_EQ(statistics_of(edges{{0, 1}, {1, 0}, {2, 2}}, 3, true).symmetric, true);
    EXPECT_EQ(statistics_of(edges{{1, 0}, {0, 1}, {0, 1}}, 3, true).symmetric, true);
    EXPECT_EQ(statistics_of(edges{{0, 1}, {1, 2}, {2, 0}}, 3, true).symmetric, false);
    EXPECT_EQ(statistics_of(edges{{0, 1}, {0, 1}}, 3, true).symmetric, false);
    EXPECT_EQ(statistics_of(edges{}, 3, true).symmetric, true);
}

TEST(histogram_text, draws_bars_within_the_columns) {
    EXPECT_EQ(histogram_text(counts{}, 2), "");
    EXPECT_EQ(histogram_text(counts{0, 40, 1}, 60),
              std::string(60, ' ') + "degree  vertices\n" + std::string(60, ' ') + "     0         0\n" +
                  std::string(60, ' ') + "     1        40  " + std::string(22, '#') + "\n" +
                  std::string(60, ' ') + "   2-3         1  #\n");
    counts wide(33, 1);
    wide[20] = std::numeric_limits<std::uint64_t>::max();
    std::istringstream lines(histogram_text(wide, 10));
    std::size_t longest = 0;
    for (std::string line; std::getline(lines, line);)
        longest = std::max(longest, line.size());
    EXPECT_EQ(longest, 100u);
}
