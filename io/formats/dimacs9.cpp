// SPDX-License-Identifier: Apache-2.0
// DIMACS9 .gr files (9th DIMACS Implementation Challenge: shortest paths).
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/dimacs_problem.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/whole_weights.hpp>

#include <cmath>

namespace rhizome::io {
namespace {

bool is_kind(std::string_view kind) { return kind == "sp"; }

bool recognises(std::string_view head) { return is_kind(dimacs_kind(head)); }

struct arcs {
    std::vector<graph::edge> edges;
    std::vector<std::int64_t> weights;
};

void read_arcs(line_scanner& lines, std::uint64_t vertices, arcs& part) {
    for (; !lines.at_end(); lines.next_line()) {
        if (lines.take("a")) {
            std::uint64_t const source = lines.number("a source", 1, vertices);
            std::uint64_t const target = lines.number("a target", 1, vertices);
            part.weights.push_back(read_whole_weight(lines));
            lines.expect_line_end("after 'a u v w'");
            part.edges.push_back(
                {static_cast<graph::vertex_id>(source - 1), static_cast<graph::vertex_id>(target - 1)});
        } else if (!at_dimacs_comment(lines)) {
            lines.fail("an arc 'a u v w' or a comment 'c ...'");
        }
    }
}

graph_file read(input& from, read_options const& options) {
    dimacs_problem const problem = read_dimacs_problem(from, is_kind, "a problem line 'p sp n m'");
    auto parsed = parse_blocks<arcs>(
        from, options, [&](line_scanner& lines, arcs& part) { read_arcs(lines, problem.vertices, part); });
    graph_file file;
    file.vertex_count = problem.vertices;
    file.directed = true;
    file.edges = join_parts(parsed.parts, &arcs::edges);
    if (file.edges.size() != problem.edges) fail_dimacs_count(from, problem, file.edges.size(), "arcs");
    give_whole_weights(file, join_parts(parsed.parts, &arcs::weights));
    return file;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write DIMACS9");
    check_weights_are_exact(file, "write DIMACS9");
    for (double const value : file.edge_values)
        if (std::trunc(value) != value || std::abs(value) > static_cast<double>(largest_exact_number))
            throw std::invalid_argument("write DIMACS9: weights are whole numbers up to 2^53");
    packed_file output(path);
    text_writer text(output);
    std::uint64_t arcs = file.edges.size();
    if (!file.directed)
        for (graph::edge const& edge : file.edges)
            arcs += edge.source == edge.target ? 0 : 1;
    text.put("p sp ");
    text.put_number(file.vertex_count);
    text.put(' ');
    text.put_number(arcs);
    text.put('\n');
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        auto const put_arc = [&](std::uint64_t source, std::uint64_t target) {
            text.put("a ");
            text.put_number(source + 1);
            text.put(' ');
            text.put_number(target + 1);
            text.put(' ');
            if (!file.edge_values.empty()) {
                text.put_number(static_cast<std::int64_t>(file.edge_values[i]));
            } else {
                text.put_number(file.edge_weights.empty() ? std::uint64_t{1} : file.edge_weights[i]);
            }
            text.put('\n');
        };
        auto const [source, target] = file.edges[i];
        put_arc(source, target);
        if (!file.directed && source != target) put_arc(target, source);
    }
    text.flush();
    output.commit();
}

} // namespace

constinit graph_format const formats::dimacs9{.name = "dimacs9",
                                              .title = "DIMACS9",
                                              .endings = ".gr",
                                              .recognises = recognises,
                                              .read = read,
                                              .write = write,
                                              .holds_directed = true,
                                              .counts_from_one = true,
                                              .weights = weight_rule::whole};

} // namespace rhizome::io
