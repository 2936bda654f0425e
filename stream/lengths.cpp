// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/message_text.hpp>
#include <rhizome/stream/lengths.hpp>

#include <charconv>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace rhizome::stream {
namespace {

[[noreturn]] void fail(std::string const& text, std::string const& expected) {
    throw std::invalid_argument("found " + io::quoted(text) + ", expected " + expected);
}

/// Seconds in one unit; 0 if the suffix is none.
std::int64_t unit_seconds(std::string_view suffix) {
    if (suffix.empty() || suffix == "s") return 1;
    if (suffix == "m") return 60;
    if (suffix == "h") return 3600;
    return suffix == "d" ? 86400 : 0;
}

std::uint64_t parse_insertions(std::string const& text) {
    std::uint64_t value = 0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value == 0) fail(text, "a whole number of at least 1");
    return value;
}

} // namespace

std::int64_t parse_time(std::string const& text) {
    std::int64_t value = 0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    std::int64_t const unit = error == std::errc{} && value > 0 ? unit_seconds({stop, end}) : 0;
    if (unit == 0)
        fail(text, "a time: a whole number above 0, with s, m, h or d for seconds to days if you like");
    if (value > std::numeric_limits<std::int64_t>::max() / unit) fail(text, "less than 2^63 seconds");
    return value * unit;
}

window_length parse_window(std::string const& text) {
    if (text.ends_with('e')) return {true, parse_insertions(text.substr(0, text.size() - 1))};
    return {false, static_cast<std::uint64_t>(parse_time(text))};
}

} // namespace rhizome::stream
