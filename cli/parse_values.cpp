// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/parse_error.hpp>

#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace rhizome::cli {
namespace {

[[noreturn]] void fail(std::string const& option, std::string const& text, std::string const& expected) {
    throw usage_error("--" + option + ": found " + io::quoted(text) + ", expected " + expected);
}

/// Bytes in one unit; 0 if the suffix is none.
std::uint64_t unit_bytes(std::string suffix) {
    for (char& c : suffix)
        c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    if (suffix.empty() || suffix == "B") return 1;
    std::uint64_t const base = suffix.size() == 2 && suffix[1] == 'B' ? 1000 : 1024;
    bool const well_formed = suffix.size() == 1 || suffix.substr(1) == "B" || suffix.substr(1) == "IB";
    auto const power = std::string_view("KMGT").find(suffix[0]);
    if (!well_formed || power == std::string_view::npos) return 0;
    std::uint64_t unit = base;
    for (std::size_t i = 0; i < power; ++i)
        unit *= base;
    return unit;
}

/// What parse(text) returns; its complaint about the text names the option.
template <class Parse>
auto parse_length(std::string const& option, std::string const& text, Parse const& parse) {
    try {
        return parse(text);
    } catch (std::invalid_argument const& error) {
        throw usage_error("--" + option + ": " + error.what());
    }
}

} // namespace

std::int64_t parse_time(std::string const& option, std::string const& text) {
    return parse_length(option, text, stream::parse_time);
}

stream::window_length parse_window(std::string const& option, std::string const& text) {
    return parse_length(option, text, stream::parse_window);
}

std::uint64_t parse_count(std::string const& option, std::string const& text, std::uint64_t lowest,
                          std::uint64_t highest) {
    std::uint64_t value = 0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || value < lowest || value > highest) {
        std::string const range = highest == std::numeric_limits<std::uint64_t>::max()
                                      ? "of at least " + std::to_string(lowest)
                                      : "from " + std::to_string(lowest) + " to " + std::to_string(highest);
        fail(option, text, "a whole number " + range);
    }
    return value;
}

double parse_real(std::string const& option, std::string const& text) {
    double value = 0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end || !std::isfinite(value)) fail(option, text, "a number");
    return value;
}

std::uint64_t parse_bytes(std::string const& option, std::string const& text) {
    std::uint64_t value = 0;
    char const* const end = text.data() + text.size();
    auto const [stop, error] = std::from_chars(text.data(), end, value);
    std::uint64_t const unit = error == std::errc{} ? unit_bytes(std::string(stop, end)) : 0;
    if (unit == 0) fail(option, text, "bytes: a whole number, with K, M, G or T if you like");
    if (value > std::numeric_limits<std::uint64_t>::max() / unit) fail(option, text, "fewer than 2^64 bytes");
    return value * unit;
}

} // namespace rhizome::cli
