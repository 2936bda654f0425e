// SPDX-License-Identifier: Apache-2.0
// Explorations run what they are asked to run, or say that they do not.
#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace rhizome::exec {
namespace {

/// A variable of the environment for as long as this lives.
class environment {
public:
    environment(char const* name, char const* value) : name_(name) {
        char const* const before = std::getenv(name);
        had_ = before != nullptr;
        if (had_) before_ = before;
        ::setenv(name, value, 1);
    }
    environment(environment const&) = delete;
    environment& operator=(environment const&) = delete;
    ~environment() {
        if (had_)
            ::setenv(name_, before_.c_str(), 1);
        else
            ::unsetenv(name_);
    }

private:
    char const* name_;
    std::string before_;
    bool had_ = false;
};

std::uint64_t scenarios_run(std::uint64_t seeds) {
    std::uint64_t number = 0;
    exploration const found = explore(1, seeds, [&](simt_space&) { return ++number != 0; });
    EXPECT_TRUE(found);
    EXPECT_EQ(found.seeds_run, number);
    return number;
}

TEST(explorations, run_as_many_seeds_as_the_environment_says) {
    environment const all("RHIZOME_SIMT_SEED", "");
    environment const number("RHIZOME_SIMT_SEEDS", "7");
    EXPECT_EQ(scenarios_run(3), 7u);
    environment const one("RHIZOME_SIMT_SEED", "12");
    EXPECT_EQ(scenarios_run(3), 1u);
}

TEST(explorations, refuse_to_pass_without_running) {
    environment const all("RHIZOME_SIMT_SEED", "");
    for (char const* const seeds : {"0", "00", "-1", "many"}) {
        environment const number("RHIZOME_SIMT_SEEDS", seeds);
        EXPECT_THROW(scenarios_run(3), std::invalid_argument) << seeds;
    }
    environment const unset("RHIZOME_SIMT_SEEDS", "");
    EXPECT_THROW(scenarios_run(0), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(explore_exactly(1, 0, [](simt_space&) { return true; })),
                 std::invalid_argument);
}

} // namespace
} // namespace rhizome::exec
