// SPDX-License-Identifier: Apache-2.0
// Every collective against the answer that the ranks alone give, over many seeds.
#include "../collectives_cases.hpp"

#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::exec {
namespace {

/// The same case for each seed, until one fails.
template <class Case>
void expect_for_seeds(std::uint64_t seeds, Case const& run) {
    auto const found = explore(1, seeds, [&](simt_space& space) {
        run(space);
        return !::testing::Test::HasFailure();
    });
    EXPECT_TRUE(found) << found.report();
}

TEST(collectives, of_tiles_answer_from_the_ranks) {
    expect_for_seeds(20, [](simt_space& space) {
        exec_test::tiles_answer_from_the_ranks<std::int32_t>(space);
        exec_test::tiles_answer_from_the_ranks<std::uint64_t>(space);
        exec_test::tiles_answer_from_the_ranks<double>(space);
    });
}
TEST(collectives, of_groups_answer_from_the_ranks) {
    expect_for_seeds(20, [](simt_space& space) {
        exec_test::groups_answer_from_the_ranks<std::uint32_t>(space, space.seed(), 10);
        exec_test::groups_answer_from_the_ranks<std::int64_t>(space, space.seed(), 10);
    });
}
TEST(collectives, of_tiles_of_one_warp_may_diverge) {
    expect_for_seeds(40, [](simt_space& space) { exec_test::tiles_of_one_warp_may_diverge(space); });
}
TEST(collectives, order_memory_by_sync) {
    expect_for_seeds(20, [](simt_space& space) { exec_test::tile_sync_orders_memory(space); });
}
TEST(collectives, order_shared_storage_by_barriers) {
    expect_for_seeds(20, [](simt_space& space) { exec_test::barriers_order_shared_storage(space, 128); });
}

/// Each lane names the leader of the group that it arrived with; the leader adds for all.
struct gather_up {
    std::uint32_t* total;
    std::uint32_t* tickets; ///< what each lane was given
    std::uint32_t* groups;  ///< how many groups there were

    template <class Thread>
    void operator()(Thread const& thread) const {
        if (thread.rank() % 3 == 0) return;
        auto const group = thread.coalesced();
        std::uint32_t base = 0;
        if (group.is_leader()) {
            base = thread.device(*total).fetch_add(group.size(), order::relaxed);
            thread.device(*groups).fetch_add(1, order::relaxed);
        }
        tickets[thread.rank()] = group.broadcast(base, 0) + group.rank();
    }
};

TEST(collectives, coalesced_groups_partition_the_arrived_lanes) {
    std::vector<std::uint32_t> group_counts;
    auto const found = explore_exactly(1, 200, [&](simt_space& space) {
        constexpr std::uint32_t threads = 96;
        buffer<simt_space, std::uint32_t> words(space, 2);
        buffer<simt_space, std::uint32_t> tickets(space, threads);
        words.fill_bytes(0);
        tickets.fill_bytes(0xff);
        launch(space, {1, threads}, gather_up{words.data(), tickets.data(), words.data() + 1});
        std::vector<bool> given(threads, false);
        std::vector<std::uint32_t> const got = tickets.to_host();
        for (std::uint32_t i = 0; i < threads; ++i) {
            if (i % 3 == 0) continue;
            if (got[i] >= threads - threads / 3 || given[got[i]]) return false;
            given[got[i]] = true;
        }
        group_counts.push_back(words.to_host()[1]);
        return words.to_host()[0] == threads - threads / 3;
    });
    EXPECT_TRUE(found) << found.report();
    // Any subset is legal, so the seeds must show more than one answer: all lanes of a warp together, and
    // fewer.
    EXPECT_EQ(*std::min_element(group_counts.begin(), group_counts.end()), 3u);
    EXPECT_GT(*std::max_element(group_counts.begin(), group_counts.end()), 6u);
}

} // namespace
} // namespace rhizome::exec
