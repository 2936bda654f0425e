// SPDX-License-Identifier: Apache-2.0
// Sizes of memory in bytes, computed without wrapping.
#pragma once

#include <cstdint>
#include <limits>

namespace rhizome::exec {

/// What the functions below return for a size that 64 bits do not hold. No memory is so large: every request
/// for so many bytes is refused.
inline constexpr std::uint64_t endless_bytes = std::numeric_limits<std::uint64_t>::max();

/// The bytes of `count` elements of T.
template <class T>
[[nodiscard]] constexpr std::uint64_t bytes_of(std::uint64_t count) {
    return count > endless_bytes / sizeof(T) ? endless_bytes : count * sizeof(T);
}

/// `bytes`, rounded up to a multiple of `step_bytes`, which is not 0.
[[nodiscard]] constexpr std::uint64_t whole_steps(std::uint64_t bytes, std::uint64_t step_bytes) {
    std::uint64_t const excess = bytes % step_bytes;
    if (excess == 0) return bytes;
    std::uint64_t const missing = step_bytes - excess;
    return bytes > endless_bytes - missing ? endless_bytes : bytes + missing;
}

} // namespace rhizome::exec
