// Stored graphs from and to what other formats are read into.
#pragma once

#include <rhizome/io/graph_file.hpp>

#include <functional>
#include <string>

namespace rhizome::io {

/// Reads a stored graph. Values of edges become edge weights if `with_values`; they must then be whole
/// numbers, 0 or more. `progress` is told the share that is read. Throws what store_reader throws;
/// store_error for erased vertices; file_error for values that are no weights.
[[nodiscard]] graph_file read_stored_graph(std::string const& path, bool with_values = false,
                                           std::function<void(double)> const& progress = {});

struct store_file_options {
    bool in_arcs = false;        ///< as of graph_options: whoever loads the file keeps them
    bool self_loops = true;      ///< false: whoever loads the file refuses them
    std::string value_type = {}; ///< stored_type_name for edge_values, where it holds them exactly
    std::function<void(double)> progress = {}; ///< is told the share that is written
};

/// Writes the graph as a stored one, with edge weights as values of type uint64, edge_values as the type that
/// type_for_numbers() names; replaces the file when all is written. Of parallel edges the last one counts.
/// Vertex sizes and weights have no place in the format. The number of edges that the file holds. Throws
/// file_error; std::invalid_argument if an endpoint is out of range, or edge_weights has the wrong length.
/// Cost: a sort, where the edges are not in order.
std::uint64_t write_stored_graph(std::string const& path, graph_file const& file,
                                 store_file_options const& options = {});

} // namespace rhizome::io
