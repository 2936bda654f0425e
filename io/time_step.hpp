// SPDX-License-Identifier: Apache-2.0
// The steps into which time is divided where a batch of a stream is a step.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace rhizome::io {

/// Returns where the time step ends in which `time` lies; nothing if that is beyond all times. Steps are
/// `step` units long, and the first one begins at `first`. Precondition: first <= time, step > 0.
[[nodiscard]] constexpr std::optional<std::int64_t> end_of_step(std::int64_t first, std::int64_t time,
                                                                std::int64_t step) {
    auto const length = static_cast<std::uint64_t>(step);
    std::uint64_t const since = static_cast<std::uint64_t>(time) - static_cast<std::uint64_t>(first);
    std::uint64_t const left = length - since % length; // of the step, from `time` on
    std::int64_t constexpr last = std::numeric_limits<std::int64_t>::max();
    if (left > static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(time)) return std::nullopt;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(time) + left);
}

} // namespace rhizome::io
