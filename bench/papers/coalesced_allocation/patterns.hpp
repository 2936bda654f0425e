// SPDX-License-Identifier: Apache-2.0
// The workloads of the coalescing paper: what a thread does with the floats that it allocated. The paper
// names two of five and shows two (listing 2): linear and quadratic. The other three are ours.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

enum class access_pattern : std::uint8_t {
    linear,    ///< adds all values, in order
    quadratic, ///< adds the products of all pairs of values
    update,    ///< halves each value and adds 1, in four passes: reads and writes
    stride,    ///< adds every eighth value, then every eighth from the second on, ...
    scattered, ///< adds all values in an order that looks random, each thread from a place of its own
};

/// The names of the patterns, in the order of the enumeration.
[[nodiscard]] std::vector<std::string> const& pattern_names();
/// Throws std::invalid_argument for text that names none.
[[nodiscard]] access_pattern pattern_of(std::string const& name);
/// Operations of one thread, additions and multiplications counted as one each, as in the paper.
[[nodiscard]] double pattern_flops(access_pattern pattern, std::uint64_t floats);

/// Floats per step of `stride`: a sector of 32 bytes.
inline constexpr std::uint32_t stride_floats = 8;
inline constexpr std::uint32_t update_passes = 4;

/// The first value of a thread's data; the paper has 0 for all. Seven different ones show threads that write
/// to each other's data.
[[nodiscard]] RZ_HD inline std::uint32_t first_value(std::uint64_t thread) {
    return static_cast<std::uint32_t>(thread % 7);
}

/// The place of the k-th access of `scattered`. The factor is a prime above most_floats, so every place has
/// its turn.
inline constexpr std::uint32_t most_floats = 4096;
[[nodiscard]] RZ_HD inline std::uint32_t scattered_place(std::uint64_t thread, std::uint32_t k,
                                                         std::uint32_t floats) {
    constexpr std::uint32_t factor = 7919;
    constexpr std::uint32_t mixer = 0x9e37'79b9u; // Fibonacci hashing
    std::uint32_t const start = (static_cast<std::uint32_t>(thread) * mixer) >> 12;
    return (start + k * factor) % floats;
}

} // namespace rhizome::bench
