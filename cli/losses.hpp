// SPDX-License-Identifier: Apache-2.0
// What a format of graph files has no place for.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/graph_format.hpp>

#include <cstdint>
#include <string>

namespace rhizome::cli {

/// Returns whether the edges have weights.
[[nodiscard]] inline bool has_edge_weights(io::graph_file const& file) {
    return !file.edge_weights.empty() || !file.edge_values.empty();
}

/// Says that so many times of edges have lost their fractions.
[[nodiscard]] std::string rounded_times_text(std::uint64_t count);

/// Returns what of the graph a file of that format leaves out, for a notice; "" where it leaves out nothing.
/// `left_out`: parallel edges that it lacks.
[[nodiscard]] std::string losses(io::graph_file const& file, io::graph_format const& to,
                                 std::uint64_t left_out);

} // namespace rhizome::cli
