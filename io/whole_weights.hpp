// Weights of edges that are whole numbers and may be negative.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/stored_numbers.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Collects one weight per edge while a file is read.
class whole_weights {
public:
    /// Takes a weight from -2^53 to 2^53, which a double holds exactly. Throws parse_error for others.
    void read(line_scanner& lines) { add(lines.signed_number("a weight", -largest, largest)); }

    void add(std::int64_t weight) {
        weights_.push_back(weight);
        any_negative_ = any_negative_ || weight < 0;
    }

    /// Moves them to edge_weights if all are 0 or more, otherwise to edge_values of type int64.
    void give_to(graph_file& file) {
        if (any_negative_) {
            file.edge_values.assign(weights_.begin(), weights_.end());
            file.value_type = stored_type_name<std::int64_t>;
        } else {
            file.edge_weights.assign(weights_.begin(), weights_.end());
        }
        weights_ = {};
    }

private:
    static constexpr auto largest = static_cast<std::int64_t>(largest_exact_number);

    std::vector<std::int64_t> weights_;
    bool any_negative_ = false;
};

} // namespace rhizome::io
