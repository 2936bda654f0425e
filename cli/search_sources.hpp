// SPDX-License-Identifier: Apache-2.0
// The vertices that a search starts from, as --source names them.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/cli/graph_session.hpp>
#include <rhizome/graph/types.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::cli {

[[nodiscard]] option_text source_option();

/// The words of --source, which commas separate. Throws usage_error if a word is empty.
[[nodiscard]] std::vector<std::string> source_words(arguments const& args);

/// Numbers of vertices, counted from 0, of a graph that is not known yet. Throws usage_error for other words.
[[nodiscard]] std::vector<graph::vertex_id> source_numbers(std::vector<std::string> const& words);

/// The vertices with these names in the file, or with these numbers if the file does not name its vertices.
/// Throws usage_error for a word that is no vertex of the graph.
[[nodiscard]] std::vector<graph::vertex_id> find_sources(std::vector<std::string> const& words,
                                                         graph_session const& graph, std::string const& path);

/// [{"vertex": 3}, ...], with "name" if the file names its vertices.
[[nodiscard]] nlohmann::ordered_json sources_json(std::vector<graph::vertex_id> const& sources,
                                                  graph_session const& graph);
/// "from vertex 3", "from 2 vertices"
[[nodiscard]] std::string sources_text(std::vector<graph::vertex_id> const& sources,
                                       graph_session const& graph);

/// Edges of the vertices that a search reached, per second: `arcs` leave them, an undirected edge is two.
[[nodiscard]] double edges_per_second(graph_session const& graph, std::uint64_t arcs, double ms);

} // namespace rhizome::cli
