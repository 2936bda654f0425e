// Values of stored edges as numbers, whatever the type under which they are stored.
#pragma once

#include <rhizome/io/store_format.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rhizome::io {

/// Calls function(Type{}) for the whole-number type of that stored_type_name; false where there is none.
template <class Function>
bool with_integer_type(std::string_view name, Function&& function) {
    auto const call = [&]<class... Types>(std::type_identity<Types>...) {
        return ((name == stored_type_name<Types> && (function(Types{}), true)) || ...);
    };
    return call(std::type_identity<std::int8_t>{}, std::type_identity<std::int16_t>{},
                std::type_identity<std::int32_t>{}, std::type_identity<std::int64_t>{},
                std::type_identity<std::uint8_t>{}, std::type_identity<std::uint16_t>{},
                std::type_identity<std::uint32_t>{}, std::type_identity<std::uint64_t>{});
}

/// ... for float and double as well.
template <class Function>
bool with_number_type(std::string_view name, Function&& function) {
    if (with_integer_type(name, function)) return true;
    if (name == stored_type_name<float>) return function(float{}), true;
    if (name == stored_type_name<double>) return function(double{}), true;
    return false;
}

/// Whole numbers up to this are exact as double.
inline constexpr std::uint64_t largest_exact_number = std::uint64_t{1} << 53;

/// Whether the values that the header announces are numbers of a known type.
[[nodiscard]] bool has_number_values(store_header const& header);

/// Appends values to `numbers`: `bytes` holds as many of the header's type as `count` says. Throws
/// file_error, with the path, for one that a double does not hold exactly. Precondition:
/// has_number_values(header).
void append_numbers(std::string const& path, store_header const& header, std::span<std::byte const> bytes,
                    std::size_t count, std::vector<double>& numbers);

/// The stored_type_name under which the numbers are stored: `preferred` if it is a known type that holds all
/// of them exactly; else uint64 if they are whole and 0 or more; else float64.
[[nodiscard]] std::string type_for_numbers(std::span<double const> numbers, std::string_view preferred);

} // namespace rhizome::io
