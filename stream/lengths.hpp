// SPDX-License-Identifier: Apache-2.0
// The lengths of time steps and sliding windows, and how users write them.
#pragma once

#include <cstdint>
#include <string>

namespace rhizome::stream {

/// The length of a sliding window (io/sliding_window.hpp).
struct window_length {
    bool counts_edges = false; ///< true: `length` is a number of insertions; false: a length of time
    std::uint64_t length = 0;  ///< at least 1; a time is in the unit of the stream

    /// Returns whether both are the same window.
    friend constexpr bool operator==(window_length const&, window_length const&) = default;
};

/// Returns a length of time in seconds, or in the unit of the stream: a whole number above 0, with s, m, h or
/// d for seconds to days ("30d"). Throws std::invalid_argument for other text; its message quotes the text.
[[nodiscard]] std::int64_t parse_time(std::string const& text);

/// Returns the length of a window: a time as above, or a number of insertions with e ("100000e"). Throws as
/// parse_time().
[[nodiscard]] window_length parse_window(std::string const& text);

} // namespace rhizome::stream
