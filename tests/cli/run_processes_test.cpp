// SPDX-License-Identifier: Apache-2.0
// Processes as ranks of a command: what they print, and the one line if any of them fails. Shells stand for
// the tool.
#include <rhizome/cli/devices.hpp>

#include <gtest/gtest.h>

namespace rhizome::cli {
namespace {

struct heard {
    std::string out;
    std::string err;
    std::string failure;
    int exit_code = 0;
};

heard run_shells(std::string const& script, int ranks) {
    heard result;
    console out;
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    try {
        run_processes(out, {"/bin/sh", "-c", script}, ranks);
    } catch (job_failure const& error) {
        result.failure = error.what();
        result.exit_code = error.exit_code();
    }
    result.out = ::testing::internal::GetCapturedStdout();
    result.err = ::testing::internal::GetCapturedStderr();
    return result;
}

} // namespace

TEST(run_processes, passes_on_what_ranks_print) {
    auto const result = run_shells("echo out $RHIZOME_RANK; echo one >&2; echo two >&2", 2);
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.out, "out 0\n");
    EXPECT_NE(result.err.find("one\ntwo\n"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("rank 1: out 1\n"), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("rank 1: two\n"), std::string::npos) << result.err;
}

TEST(run_processes, says_what_rank_0_says_if_it_fails) {
    auto const result =
        run_shells("if [ $RHIZOME_RANK = 0 ]; then echo 'rhizome: a.txt: damaged' >&2; exit 2; fi", 2);
    EXPECT_EQ(result.failure, "a.txt: damaged");
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_EQ(result.err, ""); // the caller says it, once
}

TEST(run_processes, names_another_rank_that_fails_or_is_killed) {
    auto const failed =
        run_shells("if [ $RHIZOME_RANK = 1 ]; then echo 'rhizome: no GPU' >&2; exit 1; fi; exec sleep 20", 3);
    EXPECT_NE(failed.failure.find("rank 1 of 3 ended with exit code 1: rhizome: no GPU"), std::string::npos)
        << failed.failure;
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_EQ(failed.err, "");
    auto const killed = run_shells("if [ $RHIZOME_RANK = 1 ]; then kill -9 $$; fi; "
                                   "echo 'rhizome: rank 1 is gone' >&2; exit 1",
                                   2);
    EXPECT_NE(killed.failure.find("rank 1 of 2 was ended by SIGKILL"), std::string::npos) << killed.failure;
    EXPECT_EQ(killed.exit_code, 137);
    EXPECT_EQ(killed.err, "");
}

} // namespace rhizome::cli
