// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace rhizome::io {
namespace {

template <class Number>
bool is_exact(double number) {
    if constexpr (std::is_integral_v<Number>) {
        // The largest value plus one is a power of two, which is exact as a double for every type.
        double const end = std::ldexp(1.0, std::numeric_limits<Number>::digits);
        double const least = std::is_signed_v<Number> ? -end : 0.0;
        return number >= least && number < end && std::trunc(number) == number &&
               std::abs(number) <= static_cast<double>(largest_exact_number);
    } else {
        return static_cast<double>(static_cast<Number>(number)) == number;
    }
}

} // namespace

bool has_number_values(store_header const& header) {
    bool known = false;
    with_number_type(header.value_type, [&](auto zero) { known = sizeof(zero) == header.value_bytes; });
    return known;
}

void append_numbers(std::string const& path, store_header const& header, std::span<std::byte const> bytes,
                    std::size_t count, std::vector<double>& numbers) {
    with_number_type(header.value_type, [&](auto value) {
        using number_type = decltype(value);
        for (std::size_t i = 0; i < count; ++i) {
            std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
            if constexpr (sizeof(number_type) == 8 && std::is_integral_v<number_type>) {
                auto const size = value < number_type{0}
                                      ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                      : static_cast<std::uint64_t>(value);
                if (size > largest_exact_number)
                    throw file_error(path, "holds the value " + std::to_string(value) +
                                               "; the tool keeps whole numbers up to 2^53");
            }
            numbers.push_back(static_cast<double>(value));
        }
    });
}

std::string type_for_numbers(std::span<double const> numbers, std::string_view preferred) {
    auto const all_exact = [&](auto zero) {
        return std::all_of(numbers.begin(), numbers.end(),
                           [](double number) { return is_exact<decltype(zero)>(number); });
    };
    bool fits = false;
    with_number_type(preferred, [&](auto zero) { fits = all_exact(zero); });
    if (fits) return std::string(preferred);
    return std::string(all_exact(std::uint64_t{}) ? stored_type_name<std::uint64_t>
                                                  : stored_type_name<double>);
}

} // namespace rhizome::io
