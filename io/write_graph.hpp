// SPDX-License-Identifier: Apache-2.0
// Writes graph files of any format.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/store_file.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace rhizome::io {

/// Returns the format that the ending of a file's name means: .rhz is a stored graph, .graph and .metis are
/// METIS, .gr is DIMACS9 and so on, also compressed (.graph.gz, ...); nullptr for other endings. Throws
/// file_error for a stored graph that is to be compressed.
[[nodiscard]] graph_format const* format_by_name(std::string const& path);

/// Throws file_error, naming the edge, unless the format can hold all weights. `weights`: one for each edge,
/// or none.
void check_weights(std::string const& path, graph_format const& format, std::span<graph::edge const> edges,
                   std::span<double const> weights);

/// Writes a file of that format, and returns the number of edges in it. Throws what the writers throw, and
/// file_error for a directed graph in a format for undirected graphs only, or weights that the format cannot
/// hold.
std::uint64_t write_graph(std::string const& path, graph_format const& format, graph_file const& file,
                          store_file_options const& options = {});

} // namespace rhizome::io
