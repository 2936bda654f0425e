// SPDX-License-Identifier: Apache-2.0
// From the parts of an edge list to a graph whose vertices have ids from 0 on.
#pragma once

#include <rhizome/io/formats/edge_list_part.hpp>
#include <rhizome/io/graph_file.hpp>

#include <string>
#include <vector>

namespace rhizome::io {

/// Joins the parts, in their order, and gives the vertices their ids and `file.names`.
/// - Numbers get ids in ascending order. If the layout counts the vertices, and the numbers are below that
///   count, or from 1 to it, they are ids already, and vertices without edges are vertices too.
/// - Text gets ids in the order in which it appears.
/// Edges have the smaller end first unless file.directed. `threads`: as in read_options. Throws file_error,
/// with this path, for too many vertices. Cost: linear in the edges, if numbers are not spread widely.
void join_edge_list(std::string const& path, std::vector<edge_list_part>& parts,
                    edge_list_layout const& layout, unsigned threads, graph_file& file);

} // namespace rhizome::io
