// SPDX-License-Identifier: Apache-2.0
// Weights of edges that are whole numbers and may be negative.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Takes a weight from -2^53 to 2^53, which a double holds exactly. Throws parse_error for others.
inline std::int64_t read_whole_weight(line_scanner& lines) {
    constexpr auto largest = static_cast<std::int64_t>(largest_exact_number);
    return lines.signed_number("a weight", -largest, largest);
}

/// Gives the file one weight per edge: edge_weights if all are 0 or more, otherwise edge_values of type
/// int64.
inline void give_whole_weights(graph_file& file, std::vector<std::int64_t> const& weights) {
    if (std::any_of(weights.begin(), weights.end(), [](std::int64_t weight) { return weight < 0; })) {
        file.edge_values.assign(weights.begin(), weights.end());
        file.value_type = stored_type_name<std::int64_t>;
    } else {
        file.edge_weights.assign(weights.begin(), weights.end());
    }
}

} // namespace rhizome::io
