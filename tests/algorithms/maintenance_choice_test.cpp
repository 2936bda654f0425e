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

/// Updates until a repair that takes twice as long as computing anew may be tried again.
constexpr auto updates_per_try = static_cast<std::uint64_t>(1 / algorithms::tuning::excess_share) + 1;

TEST(maintenance_choice, changes_to_what_takes_less_time) {
    constexpr auto saved = static_cast<std::uint64_t>(algorithms::tuning::most_saved);
    followed result = started();
    EXPECT_GE(repairs(result, 1000, anew_ms / 100), 990u);
    // Repairing becomes expensive: what was saved before allows a few more, and a restart.
    EXPECT_EQ(repairs(result, 20, 2 * anew_ms), saved + 2);
    EXPECT_LE(repairs(result, 1000, 2 * anew_ms), 2 * (1000 / (updates_per_try - 1) + 1));
    // And cheap again.
    EXPECT_GE(repairs(result, updates_per_try, anew_ms / 2), 1u);
    EXPECT_GE(repairs(result, 1000, anew_ms / 2), 930u);
}

TEST(maintenance_choice, tries_repairs_again_when_single_ones_were_very_expensive) {
    for (double const cost : {5.0, 11.0}) {
        followed result = started();
        EXPECT_GE(repairs(result, 100, anew_ms / 10), 95u);
        auto const exceeds = static_cast<std::uint64_t>(cost) - 1;
        EXPECT_LE(repairs(result, 1000, cost * anew_ms), 2 * (1000 / (exceeds * (updates_per_try - 1)) + 2));
        EXPECT_GE(repairs(result, exceeds * updates_per_try, anew_ms / 10), 1u);
        EXPECT_GE(repairs(result, 100, anew_ms / 10), 95u);
    }
}

TEST(maintenance_choice, takes_little_longer_than_computing_anew) {
    std::mt19937_64 random(1);
    auto const share = [&] { return static_cast<double>(random() % 1000) / 1000; };
    auto const of_either = [](std::uint64_t period, std::uint64_t first, double cost, double other) {
        return [=](std::uint64_t i) { return i % period < first ? cost : other; };
    };
    auto const always = [&](double cost) { return of_either(1, 1, cost, cost); };
    std::function<double(std::uint64_t)> const costs[] = {
        always(1.2),
        always(2), // gives up late
        always(5), // and these do not give up
        always(8),
        always(11),
        of_either(2, 1, 0.9, 2), // expensive ones are never in a row
        of_either(4, 2, 0.5, 2),
        of_either(8, 4, 0.5, 2),
        of_either(8, 4, 0.1, 2),
        of_either(10, 8, 0.05, 11),
        of_either(200, 100, 0.1, 2),
        [&](std::uint64_t) { return share() < 0.6 ? 0.5 : 2; },
        [&](std::uint64_t) { return share() < 0.9 ? 0.1 : 11; },
        [](std::uint64_t i) { return i == 0 ? 30 : 2; }}; // loads kernels at first
    for (bool const is_slow_at_first : {false, true})
        for (auto const& cost : costs) {
            SCOPED_TRACE(&cost - costs);
            followed result = started(is_slow_at_first ? 10 * anew_ms : anew_ms);
            // The first repair of a result counts as twice computing anew at most. Until computing anew is
            // measured again, repairs may take as long as its slow first time, and the last one is longer.
            double const start_ms = anew_ms * (cost(0) + (is_slow_at_first ? 10 + 11 : 0));
            for (std::uint64_t updates = 1; updates <= 5000; ++updates) {
                result.update(anew_ms * cost(updates - 1));
                if (updates < 2000) continue; // less than the last restart and the last repair take
                ASSERT_LE(result.total_ms, 1.05 * anew_ms * static_cast<double>(updates) + start_ms)
                    << updates;
            }
        }
}

TEST(maintenance_choice, tries_repairs_soon_after_a_first_one_that_loaded_kernels) {
    followed result = started();
    EXPECT_TRUE(result.update(100 * anew_ms));
    EXPECT_EQ(repairs(result, updates_per_try / 2, anew_ms / 10), 0u);
    // It says nothing about how much work repairs do per millisecond either.
    std::uint64_t limit = 0;
    for (std::uint64_t i = 0; i < updates_per_try && limit == 0; ++i)
        limit = result.choice.most_work(usual);
    EXPECT_NEAR(static_cast<double>(limit), anew_ms * algorithms::tuning::first_work_per_ms,
                algorithms::tuning::update_work + 1);
    EXPECT_GE(repairs(result, 100, anew_ms / 10), 95u);
}

