// SPDX-License-Identifier: Apache-2.0
// Writers of edge lists.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <string>

namespace rhizome::io {

/// Write one line per edge, with names of vertices, weights and times where the graph has them. They throw
/// file_error; std::invalid_argument for a graph that the format cannot hold.

/// Comments as SNAP writes them, and words separated by tabs. Throws std::invalid_argument for names that
/// would not be one word.
void write_edge_list(std::string const& path, graph_file const& file);
/// A header line with the names of the columns, and commas. Vertices without edges are left out.
void write_csv(std::string const& path, graph_file const& file);
/// Vertices count from 1, whatever their names.
void write_konect(std::string const& path, graph_file const& file);

} // namespace rhizome::io
