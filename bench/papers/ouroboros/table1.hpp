// SPDX-License-Identifier: Apache-2.0
// The graphs of Table 1 of the Ouroboros paper: real files where there are any, stand-ins otherwise.
#pragma once

#include <rhizome/bench/graphs/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::bench {

/// In the order of the table.
[[nodiscard]] std::vector<std::string> const& table1_names();

/// Where a graph is to come from if the user does not say: "file" if there is one and the graph has at most
/// `most_arcs` arcs, else "stand-in".
[[nodiscard]] std::string table1_source(std::string const& name, std::uint64_t most_arcs);

/// The graph, undirected and simple: from its file, without directions and self-loops, or its stand-in of the
/// published size, scaled down to about `most_arcs` arcs. `source`: "file" or "stand-in".
/// Throws std::runtime_error where there is no file, or one with another number of vertices or edges than the
/// manifest states; io::parse_error and io::file_error as the readers do.
[[nodiscard]] graph_input table1_input(std::string const& name, std::string const& source,
                                       std::uint64_t most_arcs, std::uint64_t seed);

} // namespace rhizome::bench
