// SPDX-License-Identifier: Apache-2.0
// The end of a time limit.
#pragma once

#include <algorithm>
#include <chrono>

namespace rhizome::comm {

/// The time at which a limit that begins now is over. A limit of more than a hundred years ends then:
/// milliseconds::max() would be over at once, since the clock counts nanoseconds in 64 bits.
[[nodiscard]] inline std::chrono::steady_clock::time_point deadline_after(std::chrono::milliseconds limit) {
    constexpr std::chrono::milliseconds longest = std::chrono::hours(24 * 365 * 100);
    return std::chrono::steady_clock::now() + std::min(limit, longest);
}

} // namespace rhizome::comm
