// SPDX-License-Identifier: Apache-2.0
// The emulator's only source of randomness.
#pragma once

#include <rhizome/exec/random.hpp>

#include <cstdint>

namespace rhizome::exec::emulator {

/// Splitmix64: one addition and one scramble per draw, the same on every platform.
class random_source {
public:
    explicit constexpr random_source(std::uint64_t seed) : state_(scramble(seed)) {}

    constexpr std::uint64_t next() { return scramble(state_ += 0x9e3779b97f4a7c15ull); }
    /// Uniform in [0, bound); bound is at least 1.
    constexpr std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }
    /// True once in n calls on average; n is at least 1.
    constexpr bool one_in(std::uint32_t n) { return below(n) == 0; }

private:
    std::uint64_t state_;
};

} // namespace rhizome::exec::emulator
