// Weights of edges as text from which the same weights are read back.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/io/text_writer.hpp>

#include <charconv>
#include <cstdint>
#include <string_view>

namespace rhizome::io {

/// Writes the weight of an edge. A weight of a real type has a point or an exponent, which tells it from a
/// whole number. Precondition: the file has weights or values.
inline void put_edge_weight(text_writer& text, graph_file const& file, std::size_t edge) {
    if (file.edge_values.empty()) {
        text.put_number(file.edge_weights[edge]);
        return;
    }
    double const value = file.edge_values[edge];
    if (with_integer_type(file.value_type, [](auto) {})) {
        text.put_number(static_cast<std::int64_t>(value));
        return;
    }
    char digits[32];
    auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    std::string_view const number(digits, static_cast<std::size_t>(end - digits));
    text.put(number);
    if (number.find_first_of(".e") == std::string_view::npos) text.put(".0");
}

} // namespace rhizome::io
