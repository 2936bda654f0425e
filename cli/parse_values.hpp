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

} // namespace rhizome::cli
