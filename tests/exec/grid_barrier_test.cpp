// SPDX-License-Identifier: Apache-2.0
// Steps that need what all threads did in the step before, on every space.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/steps.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>
#include <spaces.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Space>
class steps_on : public space_test {};
TYPED_TEST_SUITE(steps_on, all_spaces, space_names);

/// Step k writes to place i of one array what the other has in place i + 1, plus 1. Without a barrier a
/// thread reads what its neighbour has not written yet, or has overwritten.
struct rotate {
    static constexpr std::uint32_t block_threads = 64;
    struct progress {
        std::uint32_t step;
    };
    std::uint32_t* arrays; ///< 2 of `count`
    std::uint64_t count;
    std::uint32_t steps;
    std::uint32_t* finished; ///< gets the number of calls of finish(), and of steps

    [[nodiscard]] RZ_HD progress begin() const { return {0}; }
    [[nodiscard]] RZ_HD bool next(progress& now) const { return ++now.step <= steps; }
    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        std::uint32_t* const from = arrays + (now.step + 1) % 2 * count;
        std::uint32_t* const to = arrays + now.step % 2 * count;
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto const read = thread.device(from[(i + 1) % count]).load(exec::order::relaxed);
            thread.device(to[i]).store(read + 1, exec::order::relaxed);
        });
    }
    RZ_HD void finish(progress const& now) const {
        ++finished[0];
        finished[1] = now.step - 1;
    }
    [[nodiscard]] RZ_HD std::uint64_t items(progress const&) const { return count; }
};

TYPED_TEST(steps_on, see_all_that_the_step_before_wrote) {
    std::uint64_t const seeds = is_emulated<TypeParam> ? 300 : 5;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (std::uint64_t const count : {1u, 60u, 300u}) {
            SCOPED_TRACE(seed);
            auto space = make_space<TypeParam>({.seed = seed});
            std::vector<std::uint32_t> first(2 * count);
            for (std::uint64_t i = 0; i < count; ++i)
                first[i] = static_cast<std::uint32_t>(100 * i);
            exec::buffer<TypeParam, std::uint32_t> arrays(space, first);
            exec::buffer<TypeParam, std::uint32_t> finished(space, 2);
            exec::buffer<TypeParam, exec::grid_barrier> barrier(space, 1);
            finished.fill_bytes(0);
            constexpr std::uint32_t steps = 6;
            for (std::uint64_t const items : {count, count / 2 + 1}) { // of one shape and of another
                barrier.fill_bytes(0);
                exec::run_steps(space, items, rotate{arrays.data(), count, steps, finished.data()},
                                barrier.data());
            }
            auto const found = arrays.to_host();
            for (std::uint64_t i = 0; i < count; ++i)
                ASSERT_EQ(found[i], 100 * ((i + 2 * steps) % count) + 2 * steps) << i;
            EXPECT_EQ(finished.to_host(), (std::vector<std::uint32_t>{2, steps}));
        }
    }
}

/// Each block writes a number, and reads those of the other blocks if all have met.
struct meet_once {
    struct shared {
        std::uint32_t answer;
    };
    exec::grid_meeting* meeting;
    std::uint32_t* numbers; ///< one per block
    std::uint32_t* results; ///< one per thread
    std::uint32_t* unseen;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        // By any thread: the meeting releases what all threads of the block wrote.
        if (block.rank() == block.size() - 1)
            thread.device(numbers[block.index()]).store(block.index() + 7, exec::order::relaxed);
        auto const met = meeting->sync(thread, block.storage().answer);
        results[thread.rank()] = static_cast<std::uint32_t>(met);
        if (met != exec::grid_meeting::result::met) return;
        for (std::uint32_t i = block.rank(); i < block.count(); i += block.size())
            if (thread.device(numbers[i]).load(exec::order::relaxed) != i + 7)
                thread.device(*unseen).store(1u, exec::order::relaxed);
    }
};

template <class Space>
class meetings : public space_test {};
#if defined(__CUDACC__)
using spaces_of_meetings = type_list<exec::cuda_space>;
#else
using spaces_of_meetings = type_list<exec::simt_space>;
#endif
TYPED_TEST_SUITE(meetings, detail::as_types<spaces_of_meetings>::type, space_names);

TYPED_TEST(meetings, of_all_blocks_or_of_none) {
    using result = exec::grid_meeting::result;
    constexpr std::uint32_t threads = 64;
    std::uint64_t met = 0;
    std::uint64_t missed = 0;
    std::uint64_t const seeds = scaled(is_emulated<TypeParam> ? 600 : 20);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        SCOPED_TRACE(seed);
        auto const blocks = static_cast<std::uint32_t>(1 + seed % 7);
        auto space = make_space<TypeParam>({.seed = seed});
        exec::buffer<TypeParam, exec::grid_meeting> meeting(space, 1);
        exec::buffer<TypeParam, std::uint32_t> numbers(space, blocks);
        exec::buffer<TypeParam, std::uint32_t> results(space, blocks * threads);
        exec::buffer<TypeParam, std::uint32_t> unseen(space, 1);
        meeting.fill_bytes(0);
        numbers.fill_bytes(0);
        unseen.fill_bytes(0);
        launch(space, {blocks, threads},
               meet_once{meeting.data(), numbers.data(), results.data(), unseen.data()});
        auto const found = results.to_host();
        EXPECT_EQ(unseen.to_host()[0], 0u);
        auto const all_of = [&](result which) {
            return std::count(found.begin(), found.end(), static_cast<std::uint32_t>(which));
        };
        if (all_of(result::met) == 0) {
            ++missed;
            EXPECT_EQ(all_of(result::called_off), threads) << "one block calls a meeting off";
            EXPECT_EQ(all_of(result::missed), (blocks - 1) * threads);
        } else {
            ++met;
            EXPECT_EQ(all_of(result::met), blocks * threads);
        }
    }
    EXPECT_GT(met, 0u);
    if (is_emulated<TypeParam>) {
        EXPECT_GT(missed, 0u) << "where few blocks run at a time";
    } else {
        EXPECT_LT(missed, met) << "a GPU has room for all";
    }
}

} // namespace
} // namespace rhizome::tests
