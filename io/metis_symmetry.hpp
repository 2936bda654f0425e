// SPDX-License-Identifier: Apache-2.0
// Whether each edge of a METIS file stands in the lines of both its ends.
#pragma once

#include <rhizome/exec/host/parallel.hpp>
#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/metis_rows.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::io {

/// The rows of a block with their place in the file.
struct placed_rows {
    metis_rows rows;
    std::uint64_t first_vertex = 0;
    std::uint64_t line_before = 0; ///< the number of the line before the block
    std::uint64_t first_edge = 0;  ///< where the edges that these rows list forward begin in the file's edges
};

/// The arcs of all rows in numbers.
struct arc_summary {
    std::uint64_t arcs = 0;
    std::uint64_t loops = 0;
    std::uint64_t forward = 0; ///< to a vertex with a higher number
    /// Whether the arcs to lower vertices are the reverses of those to higher ones, weights included.
    bool is_symmetric = true;
};

/// Counts arcs, and sets first_edge of all parts. Compares the arcs of both directions by a sum of 64-bit
/// hashes with a random seed: arcs that are not symmetric pass with a probability of about 2^-64.
[[nodiscard]] arc_summary summarize_arcs(exec::thread_team& team, std::vector<placed_rows>& parts);

/// Fills in the edges and weights of the file: the arcs to the same or a higher vertex, in ascending order.
/// `count`: their number, as summarize_arcs() says.
void take_forward_arcs(exec::thread_team& team, std::vector<placed_rows> const& parts, std::uint64_t count,
                       graph_file& file);

/// Throws parse_error for the first edge that lacks its reverse or has another weight there. `file` holds the
/// forward arcs of `parts`. Returns if there is none.
void find_asymmetry(std::string const& name, std::vector<placed_rows> const& parts, graph_file const& file);

/// Adds the reverses that are missing, so that file has each edge of either direction once. Returns how many
/// were missing, and how many weights differed (the lower vertex's counts).
struct mended_arcs {
    std::uint64_t missing = 0;
    std::uint64_t weights = 0;
};
mended_arcs mend_asymmetry(std::vector<placed_rows> const& parts, graph_file& file);

} // namespace rhizome::io