TEST(maintenance_choice, takes_no_rate_from_repairs_that_gave_up_before_they_began) {
    followed result = started();
    result.update(anew_ms / 2);
    std::uint64_t const before = result.choice.most_work(usual);
    result.choice.repaired(usual, 0, 1e-6, anew_ms);
    EXPECT_EQ(result.choice.most_work(usual), before);
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

TEST(maintenance_choice, seldom_measures_what_takes_much_longer) {
    followed result = started();
    EXPECT_GE(repairs(result, 10'000, anew_ms / 5), 10'000u - 10'000 / 400);
}

TEST(maintenance_choice, counts_nothing_as_saved_from_a_slow_first_time) {
    // Repairs take a tenth longer than computing anew, which loaded kernels at first.
    followed result = started(3 * anew_ms);
    EXPECT_LE(repairs(result, 100, 1.1 * anew_ms), 50u);
    EXPECT_LE(result.total_ms, 1.05 * 100 * anew_ms);
}

TEST(maintenance_choice, goes_on_with_repairs_of_which_only_the_first_take_long) {
    // Core numbers, 10,000 edges erased and inserted again: repairs after computing anew set up an order.
    update_size const erasing{.inserted = 0, .erased = 1000, .graph = graph_size};
    followed result = started();
    bool was_repaired = false;
    std::uint64_t count = 0;
    for (int i = 0; i < 500; ++i)
        for (update_size const& size : {usual, erasing}) {
            was_repaired = result.update(was_repaired ? 0.6 * anew_ms : 1.7 * anew_ms, size);
            count += was_repaired ? 1 : 0;
        }
    EXPECT_GE(count, 900u);
    EXPECT_LE(result.total_ms, 0.75 * 1000 * anew_ms);
}

TEST(maintenance_choice, gives_the_first_insertion_its_limit_behind_an_erasure) {
    // Core numbers of R-MAT: usual repairs look at 100,000 arcs, and the first insertion after computing anew
    // at 30 million, however many erasures come before it.
    constexpr std::uint64_t first_work = 30'000'000;
    update_size const erasing{.inserted = 0, .erased = 1000, .graph = graph_size};
    followed result = started();
    std::uint64_t gave_up = 0;
    bool is_ordered = false;
    auto const insert = [&] {
        std::uint64_t const most = result.choice.most_work(usual);
        std::uint64_t const work = is_ordered ? 100'000 : first_work;
        double const ms = is_ordered ? 0.1 * anew_ms : 0.8 * anew_ms;
        is_ordered = most >= work;
        if (!is_ordered) {
            ++gave_up;
            result.recompute(graph_size, anew_ms);
            if (most == 0) return;
        }
        result.choice.repaired(usual, is_ordered ? work : most, ms, is_ordered ? ms : ms + anew_ms);
    };
    for (int i = 0; i < 200; ++i) {
        if (i % 50 == 49) { // found too late for the insertion before
            result.recompute(graph_size, anew_ms);
            is_ordered = false;
        }
        result.update(0.05 * anew_ms, erasing);
        insert();
    }
    EXPECT_LE(gave_up, 8u); // computing anew is measured
}

TEST(maintenance_choice, has_a_budget_for_each_kind_of_update) {
    followed result = started();
    update_size const small{.inserted = 10, .erased = 0, .graph = graph_size};
    update_size const erasing{.inserted = 0, .erased = 1000, .graph = graph_size};
    std::uint64_t expensive = 0;
    std::uint64_t cheap = 0;
    for (int i = 0; i < 500; ++i) {
        expensive += result.update(2 * anew_ms) ? 1 : 0;
        cheap +=
            (result.update(anew_ms / 10, small) ? 1 : 0) + (result.update(anew_ms / 10, erasing) ? 1 : 0);
    }
    EXPECT_LE(expensive, 15u);
    EXPECT_GE(cheap, 980u);
}

TEST(maintenance_choice, limits_each_kind_of_update_by_its_own_rate) {
    followed result = started();
    update_size const erasing{.inserted = 0, .erased = 1000, .graph = graph_size};
    std::uint64_t const before = result.choice.most_work(erasing); // restarts
    (void)result.choice.most_work(usual);                          // restarts, too
    (void)result.choice.most_work(usual);
    for (int i = 0; i < 50; ++i) // little to look at: most of the time is for launches
        result.choice.repaired(usual, 1000, 0.9 * anew_ms, 0.9 * anew_ms);
    result.choice.recomputed(graph_size, anew_ms);
    EXPECT_EQ(result.choice.most_work(erasing), before); // restarts
    (void)result.choice.most_work(usual);                // restarts
    EXPECT_LT(result.choice.most_work(usual), 400'000u);
}

TEST(maintenance_choice, limits_repairs_to_the_time_of_computing_anew) {
    followed result = started();
    for (int i = 0; i < 50; ++i) // 2 million per millisecond
        result.choice.repaired(usual, 1'000'000, 0.5, 0.5);
    auto const first_limit = anew_ms * algorithms::tuning::first_work_per_ms;
    EXPECT_NEAR(static_cast<double>(started().choice.most_work(usual)),
                algorithms::tuning::most_restart * first_limit, algorithms::tuning::update_work + 1);
    result.choice.recomputed(graph_size, anew_ms);
    EXPECT_GT(static_cast<double>(result.choice.most_work(usual)), 2 * first_limit); // restarts
    EXPECT_NEAR(static_cast<double>(result.choice.most_work(usual)), anew_ms * 2.4e6, 0.1e6 + 2e5);
    // At least what an update takes without changes, so that it is tried at all.
    result.choice.recomputed(graph_size, 1e-6);
    EXPECT_EQ(static_cast<double>(result.choice.most_work(usual)), algorithms::tuning::update_work);
}

} // namespace
} // namespace rhizome::tests
