// SPDX-License-Identifier: Apache-2.0
// Weights of edges as text from which the same weights are read back.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/stored_numbers.hpp>
#include <rhizome/io/text_writer.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

namespace rhizome::io {

/// Writes the weights of a file. A weight of a real type has a point or an exponent, which tells it from a
/// whole number.
class weight_text {
public:
    /// Values of a type that is not known are whole if all of them are. Readers take whole numbers up to
    /// 2^53, so larger ones make all of them real. `file` must outlive this object. Cost: linear in the
    /// edges.
    explicit weight_text(graph_file const& file)
        : file_(file),
          are_whole_((file.value_type.empty() || with_integer_type(file.value_type, [](auto) {})) &&
                     std::all_of(file.edge_values.begin(), file.edge_values.end(), [](double value) {
                         return std::trunc(value) == value &&
                                std::abs(value) <= static_cast<double>(largest_exact_number);
                     })) {}

    /// Returns whether edges have weights or values.
    [[nodiscard]] bool any() const { return !file_.edge_weights.empty() || !file_.edge_values.empty(); }

    /// Writes the weight of an edge. Precondition: any().
    void put(text_writer& text, std::size_t edge) const {
        if (file_.edge_values.empty()) {
            text.put_number(file_.edge_weights[edge]);
        } else if (are_whole_) {
            text.put_number(static_cast<std::int64_t>(file_.edge_values[edge]));
        } else {
            put_real(text, file_.edge_values[edge]);
        }
    }

private:
    static void put_real(text_writer& text, double value) {
        char digits[32];
        auto const end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        std::string_view const number(digits, static_cast<std::size_t>(end - digits));
        text.put(number);
        if (number.find_first_of(".e") == std::string_view::npos) text.put(".0");
    }

    graph_file const& file_;
    bool are_whole_;
};

} // namespace rhizome::io
