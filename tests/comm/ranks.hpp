// SPDX-License-Identifier: Apache-2.0
// Groups of ranks in a test's space.
#pragma once

#include <rhizome/comm/threads.hpp>

#include <gtest/gtest.h>
#include <spaces.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

namespace rhizome::tests {

/// Long enough that no loaded machine reaches it: for calls that must succeed.
inline constexpr std::chrono::milliseconds ample_limit = std::chrono::minutes(2);
/// For calls that must reach it.
inline constexpr std::chrono::milliseconds short_limit{200};

/// Runs the function on each rank of a group of threads.
template <class Space>
void on_ranks(int ranks, std::function<void(comm::communicator<Space>&)> const& function,
              std::chrono::milliseconds limit = ample_limit) {
    comm::run_ranks(spaces_of_ranks<Space>(ranks, {.threads = 1}), function, {.time_limit = limit});
}

/// Numbers from `seed`, of any type that can be reduced. Small, so that sums are exact.
template <class T>
[[nodiscard]] std::vector<T> random_values(std::uint64_t count, std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    std::vector<T> values(count);
    for (T& value : values)
        value = static_cast<T>(static_cast<std::int64_t>(engine() % 2001) - 1000);
    return values;
}

} // namespace rhizome::tests
