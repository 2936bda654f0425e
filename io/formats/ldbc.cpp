// SPDX-License-Identifier: Apache-2.0
// LDBC Graphalytics graphs (Iosup et al.: "The LDBC Graphalytics Benchmark", section on data sets).
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/ldbc.hpp>
#include <rhizome/io/formats/plain_names.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/whole_weights.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

namespace rhizome::io {
namespace {

constexpr std::string_view properties_ending = ".properties";

/// A properties file of a graph has a line "graph.NAME.vertex-file = ..." behind comments and such lines.
bool recognises(std::string_view head) {
    std::string const no_name;
    for (line_scanner lines(no_name, {head, 1}); !lines.at_end(); lines.next_line()) {
        if (lines.at_line_end() || lines.peek() == '#' || lines.peek() == '!') continue;
        std::string_view const word = lines.peek_word();
        if (!word.starts_with("graph.") || word.find_first_of("-.", 6) == std::string_view::npos)
            return false;
        if (word.substr(0, word.find_first_of("=:")).ends_with("-file")) return true;
    }
    return false;
}

/// Returns the path of the properties beside a file of vertices or edges; "" for files of other names.
std::string properties_beside(std::string const& path) {
    std::string const plain = without_packing(path);
    if (!plain.ends_with(".v") && !plain.ends_with(".e")) return "";
    return plain.substr(0, plain.size() - 2).append(properties_ending);
}

bool recognises_path(std::string const& path) {
    std::string const properties = properties_beside(path);
    std::error_code error;
    return !properties.empty() && std::filesystem::is_regular_file(properties, error);
}

vertex_names read_vertices(input& from) {
    vertex_names names;
    line_block block;
    while (from.next_block(block)) {
        for (line_scanner lines(from.name(), block); !lines.at_end(); lines.next_line()) {
            if (lines.at_line_end()) continue;
            line_scanner const here = lines;
            std::uint64_t const id = lines.number("a vertex", 0, std::numeric_limits<std::uint64_t>::max());
            lines.expect_line_end("after the vertex");
            std::uint64_t const before = names.size();
            if (names.find_or_add(id) != before) here.fail("a vertex that is not in the file yet");
        }
    }
    return names;
}

struct edge_part {
    std::vector<graph::edge> edges;
    std::vector<std::int64_t> whole;
    std::vector<double> real;
};

graph::vertex_id take_vertex(line_scanner& lines, vertex_names const& names, std::string const& expected) {
    line_scanner const here = lines;
    std::uint64_t const id = lines.number("a vertex", 0, std::numeric_limits<std::uint64_t>::max());
    auto const vertex = names.find(id);
    if (!vertex) here.fail(expected);
    return *vertex;
}

void read_edges(line_scanner& lines, ldbc_properties const& properties, vertex_names const& names,
                edge_part& part) {
    using enum ldbc_properties::weight_type;
    std::string const expected = "a vertex of " + properties.vertex_file;
    for (; !lines.at_end(); lines.next_line()) {
        if (lines.at_line_end()) continue;
        graph::vertex_id const u = take_vertex(lines, names, expected);
        graph::vertex_id const v = take_vertex(lines, names, expected);
        if (properties.weights == whole) part.whole.push_back(read_whole_weight(lines));
        if (properties.weights == real) part.real.push_back(lines.real("a weight"));
        lines.expect_line_end(properties.weights == none ? "after 'u v'" : "after 'u v w'");
        part.edges.push_back(properties.directed ? graph::edge{u, v}
                                                 : graph::edge{std::min(u, v), std::max(u, v)});
    }
}

void check_count(input const& from, std::optional<std::uint64_t> expected, std::uint64_t found,
                 char const* what) {
    if (expected && *expected != found)
        throw file_error(from.name(), "holds " + std::to_string(found) + " " + what +
                                          ", the properties say " + std::to_string(*expected));
}

graph_file read(input& from, read_options const& options) {
    std::string const beside = properties_beside(from.name());
    if (!beside.empty()) {
        input properties(beside);
        properties.skip_byte_order_mark();
        return read(properties, options);
    }
    ldbc_properties const properties = read_ldbc_properties(from);
    if (!std::filesystem::exists(from.name()))
        throw file_error(from.name(), "names the files " + properties.vertex_file + " and " +
                                          properties.edge_file + ", which are looked for beside a file only");
    auto const folder = std::filesystem::path(from.name()).parent_path();
    input vertices((folder / properties.vertex_file).string());
    input edges((folder / properties.edge_file).string());
    return read_ldbc_graph(properties, vertices, edges, options);
}

/// Writes one file of the graph, line by line.
template <class Write>
void write_file(std::string const& path, Write&& write_lines) {
    packed_file output(path);
    text_writer text(output);
    write_lines(text);
    text.flush();
    output.commit();
}

/// Returns the name of the graph in the keys of its properties.
std::string name_in_keys(std::string name) {
    for (char& c : name)
        if (c == '=' || c == ':' || c == ' ' || c == '\t') c = '_';
    return name.empty() ? "graph" : name;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write LDBC");
    check_weights_are_exact(file, "write LDBC");
    if (file.names.is_text())
        throw file_error(path, "names of vertices are text, and LDBC files hold whole numbers, 0 or more");
    if (!path.ends_with(properties_ending))
        throw file_error(path,
                         "cannot write: the name of an LDBC graph ends in .properties; its files .v and "
                         ".e are written beside it");
    std::string const stem = path.substr(0, path.size() - properties_ending.size());
    std::string const name = std::filesystem::path(stem).filename().string();
    std::uint64_t const first = file.counts_from_one ? 1 : 0;
    auto const id = [&](std::uint64_t v) {
        return file.names.empty() ? v + first : file.names.number(static_cast<graph::vertex_id>(v));
    };
    write_file(stem + ".v", [&](text_writer& text) {
        for (std::uint64_t v = 0; v < file.vertex_count; ++v) {
            text.put_number(id(v));
            text.put('\n');
        }
    });
    bool const is_real = !file.edge_values.empty() && !with_integer_type(file.value_type, [](auto) {});
    write_file(stem + ".e", [&](text_writer& text) {
        for (std::size_t i = 0; i < file.edges.size(); ++i) {
            text.put_number(id(file.edges[i].source));
            text.put(' ');
            text.put_number(id(file.edges[i].target));
            if (!file.edge_weights.empty()) {
                text.put(' ');
                text.put_number(file.edge_weights[i]);
            } else if (!file.edge_values.empty()) {
                text.put(' ');
                if (is_real) text.put_number(file.edge_values[i]);
                if (!is_real) text.put_number(static_cast<std::int64_t>(file.edge_values[i]));
            }
            text.put('\n');
        }
    });
    write_file(path, [&](text_writer& text) {
        std::string const prefix = "graph." + name_in_keys(name) + ".";
        auto const put = [&](char const* key, std::string const& value) {
            text.put(prefix + key + " = " + value + "\n");
        };
        put("vertex-file", name + ".v");
        put("edge-file", name + ".e");
        put("meta.vertices", std::to_string(file.vertex_count));
        put("meta.edges", std::to_string(file.edges.size()));
        put("directed", file.directed ? "true" : "false");
        if (file.edge_weights.empty() && file.edge_values.empty()) return;
        put("edge-properties.names", "weight");
        put("edge-properties.types", is_real ? "real" : "int");
    });
}

} // namespace

graph_file read_ldbc_graph(ldbc_properties const& properties, input& vertices, input& edges,
                           read_options const& options) {
    graph_file file;
    vertices.skip_byte_order_mark();
    edges.skip_byte_order_mark();
    vertex_names names = read_vertices(vertices);
    check_count(vertices, properties.vertices, names.size(), "vertices");
    auto parsed = parse_blocks<edge_part>(edges, options, [&](line_scanner& lines, edge_part& part) {
        read_edges(lines, properties, names, part);
    });
    file.vertex_count = names.size();
    file.directed = properties.directed;
    file.edges = join_parts(parsed.parts, &edge_part::edges);
    check_count(edges, properties.edges, file.edges.size(), "edges");
    if (properties.weights == ldbc_properties::weight_type::whole)
        give_whole_weights(file, join_parts(parsed.parts, &edge_part::whole));
    if (properties.weights == ldbc_properties::weight_type::real) {
        file.edge_values = join_parts(parsed.parts, &edge_part::real);
        if (!file.edge_values.empty()) file.value_type = stored_type_name<double>;
    }
    give_names(file, std::move(names));
    return file;
}

constinit graph_format const formats::ldbc{.name = "ldbc",
                                           .title = "LDBC Graphalytics",
                                           .endings = ".properties",
                                           .recognises = recognises,
                                           .recognises_path = recognises_path,
                                           .read = read,
                                           .write = write,
                                           .holds_directed = true,
                                           .holds_names = true,
                                           .weights = weight_rule::real};

} // namespace rhizome::io
