// SPDX-License-Identifier: Apache-2.0
// What the sweep of the SPACE paper sets beside its text.
#include <rhizome/bench/papers/space/space_comparison.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace rhizome::bench;

namespace {

measured_cell swept(char const* method, char const* chunk, char const* streams,
                    std::vector<double> const& times) {
    measured_cell cell{{"space-sweep",
                        {{"method", method},
                         {"chunk", chunk},
                         {"block-threads", "0"},
                         {"write-threads", "0"},
                         {"streams", streams},
                         {"percent-step", "48"}}},
                       {},
                       0};
    cell.result.measures.push_back({"select", "ms", false, times, true});
    return cell;
}

} // namespace

TEST(space_sweep, takes_25_percentages_from_1_to_97) {
    EXPECT_EQ(swept_percents(4).size(), 25u);
    EXPECT_EQ(swept_percents(4).back(), 97);
    EXPECT_EQ(swept_percents(48), (std::vector<double>{1, 49, 97}));
}

TEST(space_sweep, sets_the_worst_over_the_best_beside_the_paper) {
    auto const found = compare_space_sweep({
        swept("space-1", "512", "0", {3, 3, 3}),
        swept("space-1", "1024", "0", {1, 3, 3}), // 3, 1, 1
        swept("space-8", "512", "0", {1, 1, 1}),
        swept("space-8", "1024", "0", {2, 1, 2}),
        swept("space-8", "4096", "0", {1, 1, 4}), // 2, 1, 4
        swept("space-8", "512", "2", {5, 1, 1}),  // 5, 1, 1 over streams
        swept("default", "512", "0", {9, 9, 9}),
    });
    ASSERT_EQ(found.size(), 7u);
    EXPECT_EQ(found[0].ours, (ratio_range{2, 1, 4}));
    EXPECT_EQ(found[0].ratios, 6u);
    EXPECT_EQ(found[1].ours, (ratio_range{7. / 3, 1, 4}));
    EXPECT_EQ(found[2].ours, (ratio_range{2.5, 1, 4})); // 49 and 97 %
    EXPECT_EQ(found[3].ours, ratio_range{});
    EXPECT_EQ(found[6].ours, (ratio_range{7. / 3, 1, 5}));
}
