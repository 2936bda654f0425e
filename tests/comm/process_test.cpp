// SPDX-License-Identifier: Apache-2.0
// Programs that a process starts: what they inherit, how they end.
#include <rhizome/comm/launch/process.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>

namespace rhizome::tests {
namespace {

using comm::child_process;

std::string all_of(comm::pipe_ends& pipe) {
    pipe.write.reset();
    std::string text;
    while (pipe.read.get() >= 0)
        comm::read_some(pipe.read, text);
    return text;
}

} // namespace

TEST(child_processes, have_the_descriptors_and_variables_that_they_are_given) {
    comm::pipe_ends low;
    comm::pipe_ends high;
    int const l = low.write.get();
    int const h = high.write.get();
    // The pipes' own numbers are among those that are replaced.
    child_process child({.words = {"sh", "-c", "cat; echo low >&9; echo high $NAME $HOME >&8"},
                         .descriptors = {-1, l, h, l, h, l, h, l, h, l},
                         .variables = {"NAME=value", "HOME=nowhere"}});
    EXPECT_EQ(all_of(low), "low\n");
    EXPECT_EQ(all_of(high), "high value nowhere\n");
    child.wait();
    EXPECT_EQ(child.exit_code(), 0);
}

TEST(child_processes, say_how_they_ended) {
    child_process three({.words = {"/bin/sh", "-c", "exit 3"}, .descriptors = {-1, -1, -1}});
    three.wait();
    EXPECT_TRUE(three.ended());
    EXPECT_FALSE(three.by_signal());
    EXPECT_EQ(three.exit_code(), 3);
    auto* const before = std::signal(SIGPIPE, SIG_IGN);
    child_process piped({.words = {"/bin/sh", "-c", "kill -PIPE $$; exit 4"}, .descriptors = {-1, -1, -1}});
    piped.wait();
    std::signal(SIGPIPE, before);
    EXPECT_TRUE(piped.by_signal()) << "the program does not ignore what this process ignores";
    EXPECT_EQ(piped.exit_code(), 128 + SIGPIPE);
}

TEST(child_processes, end_with_all_that_they_started) {
    comm::pipe_ends out;
    child_process child({.words = {"/bin/sh", "-c", "sleep 100 & echo started; sleep 100"},
                         .descriptors = {-1, out.write.get(), -1},
                         .is_bound = true});
    std::string said;
    while (said != "started\n")
        comm::read_some(out.read, said);
    EXPECT_FALSE(child.ended());
    auto const begin = std::chrono::steady_clock::now();
    child.end();
    EXPECT_TRUE(child.by_signal());
    EXPECT_EQ(all_of(out), "") << "the pipe ends only when both have ended";
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(child_processes, that_cannot_be_run_are_reported) {
    for (char const* const path : {"/no/such/program", "/etc", "no-such-program"})
        EXPECT_THROW(child_process({.words = {path}, .descriptors = {-1, -1, -1}}), std::runtime_error)
            << path;
}

TEST(last_lines, are_those_that_are_not_empty) {
    EXPECT_EQ(comm::last_line(""), "");
    EXPECT_EQ(comm::last_line("\n\r\n"), "");
    EXPECT_EQ(comm::last_line("one"), "one");
    EXPECT_EQ(comm::last_line("one\r\ntwo\r\n\n"), "two");
}

} // namespace rhizome::tests
