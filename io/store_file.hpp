// SPDX-License-Identifier: Apache-2.0
// Stored graphs, read into a graph_file and written from one.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/parallel_edges.hpp>

#include <functional>
#include <string>

namespace rhizome::io {

/// Reads a stored graph, also one that several ranks have saved in parts. If `with_values`, values of edges
/// become edge weights; they must then be whole numbers, 0 or more. `progress` is called with the share of
/// the file that was read, in [0, 1]. Throws what parts_reader throws; store_error for erased vertices;
/// file_error for values that are not whole numbers, 0 or more.
[[nodiscard]] graph_file read_stored_graph(std::string const& path, bool with_values = false,
                                           std::function<void(double)> const& progress = {});

/// As read_stored_graph(), with values of any number type: those of unsigned types become edge_weights, those
/// of other types edge_values. Throws file_error for values of other types, and for whole numbers beyond 2^53
/// of a signed type.
[[nodiscard]] graph_file read_stored_numbers(std::string const& path,
                                             std::function<void(double)> const& progress = {});

struct store_file_options {
    bool in_arcs = false;        ///< as in graph_options: a graph loaded from the file keeps them
    bool self_loops = true;      ///< false: a graph loaded from the file refuses them
    std::string value_type = {}; ///< stored_type_name for edge_values, if that type holds them exactly
    parallel_rule parallel = default_parallel_rule; ///< which of several parallel edges is stored
    std::function<void(double)> progress = {};      ///< called with the share that was written, in [0, 1]
};

/// Writes a stored graph, with the names of its vertices. edge_weights become values of type uint64;
/// edge_values get the type that type_for_numbers() chooses. Of parallel edges one is stored, as
/// options.parallel says. Vertex sizes and weights, and times of edges are left out, because the format has
/// none. The file is replaced when everything is written. Returns the number of edges in the file. Throws
/// file_error; std::invalid_argument if an endpoint is out of range, or edge_weights has the wrong length;
/// what merge_parallel_edges() throws. Cost: a sort, unless the edges are in ascending order; a copy of the
/// file, if it has parallel edges.
std::uint64_t write_stored_graph(std::string const& path, graph_file const& file,
                                 store_file_options const& options = {});

} // namespace rhizome::io
