// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/io/time_text.hpp>

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace rhizome::io {
namespace {

template <class Number>
std::optional<Number> all_of(std::string_view text) {
    Number value{};
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

bool are_digits(std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; }

/// A number with a point and no exponent. A double would round 0.99999999999999999 up.
std::optional<time_number> decimal_time(std::string_view text, std::size_t point) {
    std::string_view const fraction = text.substr(point + 1);
    std::string_view const whole = text.substr(0, point);
    bool const is_negative = whole.starts_with('-');
    bool const has_whole = whole.size() > (is_negative ? 1u : 0u);
    if (!are_digits(fraction) || (!has_whole && fraction.empty())) return std::nullopt;
    std::optional<std::int64_t> const value = has_whole ? all_of<std::int64_t>(whole) : 0;
    if (!value) return std::nullopt;
    bool const is_rounded = fraction.find_first_not_of('0') != fraction.npos;
    if (!is_rounded || !is_negative) return time_number{*value, is_rounded};
    if (*value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
    return time_number{*value - 1, true};
}

} // namespace

std::optional<time_number> time_in(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    if (std::optional<std::int64_t> const whole = all_of<std::int64_t>(text))
        return time_number{*whole, false};
    if (text.find_first_of("eE") == text.npos) {
        std::size_t const point = text.find('.');
        return point == text.npos ? std::nullopt : decimal_time(text, point);
    }
    std::optional<double> const real = all_of<double>(text);
    if (!real || !(std::abs(*real) <= static_cast<double>(largest_exact_number))) return std::nullopt;
    double const below = std::floor(*real);
    return time_number{static_cast<std::int64_t>(below), below != *real};
}

} // namespace rhizome::io
