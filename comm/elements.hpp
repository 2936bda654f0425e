// SPDX-License-Identifier: Apache-2.0
// What a reduction computes, and on which types.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace rhizome::comm {

/// How all_reduce combines the values of the ranks.
enum class reduction : std::uint8_t { sum, min, max };

/// The types that can be reduced, as values.
enum class element : std::uint8_t { uint32, uint64, int32, int64, float32, float64 };

/// Types of 4 or 8 bytes that all_reduce takes: integers, float and double.
template <class T>
concept reducible = (std::integral<T> || std::same_as<T, float> ||
                     std::same_as<T, double>)&&(sizeof(T) == 4 || sizeof(T) == 8) &&
                    !std::same_as<std::remove_cv_t<T>, bool>;

/// The element of a type.
template <reducible T>
[[nodiscard]] constexpr element element_of() {
    if constexpr (std::floating_point<T>)
        return sizeof(T) == 4 ? element::float32 : element::float64;
    else if constexpr (std::signed_integral<T>)
        return sizeof(T) == 4 ? element::int32 : element::int64;
    else
        return sizeof(T) == 4 ? element::uint32 : element::uint64;
}

[[nodiscard]] constexpr std::uint32_t bytes_of(element type) {
    return type == element::uint32 || type == element::int32 || type == element::float32 ? 4 : 8;
}

/// Calls function(T{}) with the type of an element.
template <class Function>
decltype(auto) with_type(element type, Function&& function) {
    switch (type) {
    case element::uint32:
        return function(std::uint32_t{});
    case element::uint64:
        return function(std::uint64_t{});
    case element::int32:
        return function(std::int32_t{});
    case element::int64:
        return function(std::int64_t{});
    case element::float32:
        return function(float{});
    case element::float64:
        break;
    }
    return function(double{});
}

} // namespace rhizome::comm
