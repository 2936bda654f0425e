// SPDX-License-Identifier: Apache-2.0
// DIMACS .col files (2nd DIMACS Implementation Challenge: colouring and
// cliques).
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/formats/dimacs_problem.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>

#include <algorithm>
#include <limits>

namespace rhizome::io {
namespace {

bool is_kind(std::string_view kind) {
    return kind == "edge" || kind == "edges" || kind == "col" || kind == "max";
}

bool recognises(std::string_view head) { return is_kind(dimacs_kind(head)); }

/// Returns whether the line says something other than the graph: dimensions,
/// positions, bounds, colours.
bool is_extra_line(line_scanner const& lines) {
    char const letter = lines.peek();
    bool const known = letter == 'd' || letter == 'v' || letter == 'x' || letter == 's';
    return known && lines.peek_word().size() == 1;
}

constexpr char const* no_flows = "; files of maximum-flow problems are not read";

struct vertex_weight {
    std::uint64_t vertex;
    std::uint64_t weight;
};

struct lines_part {
    std::vector<graph::edge> edges;
    std::vector<vertex_weight> weights;
};

void read_lines(line_scanner& lines, std::uint64_t vertices, lines_part& part) {
    for (; !lines.at_end(); lines.next_line()) {
        if (lines.take("e")) {
            auto const u = static_cast<graph::vertex_id>(lines.number("a vertex", 1, vertices) - 1);
            auto const v = static_cast<graph::vertex_id>(lines.number("a vertex", 1, vertices) - 1);
            lines.expect_line_end("after 'e u v'");
            part.edges.push_back({std::min(u, v), std::max(u, v)});
        } else if (lines.take("n")) {
            std::uint64_t const v = lines.number("a vertex", 1, vertices);
            if (lines.peek_word() == "s" || lines.peek_word() == "t")
                lines.fail(std::string("a vertex weight") + no_flows);
            std::uint64_t const weight =
                lines.number("a vertex weight", 0, std::numeric_limits<std::uint64_t>::max());
            lines.expect_line_end("after 'n v x'");
            part.weights.push_back({v - 1, weight});
        } else if (!at_dimacs_comment(lines) && !is_extra_line(lines)) {
            lines.fail("an edge 'e u v', 'n v x', 'd ...', 'v ...', 'x ...', 's ...' "
                       "or a comment 'c ...'");
        }
    }
}

/// Gives each vertex a weight: 1 if no line 'n' says another. A few such lines below a problem line that
/// promises very many vertices must not make the reader allocate for all of them.
void give_weights(input const& from, dimacs_problem const& problem, std::vector<vertex_weight> const& weights,
                  graph_file& file) {
    constexpr std::uint64_t always_allowed = std::uint64_t{1} << 20;
    constexpr std::uint64_t vertices_per_line = 64;
    if (weights.empty()) return;
    if (problem.vertices > std::max<std::uint64_t>(always_allowed, weights.size() * vertices_per_line))
        throw parse_error(from.name(), problem.line,
                          std::to_string(problem.vertices) + " vertices, and lines 'n v x' for " +
                              std::to_string(weights.size()),
                          "such lines for one vertex in 64, or for none");
    file.weights_per_vertex = 1;
    file.vertex_weights.resize(problem.vertices, 1);
    for (auto const [vertex, weight] : weights)
        file.vertex_weights[vertex] = weight;
}

graph_file read(input& from, read_options const& options) {
    dimacs_problem const problem = read_dimacs_problem(from, is_kind, "a problem line 'p edge n m'");
    auto parsed = parse_blocks<lines_part>(from, options, [&](line_scanner& lines, lines_part& part) {
        read_lines(lines, problem.vertices, part);
    });
    graph_file file;
    file.vertex_count = problem.vertices;
    file.edges = join_parts(parsed.parts, &lines_part::edges);
    give_weights(from, problem, join_parts(parsed.parts, &lines_part::weights), file);
    std::uint64_t const listed = file.edges.size();
    std::sort(file.edges.begin(), file.edges.end());
    file.edges.erase(std::unique(file.edges.begin(), file.edges.end()), file.edges.end());
    // Published files count lines, edges, or both directions of edges that they
    // list once.
    std::uint64_t const edges = file.edges.size();
    bool const fits = problem.edges == listed || problem.edges == edges || problem.edges == 2 * edges;
    if (!fits) fail_dimacs_count(from, problem, listed, "edges");
    return file;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write DIMACS colouring");
    if (file.directed)
        throw std::invalid_argument("write DIMACS colouring: the format holds undirected graphs only");
    bool const weights = file.weights_per_vertex == 1 && file.vertex_weights.size() == file.vertex_count;
    packed_file output(path);
    text_writer text(output);
    auto const put_line = [&](std::string_view word, std::uint64_t first, std::uint64_t second) {
        text.put(word);
        text.put_number(first);
        text.put(' ');
        text.put_number(second);
        text.put('\n');
    };
    put_line("p edge ", file.vertex_count, file.edges.size());
    for (std::uint64_t v = 0; weights && v < file.vertex_count; ++v)
        put_line("n ", v + 1, file.vertex_weights[v]);
    for (graph::edge const& edge : file.edges)
        put_line("e ", edge.source + std::uint64_t{1}, edge.target + std::uint64_t{1});
    text.flush();
    output.commit();
}

} // namespace

constinit graph_format const formats::dimacs_colouring{.name = "dimacs-colouring",
                                                       .title = "DIMACS colouring",
                                                       .endings = ".col",
                                                       .recognises = recognises,
                                                       .read = read,
                                                       .write = write,
                                                       .holds_vertex_weights = true,
                                                       .counts_from_one = true};

} // namespace rhizome::io
