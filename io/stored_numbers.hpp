// SPDX-License-Identifier: Apache-2.0
// Values of stored edges as numbers, whatever type they are stored as.
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

/// Calls function(Type{}) for the whole-number type with this stored_type_name. Returns false if there is
/// none.
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

/// As with_integer_type(), and for float and double too.
template <class Function>
bool with_number_type(std::string_view name, Function&& function) {
    if (with_integer_type(name, function)) return true;
    if (name == stored_type_name<float>) return function(float{}), true;
    if (name == stored_type_name<double>) return function(double{}), true;
    return false;
}

/// The largest number up to which every whole number is exact as a double.
inline constexpr std::uint64_t largest_exact_number = std::uint64_t{1} << 53;

/// Returns whether the values in the file are numbers of a known type.
[[nodiscard]] bool has_number_values(store_header const& header);

/// Appends `count` values to `numbers`. `bytes` holds them, in the type that the header names.
/// Precondition: has_number_values(header). Throws file_error, with the path, for a value that a double does
/// not hold exactly.
void append_numbers(std::string const& path, store_header const& header, std::span<std::byte const> bytes,
                    std::size_t count, std::vector<double>& numbers);

/// Returns the stored_type_name of the type to store the numbers as: `preferred`, if it is a known type that
/// holds all of them exactly; otherwise uint64, if all are whole and 0 or more; otherwise float64.
[[nodiscard]] std::string type_for_numbers(std::span<double const> numbers, std::string_view preferred);

} // namespace rhizome::io
