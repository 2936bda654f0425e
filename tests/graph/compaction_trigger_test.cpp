// SPDX-License-Identifier: Apache-2.0
// When a graph compacts itself: soon where that lasts, seldom where the stream needs its heap.
#include <rhizome/graph/batch/compaction_trigger.hpp>
#include <rhizome/graph/tuning.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::graph::batch {
namespace {

constexpr std::uint64_t rows_bytes = 100u << 20;
constexpr std::uint64_t large_bytes = 250u << 20;
constexpr std::uint64_t compact_bytes = 120u << 20;

bool due(compaction_trigger& trigger, std::uint64_t heap_bytes) {
    return trigger.after_batch({heap_bytes, 2u << 20, 10u << 20, rows_bytes, heap_bytes});
}

TEST(compaction_trigger, compacts_what_is_more_than_twice_the_rows) {
    compaction_trigger trigger;
    EXPECT_FALSE(due(trigger, compact_bytes));
    EXPECT_FALSE(due(trigger, 190u << 20)) << "twice the rows, with the vertex table";
    EXPECT_TRUE(due(trigger, (190u << 20) + 1));
    EXPECT_FALSE(trigger.after_batch({tuning::least_compacted_heap_bytes, 0, 0, 1, 1u << 20}))
        << "too small a heap";
    EXPECT_TRUE(trigger.after_batch({tuning::least_compacted_heap_bytes + 1, 0, 0, 1, 1u << 20}));
    EXPECT_FALSE(trigger.after_batch({large_bytes, large_bytes / 2, 0, 1, 1}))
        << "hardly more than at the start";
    EXPECT_TRUE(trigger.after_batch({large_bytes, large_bytes / 2 - 1, 0, 1, 1}));
}

/// The numbers of batches between compactions in a stream after each of which the heap is too large again
/// `period` batches later.
std::uint64_t compactions_in(compaction_trigger& trigger, std::uint64_t batches, std::uint64_t period,
                             std::uint64_t left_bytes = compact_bytes) {
    std::uint64_t compactions = 0;
    std::uint64_t since = period;
    for (std::uint64_t batch = 0; batch < batches; ++batch) {
        bool const large = ++since > period;
        if (!due(trigger, large ? large_bytes : compact_bytes)) continue;
        EXPECT_TRUE(large);
        trigger.after_compaction(large_bytes, left_bytes);
        since = 0;
        ++compactions;
    }
    return compactions;
}

TEST(compaction_trigger, compacts_seldom_where_the_stream_needs_its_heap) {
    compaction_trigger trigger;
    EXPECT_EQ(compactions_in(trigger, 4 + 8 + 16 + 32 + 64 + 128 + 256 + 3, 1), 9u);
    EXPECT_EQ(compactions_in(trigger, 10 * tuning::most_compaction_wait, 1), 10u);
    // The heap remains small for long: from then on it is compacted at once.
    for (std::uint64_t batch = 0; batch < tuning::most_compaction_wait; ++batch)
        EXPECT_FALSE(due(trigger, compact_bytes));
    EXPECT_TRUE(due(trigger, large_bytes));
}
TEST(compaction_trigger, compacts_each_time_where_that_lasts) {
    compaction_trigger trigger;
    EXPECT_EQ(compactions_in(trigger, 30 * (tuning::compaction_batches + 1), tuning::compaction_batches),
              30u);
}
TEST(compaction_trigger, compacts_seldom_where_it_gains_little) {
    compaction_trigger trigger;
    EXPECT_LE(compactions_in(trigger, 1'000, 0, large_bytes - 1), 12u);
}

TEST(compaction_trigger, waits_for_batches_that_are_work) {
    compaction_trigger trigger;
    auto const due_after = [&](std::uint64_t batch_bytes) {
        return trigger.after_batch({large_bytes, 2u << 20, 10u << 20, rows_bytes, batch_bytes});
    };
    constexpr std::uint64_t enough = large_bytes / tuning::compaction_work_share;
    for (int i = 0; i < 4; ++i)
        EXPECT_FALSE(due_after(enough / 5));
    EXPECT_TRUE(due_after(enough / 4));
    trigger.after_compaction(large_bytes, compact_bytes);
    for (std::uint64_t batch = 0; batch < 2 * tuning::most_compaction_wait; ++batch)
        EXPECT_FALSE(due_after(1));
    EXPECT_TRUE(due_after(enough));
}
TEST(compaction_trigger, waits_longer_after_a_compaction_that_has_failed) {
    compaction_trigger trigger;
    EXPECT_TRUE(due(trigger, large_bytes));
    for (std::uint64_t wait = 2; wait <= 64; wait *= 2) {
        trigger.after_compaction(large_bytes, large_bytes);
        for (std::uint64_t batch = 1; batch < wait; ++batch)
            EXPECT_FALSE(due(trigger, large_bytes)) << batch << " of " << wait;
        EXPECT_TRUE(due(trigger, large_bytes)) << wait;
    }
}
TEST(compaction_trigger, does_not_wait_longer_after_the_users_own_compactions) {
    compaction_trigger trigger;
    for (int i = 0; i < 10; ++i) {
        EXPECT_TRUE(due(trigger, large_bytes)) << i;
        trigger.after_request();
    }
}

} // namespace
} // namespace rhizome::graph::batch
