// SPDX-License-Identifier: Apache-2.0
// The files beside a DIMACS9 graph: coordinates of its vertices, and queries for shortest paths.
#pragma once

#include <rhizome/graph/types.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/input.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::io {

/// A place on the map, in the unit of the file; in the published road networks 10^-6 degrees of longitude
/// and latitude.
struct map_point {
    std::int64_t x = 0;
    std::int64_t y = 0;
    friend bool operator==(map_point const&, map_point const&) = default;
};

/// Reads a `.co` file: one point per vertex, vertex 0 first. Throws parse_error if the file departs from the
/// format, or has no or two points for a vertex. Memory: 32 bytes per vertex.
[[nodiscard]] std::vector<map_point> read_coordinates(input& from, read_options const& options = {});
/// The same for a file of this name, plain or compressed; "-" is standard input. Throws file_error, too.
[[nodiscard]] std::vector<map_point> read_coordinates(std::string const& path,
                                                      read_options const& options = {});

/// Reads an `.ss` file: the sources from which all shortest paths are wanted, in the order of the file, from
/// 0. Throws parse_error, and for a path file_error.
[[nodiscard]] std::vector<graph::vertex_id> read_source_queries(input& from,
                                                                read_options const& options = {});
[[nodiscard]] std::vector<graph::vertex_id> read_source_queries(std::string const& path,
                                                                read_options const& options = {});

/// Reads a `.p2p` file: the pairs between which a shortest path is wanted, in the order of the file, from 0.
/// Throws parse_error, and for a path file_error.
[[nodiscard]] std::vector<graph::edge> read_pair_queries(input& from, read_options const& options = {});
[[nodiscard]] std::vector<graph::edge> read_pair_queries(std::string const& path,
                                                         read_options const& options = {});

} // namespace rhizome::io
