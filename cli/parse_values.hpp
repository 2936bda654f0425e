// SPDX-License-Identifier: Apache-2.0
// The values of options: numbers, shares, sizes in bytes.
#pragma once

#include <cstdint>
#include <string>

namespace rhizome::cli {

/// Each takes the option's name for its message and throws usage_error for text that is no such value.
[[nodiscard]] std::uint64_t parse_count(std::string const& option, std::string const& text,
                                        std::uint64_t lowest, std::uint64_t highest);
[[nodiscard]] double parse_real(std::string const& option, std::string const& text);

/// Bytes: a whole number, with K, M, G or T (powers of 1024; also KiB ...; KB ... are powers of 1000).
[[nodiscard]] std::uint64_t parse_bytes(std::string const& option, std::string const& text);

/// A length of time in seconds, or in the unit of the stream: a whole number above 0, with s, m, h or d.
[[nodiscard]] std::int64_t parse_time(std::string const& option, std::string const& text);

/// The length of a sliding window: a time as above, or a number of edges with e ("100000e").
struct window_length {
    bool counts_edges = false;
    std::uint64_t length = 0;
};
[[nodiscard]] window_length parse_window(std::string const& option, std::string const& text);

} // namespace rhizome::cli
