// SPDX-License-Identifier: Apache-2.0
// The equations of the random-walk paper, against what they are derived from.
#include <rhizome/bench/papers/random_walk/formulas.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

using namespace rhizome::bench;

namespace {

constexpr double million = 1'000'000;

/// The average of the most trials of 32, drawn.
double drawn_most_trials(double failure, int draws) {
    std::mt19937_64 bits(1);
    std::geometric_distribution<int> failures(1 - failure);
    double sum = 0;
    for (int i = 0; i < draws; ++i) {
        int most = 0;
        for (int lane = 0; lane < 32; ++lane)
            most = std::max(most, 1 + failures(bits));
        sum += most;
    }
    return sum / draws;
}

} // namespace

TEST(walk_formulas, of_a_queue_are_linear_in_the_threads) {
    EXPECT_DOUBLE_EQ(queue_tas(5000), 2500.5);
    // Eq. 2 before its approximation: N - the sum of (k / N)^32.
    double sum = 0;
    for (int k = 0; k <= 5000; ++k)
        sum += std::pow(k / 5000.0, 32);
    EXPECT_NEAR(queue_was(5000) / (5000 - sum), 1.0, 0.001);
}
TEST(walk_formulas, of_walks_are_the_averages_of_sequential_requests) {
    walk_numbers const n{million, 10'000, 5'000};
    double sum = 0;
    for (int taken = 0; taken < 5000; ++taken)
        sum += million / (10'000 - taken);
    EXPECT_NEAR(walk_tas(n), sum / 5000, 1e-6);
    EXPECT_NEAR(walk_tas(n), million / 5000 * std::log(10'000 / 5'000.0), 0.01); // as the paper writes it
    EXPECT_NEAR(walk_tas({million, 1, 1}), million, 1e-3);
    // The last page alone is found after a million steps, all but it after ever fewer.
    EXPECT_NEAR(walk_tas({million, 5000, 5000}), million / 5000 * 9.0945, 0.1);
    EXPECT_DOUBLE_EQ(bitmap_tas(n, 1), sum / 5000);
    EXPECT_NEAR(bitmap_tas({million, million, 1}, 32), 1, 1e-12);
    EXPECT_NEAR(bitmap_tas({million, 10'000, 1}, 32), 1 / (1 - std::pow(0.99, 32)), 1e-9);
}
TEST(walk_formulas, bound_the_largest_of_32) {
    EXPECT_DOUBLE_EQ(most_trials_of_warp(0), 1);
    EXPECT_TRUE(std::isinf(most_trials_of_warp(1)));
    for (double const failure : {0.3, 0.9, 0.98, 0.995})
        EXPECT_NEAR(most_trials_of_warp(failure) / drawn_most_trials(failure, 20'000), 1.0, 0.01) << failure;
    // The two ways to compute it meet.
    EXPECT_NEAR(most_trials_of_warp(0.99) / most_trials_of_warp(0.99 + 1e-9), 1.0, 1e-6);
    EXPECT_DOUBLE_EQ(walk_was_bound({1000, 600, 100}), most_trials_of_warp(0.5));
    EXPECT_DOUBLE_EQ(bitmap_was_bound({1000, 600, 100}, 32), most_trials_of_warp(std::pow(0.5, 32)));
    EXPECT_TRUE(std::isinf(walk_was_bound({1000, 100, 100})));
}
TEST(walk_formulas, keep_the_theorems_of_the_paper) {
    // Theorems 1 and 2: as N approaches A, V' = V / w + (w - 1) / 2w.
    for (double const word : {32.0, 64.0}) {
        auto const bits = static_cast<std::uint32_t>(word);
        walk_numbers const n{million, 5'001, 5'000};
        EXPECT_NEAR(bitmap_was_bound(n, bits) / (walk_was_bound(n) / word + (word - 1) / (2 * word)), 1.0,
                    1e-4);
        EXPECT_NEAR(bitmap_tas(n, bits) / (walk_tas(n) / word + (word - 1) / (2 * word)), 1.0, 1e-2);
    }
}
TEST(walk_formulas, of_words_that_are_used_up_are_those_of_drawn_requests) {
    constexpr std::size_t words = 20'000;
    std::mt19937_64 bits(1);
    for (auto const& [share, taken] : {std::pair{0.5, 0.5}, std::pair{0.125, 0.5}, std::pair{0.01, 0.9}}) {
        std::vector<int> free(words, 0);
        std::bernoulli_distribution is_free(share);
        double all = 0;
        for (int& word : free) {
            for (int page = 0; page < 32; ++page)
                word += is_free(bits) ? 1 : 0;
            all += word;
        }
        auto const threads = static_cast<int>(all * taken);
        double looks = 0;
        for (int thread = 0; thread < threads; ++thread)
            for (bool served = false; !served; ++looks) {
                int& word = free[std::uniform_int_distribution<std::size_t>(0, words - 1)(bits)];
                served = word != 0;
                if (served) --word;
            }
        walk_numbers const n{static_cast<double>(words) * 32, all, static_cast<double>(threads)};
        EXPECT_NEAR(bitmap_tas_by_words(n, 32) / (looks / threads), 1.0, 0.02) << share;
        EXPECT_GE(bitmap_tas_by_words(n, 32), bitmap_tas(n, 32)) << share; // so Eq. 5 is too low
        auto const used_up =
            static_cast<double>(std::count(free.begin(), free.end(), 0)) / static_cast<double>(words);
        EXPECT_NEAR(bitmap_was_bound_by_words(n, 32) / most_trials_of_warp(used_up), 1.0, 0.03) << share;
    }
    walk_numbers const few{million, 10'000, 10};
    EXPECT_NEAR(bitmap_tas_by_words(few, 32) / bitmap_tas(few, 32), 1.0, 0.001);
}
TEST(walk_formulas, expect_as_many_collisions_as_the_paper_says) {
    EXPECT_NEAR(expected_collisions(5000, million), 12.5, 0.01); // section III-B3
    EXPECT_EQ(expected_collisions(1, million), 0);
}
TEST(walk_formulas, of_clusters_lie_between_one_step_and_a_walk_more) {
    // Stars and bars: with 10 free pages and 4 clusters a bar follows with probability 3 / 13.
    EXPECT_DOUBLE_EQ(cluster_end_probability(10, 4), 3.0 / 13);
    walk_numbers const n{million, 5'000, 100};
    EXPECT_DOUBLE_EQ(clustered_tas(n, 1), 1);
    EXPECT_LT(clustered_tas(n, 50), clustered_tas(n, 2500));
    EXPECT_NEAR(clustered_tas(n, 5'000), 1 + walk_tas(n) / 2, 0.02);
    EXPECT_LT(clustered_tas(n, 1e9), 1 + walk_tas(n));
}
