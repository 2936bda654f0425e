// SPDX-License-Identifier: Apache-2.0
// PACE .gr files (Parameterized Algorithms and Computational Experiments challenge: treewidth).
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/dimacs_problem.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>

#include <algorithm>

namespace rhizome::io {
namespace {

bool is_kind(std::string_view kind) { return kind == "tw"; }

bool recognises(std::string_view head) { return is_kind(dimacs_kind(head)); }

struct edge_part {
    std::vector<graph::edge> edges;
};

void read_edges(line_scanner& lines, std::uint64_t vertices, edge_part& part) {
    for (; !lines.at_end(); lines.next_line()) {
        if (at_dimacs_comment(lines)) continue;
        auto const u = static_cast<graph::vertex_id>(lines.number("a vertex", 1, vertices) - 1);
        auto const v = static_cast<graph::vertex_id>(lines.number("a vertex", 1, vertices) - 1);
        lines.expect_line_end("after 'u v'");
        part.edges.push_back({std::min(u, v), std::max(u, v)});
    }
}

graph_file read(input& from, read_options const& options) {
    dimacs_problem const problem = read_dimacs_problem(from, is_kind, "a problem line 'p tw n m'");
    auto parsed = parse_blocks<edge_part>(from, options, [&](line_scanner& lines, edge_part& part) {
        read_edges(lines, problem.vertices, part);
    });
    graph_file file;
    file.vertex_count = problem.vertices;
    file.edges = join_parts(parsed.parts, &edge_part::edges);
    if (file.edges.size() != problem.edges) fail_dimacs_count(from, problem, file.edges.size(), "edges");
    return file;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write PACE");
    if (file.directed) throw std::invalid_argument("write PACE: the format holds undirected graphs only");
    packed_file output(path);
    text_writer text(output);
    text.put("p tw ");
    text.put_number(file.vertex_count);
    text.put(' ');
    text.put_number(file.edges.size());
    text.put('\n');
    for (graph::edge const& edge : file.edges) {
        text.put_number(edge.source + std::uint64_t{1});
        text.put(' ');
        text.put_number(edge.target + std::uint64_t{1});
        text.put('\n');
    }
    text.flush();
    output.commit();
}

} // namespace

constinit graph_format const formats::pace{.name = "pace",
                                           .title = "PACE",
                                           .recognises = recognises,
                                           .read = read,
                                           .write = write,
                                           .counts_from_one = true};

} // namespace rhizome::io
