// SPDX-License-Identifier: Apache-2.0
// The vertex lines of METIS files, as many at a time as a block of the file holds.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/parse_error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::io {

/// What the header of a METIS file says: 'n m [fmt [ncon]]'.
struct metis_header {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::uint64_t line = 0; ///< its number
    bool has_sizes = false;
    bool has_edge_weights = false;
    unsigned weights_per_vertex = 0;
};

/// The rows of the vertex lines in one block. Which vertices they belong to is known once the blocks before
/// are parsed.
struct metis_rows {
    /// A line that could not be read. The block ends with it.
    struct bad_line {
        parse_error error; ///< its line counts from the block's first
        std::string first_word;
        std::uint64_t column; ///< of the first word
    };

    std::vector<graph::vertex_id> targets; ///< row after row; ascending within a row
    std::vector<std::uint64_t> ends;       ///< row i has the targets ends[i - 1] to ends[i] - 1
    std::vector<std::uint64_t> weights;    ///< one per target if edges have weights, unless reals has them
    std::vector<double> reals;             ///< the weights of this block if one of them is no whole number
    std::vector<std::uint64_t> vertex_sizes;
    std::vector<std::uint64_t> vertex_weights;
    std::vector<std::uint64_t> comments;   ///< for each comment line, the number of rows before it
    std::vector<std::uint64_t> blank_rows; ///< rows of blank lines, where vertices have sizes or weights
    std::optional<bad_line> bad;
    std::uint64_t zeros = 0; ///< neighbours 0 that were left out

    [[nodiscard]] std::uint64_t rows() const { return ends.size(); }
    [[nodiscard]] std::uint64_t begin(std::uint64_t row) const { return row == 0 ? 0 : ends[row - 1]; }
    /// Returns the number of the row's line, counted from the block's first, from 1.
    [[nodiscard]] std::uint64_t line_of(std::uint64_t row) const;
};

/// Parses the lines of a block. `leaves_out_zeros`: neighbours 0 are left out, not refused. Does not throw
/// parse_error: rows.bad holds it.
void parse_metis_rows(line_scanner& lines, metis_header const& header, bool leaves_out_zeros,
                      metis_rows& rows);

} // namespace rhizome::io
