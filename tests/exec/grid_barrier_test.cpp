// SPDX-License-Identifier: Apache-2.0
// Steps that need what all threads did in the step before, on every space.
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/steps.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

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

} // namespace
} // namespace rhizome::tests
