// SPDX-License-Identifier: Apache-2.0
// Atomics on several words that are ordered together, and relaxed ones between fences, on every space.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::tests {
namespace {

template <class Space>
class ordered_together_on : public space_test {};
TYPED_TEST_SUITE(ordered_together_on, all_spaces, space_names);

/// Instead of an order: relaxed additions between two fences.
struct fences {};

/// Each thread writes a note and adds one to two counters. Threads that find a counter complete add up the
/// notes, which they see if each of the two additions releases and acquires.
template <class Order>
struct leave_notes {
    std::uint32_t* notes;    ///< one per thread
    std::uint32_t* counters; ///< two
    std::uint32_t* sums;     ///< two: by the thread that completes the counter

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        thread.device(notes[thread.rank()]).store(1u, exec::order::relaxed);
        std::uint32_t before[2];
        auto const add = [&](auto order) {
            before[0] = thread.device(counters[0]).fetch_add(1u, order);
            before[1] = thread.device(counters[1]).fetch_add(1u, order);
        };
        if constexpr (std::is_same_v<Order, fences>) {
            thread.fence();
            add(exec::order::relaxed);
            thread.fence();
        } else {
            thread.ordered_together(Order{}, add);
        }
        for (std::uint32_t counter = 0; counter < 2; ++counter) {
            if (before[counter] + 1 != thread.size()) continue;
            std::uint32_t sum = 0;
            for (std::uint64_t i = 0; i < thread.size(); ++i)
                sum += thread.device(notes[i]).load(exec::order::relaxed);
            sums[counter] = sum;
        }
    }
};

/// In how many of `seeds` runs a note was missed.
template <class Order, class Space>
std::uint64_t runs_that_miss_notes(std::uint64_t seeds) {
    std::uint64_t missed = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        auto space = make_space<Space>({.seed = seed});
        exec::launch_shape shape = exec::one_thread_each(space, 96);
        std::uint64_t const threads = std::uint64_t{shape.blocks} * shape.block_threads;
        exec::buffer<Space, std::uint32_t> words(space, threads + 4);
        words.fill_bytes(0);
        std::uint32_t* const first = words.data();
        launch(space, shape, leave_notes<Order>{first + 4, first, first + 2});
        auto const got = words.to_host();
        missed += got[2] != threads || got[3] != threads ? 1 : 0;
    }
    return missed;
}

TYPED_TEST(ordered_together_on, each_releases_and_acquires) {
    std::uint64_t const seeds = is_emulated<TypeParam> ? 100 : 20;
    EXPECT_EQ((runs_that_miss_notes<exec::order::acq_rel_t, TypeParam>(seeds)), 0u);
    EXPECT_EQ((runs_that_miss_notes<fences, TypeParam>(seeds)), 0u);
    // Only the emulator is sure to show that it is the order that does it.
    if (is_emulated<TypeParam>) {
        EXPECT_GT((runs_that_miss_notes<exec::order::relaxed_t, TypeParam>(seeds)), 0u);
    }
}

} // namespace
} // namespace rhizome::tests
