// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/component_sizes.hpp>
#include <rhizome/cli/graph_statistics.hpp>
#include <rhizome/cli/histogram.hpp>

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

TEST(even_bins, cover_all_numbers_once) {
    EXPECT_TRUE(even_bins(counts{}, 20).empty());
    auto const text = [](counts const& of, std::size_t most) {
        return to_json(even_bins(of, most), "n").dump();
    };
    EXPECT_EQ(text({3, 0, 5}, 3),
              R"([{"from":0,"to":0,"n":3},{"from":1,"to":1,"n":0},{"from":2,"to":2,"n":5}])");
    EXPECT_EQ(text({3, 0, 5}, 2), R"([{"from":0,"to":1,"n":3},{"from":2,"to":2,"n":5}])");
    EXPECT_EQ(text({3, 0, 5}, 1), R"([{"from":0,"to":2,"n":8}])");
    EXPECT_EQ(even_bins(counts(1001, 1), 20).size(), 20u);
    EXPECT_EQ(even_bins(counts(1001, 1), 20).back().to, 1000u);
    EXPECT_EQ(counts_of(std::vector<std::uint32_t>{2, 0, 9, 2, 9}, 9), (counts{1, 0, 2}));
    EXPECT_TRUE(counts_of(std::vector<std::uint32_t>{9}, 9).empty());
}

TEST(component_sizes, are_counted_and_ordered) {
    constexpr graph::vertex_id erased = graph::no_vertex;
    std::vector<graph::vertex_id> const components{0, 1, 1, erased, 4, 0, 1, 7};
    auto const sizes = sizes_of(components);
    EXPECT_EQ(sizes, (std::vector<sized_component>{{0, 2}, {1, 3}, {4, 1}, {7, 1}}));
    EXPECT_EQ(largest_of(sizes, 3), (std::vector<sized_component>{{1, 3}, {0, 2}, {4, 1}}));
    EXPECT_EQ(largest_of(sizes, 9).size(), 4u);
    EXPECT_EQ(to_json(size_bins(sizes), "components").dump(),
              R"([{"from":1,"to":1,"components":2},{"from":2,"to":3,"components":2}])");
    EXPECT_TRUE(size_bins({}).empty());
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
