// SPDX-License-Identifier: Apache-2.0
// The values of options: numbers, shares, sizes in bytes.
#pragma once

#include <rhizome/stream/lengths.hpp>

#include <cstdint>
#include <string>

namespace rhizome::cli {

/// Each takes the option's name for its message and throws usage_error for text that is no such value.
[[nodiscard]] std::uint64_t parse_count(std::string const& option, std::string const& text,
                                        std::uint64_t lowest, std::uint64_t highest);
[[nodiscard]] double parse_real(std::string const& option, std::string const& text);

/// Bytes: a whole number, with K, M, G or T (powers of 1024; also KiB ...; KB ... are powers of 1000).
[[nodiscard]] std::uint64_t parse_bytes(std::string const& option, std::string const& text);

/// The lengths of time steps and windows (stream/lengths.hpp).
[[nodiscard]] std::int64_t parse_time(std::string const& option, std::string const& text);
[[nodiscard]] stream::window_length parse_window(std::string const& option, std::string const& text);

} // namespace rhizome::cli
