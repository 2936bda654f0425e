// SPDX-License-Identifier: Apache-2.0
// A program that rhizome-coalesce rewrote, on the emulator: it computes what it computed before, and all
// threads that must reach a static call reach it with the same size. The emulator throws if a barrier waits
// for ever.
#include <rhizome/exec/simt/explore.hpp>

#include <gtest/gtest.h>
#include <program.hpp>

namespace rhizome::tests {
namespace {

constexpr std::uint64_t threads = 3 * 64;

TEST(rewritten_program, computes_the_same) {
    exec::exploration const explored = exec::explore(1, 20, [](exec::simt_space& space) {
        program_result const before = program_before(space);
        program_result const after = program_after(space);
        EXPECT_EQ(before.sums, after.sums);
        EXPECT_EQ(before.calls.warp, 0u);
        EXPECT_EQ(after.calls.mixed_sizes, 0u);
        return true;
    });
    EXPECT_TRUE(explored) << explored.report();
}

TEST(rewritten_program, makes_static_calls) {
    program_result const after = program_after(exec::simt_space({.seed = 7}));
    // member_sizes: 1 + 3; in_functions: 1, and in one block of three another; leaves_early: 1
    EXPECT_EQ(after.calls.block, threads * 6 + 64);
    EXPECT_EQ(after.calls.warp - after.calls.block, threads); // own_sizes: 1
}

} // namespace
} // namespace rhizome::tests
