// SPDX-License-Identifier: Apache-2.0
// When a graph gives scratch back: once batches are small for a while, seldom where large ones return.
#include <rhizome/graph/batch/scratch_trigger.hpp>
#include <rhizome/graph/tuning.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::graph::batch {
namespace {

constexpr std::uint64_t many = 1'000'000;
constexpr std::uint64_t few = many / tuning::small_batch_share;

/// The number of the first batch of `edges` edges after which scratch is given back, up to `most`; 0: none.
std::uint64_t batches_until_return(scratch_trigger& trigger, std::uint64_t edges, std::uint64_t most) {
    for (std::uint64_t batch = 1; batch <= most; ++batch)
        if (trigger.after_batch(edges)) return batch;
    return 0;
}

TEST(scratch_trigger, gives_back_after_many_small_batches_in_a_row) {
    scratch_trigger trigger;
    EXPECT_EQ(batches_until_return(trigger, many, 100), 0u) << "all need it";
    EXPECT_EQ(batches_until_return(trigger, few, 100), tuning::small_batches);
    EXPECT_EQ(batches_until_return(trigger, few, 1'000), 0u) << "the scratch has their size now";
    EXPECT_EQ(batches_until_return(trigger, few / tuning::small_batch_share, 100), tuning::small_batches);
}
TEST(scratch_trigger, begins_anew_with_a_batch_that_is_not_small) {
    scratch_trigger trigger;
    static_cast<void>(trigger.after_batch(many));
    for (int round = 0; round < 5; ++round) {
        EXPECT_EQ(batches_until_return(trigger, few, tuning::small_batches - 1), 0u);
        EXPECT_FALSE(trigger.after_batch(few + 1));
    }
    EXPECT_EQ(batches_until_return(trigger, few, 100), tuning::small_batches);
}
TEST(scratch_trigger, waits_longer_where_large_batches_return) {
    scratch_trigger trigger;
    static_cast<void>(trigger.after_batch(many));
    std::uint64_t wait = tuning::small_batches;
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(batches_until_return(trigger, few, 10'000), wait);
        EXPECT_FALSE(trigger.after_batch(many)) << "in vain";
        wait = wait * 2 < tuning::most_small_batches ? wait * 2 : tuning::most_small_batches;
    }
    for (int round = 0; round < 20; ++round) {
        EXPECT_EQ(batches_until_return(trigger, few, 10'000), wait);
        EXPECT_EQ(batches_until_return(trigger, few, wait), 0u);
        EXPECT_FALSE(trigger.after_batch(many)) << "late enough";
        wait = wait / 2 > tuning::small_batches ? wait / 2 : tuning::small_batches;
    }
    EXPECT_EQ(wait, tuning::small_batches);
}
TEST(scratch_trigger, counts_anew_after_a_release) {
    scratch_trigger trigger;
    static_cast<void>(trigger.after_batch(many));
    trigger.after_release();
    EXPECT_EQ(batches_until_return(trigger, few, 1'000), 0u) << "the scratch has their size";
    static_cast<void>(trigger.after_batch(many));
    EXPECT_EQ(batches_until_return(trigger, few, 1'000), tuning::small_batches)
        << "and no return was in vain";
}

} // namespace
} // namespace rhizome::graph::batch
