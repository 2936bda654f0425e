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
    return trigger.after_batch({heap_bytes, 2u << 20, 10u << 20, rows_bytes});
}

TEST(compaction_trigger, compacts_what_is_more_than_twice_the_rows) {
    compaction_trigger trigger;
    EXPECT_FALSE(due(trigger, compact_bytes));
    EXPECT_FALSE(due(trigger, 190u << 20)) << "twice the rows, with the vertex table";
    EXPECT_TRUE(due(trigger, (190u << 20) + 1));
    EXPECT_FALSE(trigger.after_batch({tuning::least_compacted_heap_bytes, 0, 0, 1})) << "too small a heap";
    EXPECT_TRUE(trigger.after_batch({tuning::least_compacted_heap_bytes + 1, 0, 0, 1}));
    EXPECT_FALSE(trigger.after_batch({large_bytes, large_bytes / 2, 0, 1}))
        << "hardly more than at the start";
    EXPECT_TRUE(trigger.after_batch({large_bytes, large_bytes / 2 - 1, 0, 1}));
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

} // namespace
} // namespace rhizome::graph::batch
