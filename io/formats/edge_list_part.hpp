// SPDX-License-Identifier: Apache-2.0
// The edges of a block of an edge list, before vertices have their ids.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/vertex_names.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::io {

/// Edges whose ends are named by numbers below 2^32 or of 64 bits, or by text. The first name that does not
/// fit changes the kind of all.
struct edge_list_part {
    enum class kind { short_numbers, numbers, text };

    kind names_are = kind::short_numbers;
    std::vector<graph::edge> edges;          ///< of short numbers; of text: of vertices of `names`
    std::vector<std::uint64_t> ends;         ///< of numbers: source and target of each edge in turn
    vertex_names names;                      ///< of text
    std::uint64_t least = ~std::uint64_t{0}; ///< of the numbers
    std::uint64_t most = 0;

    std::vector<std::int64_t> whole_weights; ///< of the edges up to the first weight that is not whole
    std::vector<double> real_weights;        ///< instead, if any weight is not whole
    bool has_real_weights = false;
    std::vector<std::int64_t> times;
    std::uint64_t rounded_times = 0; ///< those that had a fraction

    void add(std::uint64_t source, std::uint64_t target) {
        least = std::min({least, source, target});
        most = std::max({most, source, target});
        if (names_are == kind::short_numbers && most <= ~std::uint32_t{0}) {
            edges.push_back({static_cast<graph::vertex_id>(source), static_cast<graph::vertex_id>(target)});
        } else {
            add_beyond_short(source, target);
        }
    }
    void add(std::string_view source, std::string_view target);

    /// Makes `names` hold the names, in the order in which they appear, and `edges` its vertices.
    void name_by_text();
    /// Makes `ends` hold the numbers. Precondition: no name is text.
    void widen();

private:
    void add_beyond_short(std::uint64_t source, std::uint64_t target);
};

/// Reads all lines of a block. Throws parse_error.
void read_edge_list_lines(line_scanner const& lines, edge_list_layout const& layout, edge_list_part& part);

} // namespace rhizome::io
