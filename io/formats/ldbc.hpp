// SPDX-License-Identifier: Apache-2.0
// LDBC Graphalytics graphs: NAME.properties says what the files of vertices and edges hold.
#pragma once

#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/input.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace rhizome::io {

/// What NAME.properties says.
struct ldbc_properties {
    enum class weight_type { none, whole, real };

    std::string vertex_file; ///< relative to the folder of the properties
    std::string edge_file;
    bool directed = false;
    weight_type weights = weight_type::none;
    std::optional<std::uint64_t> vertices; ///< counts, if the file has them
    std::optional<std::uint64_t> edges;
};

/// Reads NAME.properties. Throws parse_error.
[[nodiscard]] ldbc_properties read_ldbc_properties(input& from);

/// Reads the graph from the files of vertices and edges that the properties name. Throws parse_error.
[[nodiscard]] graph_file read_ldbc_graph(ldbc_properties const& properties, input& vertices, input& edges,
                                         read_options const& options);

} // namespace rhizome::io
