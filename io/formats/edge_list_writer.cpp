// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/edge_list_writer.hpp>
#include <rhizome/io/formats/weight_text.hpp>
#include <rhizome/io/name_text.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/text_writer.hpp>

#include <algorithm>
#include <stdexcept>

namespace rhizome::io {
namespace {

void check(graph_file const& file, char const* writer) {
    check_graph(file, writer);
    check_weights_are_exact(file, writer);
    auto const demand = [&](bool holds, char const* what) {
        if (!holds) throw std::invalid_argument(std::string(writer) + ": " + what);
    };
    demand(file.edge_times.empty() || file.edge_times.size() == file.edges.size(),
           "edge_times must hold one time an edge");
    demand(file.names.empty() || file.names.size() == file.vertex_count, "names must hold one name a vertex");
}

bool has_weights(graph_file const& file) { return !file.edge_weights.empty() || !file.edge_values.empty(); }

void put_edges(text_writer& text, graph_file const& file, char separator) {
    weight_text const weights(file);
    std::uint64_t const first = file.counts_from_one ? 1 : 0;
    auto const put_vertex = [&](graph::vertex_id vertex) {
        if (file.names.empty())
            text.put_number(vertex + first);
        else if (file.names.is_text())
            text.put(name_word(file.names.name(vertex)));
        else
            text.put_number(file.names.number(vertex));
    };
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        put_vertex(file.edges[i].source);
        text.put(separator);
        put_vertex(file.edges[i].target);
        if (weights.any()) {
            text.put(separator);
            weights.put(text, i);
        }
        if (!file.edge_times.empty()) {
            text.put(separator);
            text.put_number(file.edge_times[i]);
        }
        text.put('\n');
    }
}

/// Writes the names of the columns.
void put_columns(text_writer& text, graph_file const& file, char separator) {
    text.put("source");
    text.put(separator);
    text.put("target");
    for (auto const& [is_there, name] :
         {std::pair(has_weights(file), "weight"), std::pair(!file.edge_times.empty(), "time")})
        if (is_there) {
            text.put(separator);
            text.put(name);
        }
    text.put('\n');
}

} // namespace

void write_edge_list(std::string const& path, graph_file const& file) {
    check(file, "write edge list");
    packed_file output(path);
    text_writer text(output);
    // Comments tell the file from METIS, and keep vertices without edges and the number of the first.
    text.put("# ");
    if (file.names.empty()) {
        text.put("Nodes: ");
        text.put_number(file.vertex_count);
        text.put(' ');
    }
    text.put("Edges: ");
    text.put_number(file.edges.size());
    text.put(file.names.empty() && file.counts_from_one ? " First: 1\n# " : "\n# ");
    if (file.directed) text.put("Directed\n# ");
    put_columns(text, file, '\t');
    put_edges(text, file, '\t');
    text.flush();
    output.commit();
}

void write_csv(std::string const& path, graph_file const& file) {
    check(file, "write CSV");
    packed_file output(path);
    text_writer text(output);
    put_columns(text, file, ',');
    put_edges(text, file, ',');
    text.flush();
    output.commit();
}

void write_konect(std::string const& path, graph_file const& file) {
    check(file, "write KONECT");
    bool const positive =
        std::all_of(file.edge_weights.begin(), file.edge_weights.end(), [](auto w) { return w > 0; }) &&
        std::all_of(file.edge_values.begin(), file.edge_values.end(), [](double w) { return w > 0; });
    packed_file output(path);
    text_writer text(output);
    text.put(file.directed ? "% asym " : "% sym ");
    text.put(!has_weights(file) ? "unweighted" : positive ? "posweighted" : "weighted");
    text.put("\n% ");
    text.put_number(file.edges.size());
    for (int i = 0; i < 2; ++i) {
        text.put(' ');
        text.put_number(file.vertex_count);
    }
    text.put('\n');
    weight_text const weights(file);
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        text.put_number(file.edges[i].source + std::uint64_t{1});
        text.put(' ');
        text.put_number(file.edges[i].target + std::uint64_t{1});
        if (weights.any()) {
            text.put(' ');
            weights.put(text, i);
        } else if (!file.edge_times.empty()) {
            text.put(" 1"); // the time is the fourth column
        }
        if (!file.edge_times.empty()) {
            text.put(' ');
            text.put_number(file.edge_times[i]);
        }
        text.put('\n');
    }
    text.flush();
    output.commit();
}

} // namespace rhizome::io
