// SPDX-License-Identifier: Apache-2.0
// The choice between repairing and computing anew, with times that are made up.
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/tuning.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <random>

namespace rhizome::tests {
namespace {

using algorithms::maintenance_choice;
using algorithms::update_size;

constexpr std::uint64_t graph_size = 10'000'000;
constexpr double anew_ms = 5;
constexpr update_size usual{.inserted = 1000, .erased = 0, .graph = graph_size};

/// A result whose times are given, and what its updates took in total.
struct followed {
    maintenance_choice choice;
    double total_ms = 0;

    void recompute(std::uint64_t graph, double ms) {
        total_ms += ms;
        choice.recomputed(graph, ms);
    }
    /// `ms`: that a repair takes, with computing anew if it gives up. Whether it repaired.
    bool update(double ms, update_size const& size = usual, double anew = anew_ms) {
        if (choice.most_work(size) == 0) {
            recompute(size.graph, anew);
            return false;
        }
        total_ms += ms;
        choice.repaired(size, 1'000'000, ms, ms);
        return true;
    }
};
[[nodiscard]] followed started(double first_ms = anew_ms) {
    followed result;
    result.choice.recomputed(graph_size, first_ms);
    return result;
}
/// How many of so many updates repair.
std::uint64_t repairs(followed& result, std::uint64_t updates, double ms, update_size const& size = usual,
                      double anew = anew_ms) {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < updates; ++i)
        count += result.update(ms, size, anew) ? 1 : 0;
    return count;
}

TEST(maintenance_choice, changes_to_what_takes_less_time) {
    followed result = started();
    EXPECT_GE(repairs(result, 1000, anew_ms / 100), 990u);
    // Repairing becomes dear.
    EXPECT_LE(repairs(result, 8, 2 * anew_ms), 4u);
    EXPECT_LE(repairs(result, 1000, 2 * anew_ms), 1000 / algorithms::tuning::most_skipped_updates + 6);
    // And cheap again.
    EXPECT_GE(repairs(result, algorithms::tuning::most_skipped_updates + 1, anew_ms / 2), 1u);
    EXPECT_GE(repairs(result, 1000, anew_ms / 2), 930u);
    // What was lost long ago does not count any more: it is tried again soon.
    EXPECT_GE(repairs(result, 10, 2 * anew_ms), 3u);
}

TEST(maintenance_choice, takes_little_longer_than_computing_anew) {
    constexpr std::uint64_t updates = 5000;
    std::mt19937_64 random(1);
    auto const share = [&] { return static_cast<double>(random() % 1000) / 1000; };
    std::function<double(std::uint64_t)> const costs[] = {
        [](std::uint64_t) { return 2.0; },                            // gives up late
        [](std::uint64_t) { return 1.2; },                            // hardly dearer
        [](std::uint64_t i) { return i % 2 == 0 ? 0.9 : 2.0; },       // dear ones are never in a row
        [&](std::uint64_t) { return share() < 0.6 ? 0.5 : 2.0; },     // dear at random
        [](std::uint64_t i) { return i / 100 % 2 == 0 ? 0.1 : 2.0; }, // cheap and dear times
        [](std::uint64_t i) { return i == 0 ? 30 : 2.0; }};           // and slow at first
    for (auto const& cost : costs) {
        SCOPED_TRACE(&cost - costs);
        followed result = started(10 * anew_ms); // slow at first
        for (std::uint64_t i = 0; i < updates; ++i)
            result.update(anew_ms * cost(i));
        EXPECT_LE(result.total_ms, anew_ms * (1.05 * updates + 60));
    }
}

TEST(maintenance_choice, learns_when_computing_anew_takes_less_time_than_before) {
    // Twice as long as computing anew, but less than that took when all was new.
    followed slow_start = started(10 * anew_ms);
    EXPECT_LE(repairs(slow_start, 2000, 2 * anew_ms), 100u);
    // Most of the graph has gone.
    followed shrunken = started();
    EXPECT_GE(repairs(shrunken, 1000, anew_ms / 10), 990u);
    update_size const now{.inserted = 0, .erased = 1000, .graph = graph_size / 100};
    EXPECT_LE(repairs(shrunken, 1000, anew_ms / 10, now, anew_ms / 20), 100u);
    // It has come to have other rows, which take less time.
    followed other = started();
    EXPECT_GE(repairs(other, 100, anew_ms / 2), 90u);
    EXPECT_LE(repairs(other, 2000, anew_ms / 2, usual, anew_ms / 10), 200u);
}

TEST(maintenance_choice, has_an_account_for_updates_that_are_alike) {
    followed result = started();
    update_size const small{.inserted = 10, .erased = 0, .graph = graph_size};
    update_size const erasing{.inserted = 0, .erased = 1000, .graph = graph_size};
    std::uint64_t dear = 0;
    std::uint64_t cheap = 0;
    for (int i = 0; i < 500; ++i) {
        dear += result.update(2 * anew_ms) ? 1 : 0;
        cheap +=
            (result.update(anew_ms / 10, small) ? 1 : 0) + (result.update(anew_ms / 10, erasing) ? 1 : 0);
    }
    EXPECT_LE(dear, 15u);
    EXPECT_GE(cheap, 980u);
}

TEST(maintenance_choice, limits_repairs_to_the_time_of_computing_anew) {
    followed result = started();
    for (int i = 0; i < 50; ++i) // 2 million a millisecond
        result.choice.repaired(usual, 1'000'000, 0.5, 0.5);
    EXPECT_NEAR(static_cast<double>(started().choice.most_work(usual)),
                anew_ms * algorithms::tuning::first_work_per_ms, algorithms::tuning::update_work + 1);
    result.choice.recomputed(graph_size, anew_ms);
    EXPECT_NEAR(static_cast<double>(result.choice.most_work(usual)), anew_ms * 2.4e6, 0.1e6 + 2e5);
    // At least what an update takes without changes, so that it is tried at all.
    result.choice.recomputed(graph_size, 1e-6);
    EXPECT_EQ(static_cast<double>(result.choice.most_work(usual)), algorithms::tuning::update_work);
}

} // namespace
} // namespace rhizome::tests
