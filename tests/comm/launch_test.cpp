// SPDX-License-Identifier: Apache-2.0
// The launcher: processes that know their ranks, meet, print, fail, die, and ignore that they are to end.
#include <rhizome/comm/launch/launch.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::failure;
using comm::launch_end;
using comm::launch_options;
using std::chrono::milliseconds;
using clock = std::chrono::steady_clock;

/// What the ranks wrote, in order: "1: text", on standard error "1! text".
struct launched {
    launch_end end;
    std::vector<std::string> lines;
    clock::duration took;

    [[nodiscard]] std::vector<std::string> sorted() const {
        std::vector<std::string> copy = lines;
        std::ranges::sort(copy);
        return copy;
    }
};

launched launch_program(std::vector<std::string> words, launch_options options) {
    words.insert(words.begin(), RHIZOME_LAUNCHED_PROGRAM);
    launched all;
    if (!options.on_line)
        options.on_line = [&](int rank, bool errors, std::string_view line) {
            all.lines.push_back(std::to_string(rank) + (errors ? "! " : ": ") + std::string(line));
        };
    auto const begin = clock::now();
    all.end = comm::launch(words, options);
    all.took = clock::now() - begin;
    return all;
}

/// Much less than ranks sleep, and more than a loaded machine needs.
constexpr std::chrono::seconds soon(30);

void expect_lost_job(launched const& job, failure kind, int rank, int exit_code, std::string const& why) {
    EXPECT_EQ(job.end.result.kind(), kind);
    EXPECT_EQ(job.end.result.rank(), rank);
    EXPECT_EQ(job.end.exit_code, exit_code);
    EXPECT_EQ(job.end.result.why(), why);
    EXPECT_LT(job.took, soon);
}

TEST(comm_launch, each_process_knows_its_rank_and_its_lines_carry_it) {
    // Variables of another launcher in this environment change nothing.
    ::setenv("RHIZOME_RANK", "7", 1);
    ::setenv("RANK", "9", 1);
    auto const job = launch_program({"print"}, {.ranks = 3});
    ::unsetenv("RHIZOME_RANK");
    ::unsetenv("RANK");
    EXPECT_TRUE(job.end.ok()) << job.end.result.why();
    EXPECT_EQ(job.end.exit_code, 0);
    EXPECT_EQ(job.sorted(),
              (std::vector<std::string>{"0! no newline at the end", "0: rank 0 of 3, device 0, by rhizome",
                                        "1! no newline at the end", "1: rank 1 of 3, device 1, by rhizome",
                                        "2! no newline at the end", "2: rank 2 of 3, device 2, by rhizome"}));
}

TEST(comm_launch, the_ranks_meet_through_a_file_that_is_gone_afterwards) {
    auto const job = launch_program({"meet"}, {.ranks = 4});
    EXPECT_TRUE(job.end.ok()) << job.end.result.why();
    ASSERT_EQ(job.lines.size(), 4u);
    for (std::string const& line : job.lines) {
        std::string const text = ": seven 7 at ";
        ASSERT_EQ(line.find(text), 1u) << line;
        std::filesystem::path const file = line.substr(1 + text.size());
        EXPECT_TRUE(file.is_absolute()) << line;
        EXPECT_FALSE(std::filesystem::exists(file.parent_path())) << line;
    }
}

