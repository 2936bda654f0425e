// SPDX-License-Identifier: Apache-2.0
// From a file and a command line to a graph on its space.
#pragma once

#include <rhizome/cli/command.hpp>
#include <rhizome/cli/graph_statistics.hpp>
#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/runtime/catalogue.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace rhizome::cli {

struct graph_session {
    std::unique_ptr<runtime::any_graph> session;
    runtime::graph_choice options;   ///< what was asked for, and what a stored graph says
    std::string value_type;          ///< stored_type_name of the weights in the file; "": it has none
    bool has_vertex_weights = false; ///< or sizes: the session keeps neither
    io::graph_format const* format = nullptr; ///< of the file; nullptr: there is none
    bool has_times = false;                   ///< so do the edges in the file; the session does not keep them
    std::string counts_from_one;              ///< where vertex v has the number v + 1: "METIS files"; or ""
    io::vertex_names names = {};              ///< of the vertices in the file; empty: they are numbered there
    double read_ms = 0;                       ///< the file, on the host
    double build_ms = 0;                      ///< the graph, from the edges in memory
    std::optional<edge_statistics> file_statistics; ///< of the edges as they are in the file, if asked for
};

/// Whether edges have weights.
[[nodiscard]] inline bool keeps_weights(runtime::graph_choice const& options) {
    return options.values != runtime::value_type::none;
}

/// What becomes of weights of edges.
enum class edge_weights { drop, keep_those_there, give_to_all };

/// Reads the file, of any format, and builds its graph as the options say. A file of an undirected graph
/// gives two arcs an edge under --directed. A file of a directed graph makes the graph directed without
/// --directed; a stored one also says whether it has in-arcs and refuses self-loops. The session has weights
/// if they are to be kept and the file has any, or if all edges get some: 1 where the file has none. Throws
/// what readers and sessions throw; io::file_error for weights that are kept, but are no numbers that a
/// double holds exactly.
[[nodiscard]] graph_session load_graph(command_context& context, std::string const& path,
                                       edge_weights weights = edge_weights::drop);
/// The same without weights, and with file_statistics. A stored graph is read twice.
[[nodiscard]] graph_session load_graph_with_statistics(command_context& context, std::string const& path);

/// What a command says of a graph when its file has been read, but the graph not been opened.
struct graph_wishes {
    edge_weights weights = edge_weights::drop;
    std::uint64_t heap_bytes_ahead = 0; ///< that later batches will need; --heap-bytes overrules it
    bool statistics = false;            ///< the result has file_statistics
};
/// The vertices in a file that was read.
struct vertices_in_file {
    std::uint64_t count = 0;
    io::vertex_names const& names; ///< empty: the file numbers them
    bool count_from_one = false;   ///< then vertex v has the number v + 1 there, not v
};
/// The same, where that depends on the vertices in the file.
using graph_decision = std::function<graph_wishes(vertices_in_file const& vertices)>;
[[nodiscard]] graph_session load_graph(command_context& context, std::string const& path,
                                       graph_decision const& decide);

/// What info says of the file: its format, what the columns of an edge list hold, and from which number it
/// counts its vertices (null if they have names).
[[nodiscard]] nlohmann::ordered_json file_json(graph_session const& graph);
[[nodiscard]] std::string file_text(graph_session const& graph);

/// What the file calls a vertex; where it only numbers them, the id.
[[nodiscard]] std::string name_of(graph_session const& graph, std::uint64_t vertex);
/// The same as one word of a line, in quotes where that is necessary (io/name_text.hpp).
[[nodiscard]] std::string name_word_of(graph_session const& graph, std::uint64_t vertex);
/// The same for people: as io::shown() prints it, and short.
[[nodiscard]] std::string shown_name_of(graph_session const& graph, std::uint64_t vertex);

/// A graph without edges.
[[nodiscard]] graph_session empty_graph(command_context& context, std::uint64_t vertex_count,
                                        graph_wishes const& wishes);

/// Space, device, allocator, layout, kind; vertices, edges, arcs; times.
[[nodiscard]] nlohmann::ordered_json to_json(graph_session const& graph);

/// The file and the numbers of vertices, edges and arcs: a line of text.
[[nodiscard]] std::string size_text(graph_session const& graph, std::string const& path);

/// What to_json() has as three or four lines of text, before the results of a command; "" with --quiet.
[[nodiscard]] std::string head_text(command_context const& context, graph_session const& graph,
                                    std::string const& path);

} // namespace rhizome::cli
