// SPDX-License-Identifier: Apache-2.0
// Names of types for typed tests: letters, digits and underscores, as ctest and --gtest_filter take them.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

namespace rhizome::tests {

/// Of the value of an edge, or of a word.
template <class Value>
[[nodiscard]] std::string value_name() {
    if constexpr (std::is_void_v<Value>) return "no_value";
    if constexpr (std::is_same_v<Value, float>) return "float";
    if constexpr (std::is_same_v<Value, double>) return "double";
    if constexpr (std::is_same_v<Value, std::int32_t>) return "int32";
    if constexpr (std::is_same_v<Value, std::uint32_t>) return "uint32";
    if constexpr (std::is_same_v<Value, std::uint64_t>) return "uint64";
    return "int64";
}

template <class Layout>
[[nodiscard]] std::string layout_name() {
    std::string all = Layout::name;
    for (char& letter : all)
        if (letter == '-') letter = '_';
    return all;
}

/// Typed tests over words or values, and over layouts.
struct value_names {
    template <class Value>
    static std::string GetName(int) {
        return value_name<Value>();
    }
};
struct layout_names {
    template <class Layout>
    static std::string GetName(int) {
        return layout_name<Layout>();
    }
};

} // namespace rhizome::tests