TEST(comm_launch, words_arrive_as_they_are_and_nothing_can_be_read) {
    auto const job = launch_program({"echo", "a b", "$HOME", "", std::string(10'000, 'x')}, {.ranks = 1});
    EXPECT_TRUE(job.end.ok());
    EXPECT_EQ(job.lines,
              (std::vector<std::string>{"0: a b", "0: $HOME", "0: ", "0: " + std::string(10'000, 'x')}));
}

TEST(comm_launch, a_rank_that_fails_ends_the_others_and_is_named_with_its_last_line) {
    expect_lost_job(launch_program({"fail", "2"}, {.ranks = 4}), failure::peer_left, 2, 3,
                    "rank 2 of 4 ended with exit code 3: the disk is full (ranks still running: 0, 1, 3)");
}

TEST(comm_launch, a_rank_that_a_signal_ended_is_the_cause_even_if_it_is_reported_later) {
    expect_lost_job(launch_program({"die", "1"}, {.ranks = 3, .settling = std::chrono::seconds(20)}),
                    failure::peer_left, 1, 128 + SIGKILL, "rank 1 of 3 was ended by SIGKILL");
}

TEST(comm_launch, a_rank_that_ignores_that_it_is_to_end_is_killed) {
    auto const job = launch_program({"stubborn"}, {.ranks = 2, .grace = milliseconds(300)});
    expect_lost_job(job, failure::peer_left, 0, 2,
                    "rank 0 of 2 ended with exit code 2 (ranks still running: 1)");
}

TEST(comm_launch, the_time_limit_ends_ranks_that_hang_and_names_them) {
    expect_lost_job(launch_program({"sleep"}, {.ranks = 2, .time_limit = milliseconds(300)}),
                    failure::timed_out, 0, 124,
                    "not all ranks ended within 300 ms (ranks still running: 0, 1)");
}

TEST(comm_launch, signals_are_passed_on) {
    for (int const signal : {SIGINT, SIGTERM, SIGHUP}) {
        int sleeping = 0;
        auto const job = launch_program({"sleep"}, {.ranks = 2, .on_line = [&](int, bool, std::string_view) {
                                                        if (++sleeping == 2) ::kill(::getpid(), signal);
                                                    }});
        expect_lost_job(job, failure::aborted, comm::no_rank, 128 + signal,
                        "ended by " + comm::signal_name(signal));
    }
    struct sigaction now {};
    ::sigaction(SIGINT, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL) << "the handlers of before are back";
}

TEST(comm_launch, what_a_rank_has_left_running_is_ended) {
    auto const job = launch_program({"leave"}, {.ranks = 2});
    EXPECT_TRUE(job.end.ok());
    ASSERT_EQ(job.lines.size(), 1u);
    EXPECT_LT(job.took, soon);
    int const left = std::stoi(job.lines[0].substr(3));
    auto const is_there = [&] { // a zombie is no process that runs
        std::ifstream status("/proc/" + std::to_string(left) + "/stat");
        std::string number, name, state;
        status >> number >> name >> state;
        return static_cast<bool>(status) && state != "Z";
    };
    auto const deadline = clock::now() + soon;
    while (is_there() && clock::now() < deadline)
        ::usleep(1000);
    EXPECT_FALSE(is_there());
}

TEST(comm_launch, processes_find_on_their_board_that_one_was_killed) {
    auto const job = launch_program({"board", "1"}, {.ranks = 3, .settling = std::chrono::seconds(20)});
    expect_lost_job(job, failure::peer_left, 1, 128 + SIGKILL, "rank 1 of 3 was ended by SIGKILL");
    EXPECT_EQ(job.sorted(), (std::vector<std::string>{"0: the process of rank 1 has ended",
                                                      "2: the process of rank 1 has ended"}));
}

TEST(comm_launch, processes_write_into_each_others_memory_by_its_descriptors) {
    auto const job = launch_program({"pass"}, {.ranks = 3});
    EXPECT_TRUE(job.end.ok()) << job.end.result.why();
    EXPECT_EQ(job.sorted(), (std::vector<std::string>{"0: abc", "0: def", "0: ghi", "1: abc", "1: def",
                                                      "1: ghi", "2: abc", "2: def", "2: ghi"}));
}

TEST(comm_launch, processes_that_wait_for_a_descriptor_find_that_a_rank_was_killed) {
    auto const job = launch_program({"pass", "1"}, {.ranks = 3, .settling = std::chrono::seconds(20)});
    expect_lost_job(job, failure::peer_left, 1, 128 + SIGKILL, "rank 1 of 3 was ended by SIGKILL");
    EXPECT_EQ(job.sorted(),
              (std::vector<std::string>{"0: abc", "0: the process of rank 1 has ended", "1: abc", "2: abc",
                                        "2: the process of rank 1 has ended"}));
}

TEST(comm_launch, refuses_programs_and_numbers_that_are_none) {
    EXPECT_THROW((void)comm::launch({"/no/such/program"}, {.ranks = 2}), std::runtime_error);
    EXPECT_THROW((void)comm::launch({}, {.ranks = 2}), std::runtime_error);
    EXPECT_THROW((void)comm::launch({RHIZOME_LAUNCHED_PROGRAM}, {.ranks = 0}), std::invalid_argument);
}

} // namespace
} // namespace rhizome::tests
