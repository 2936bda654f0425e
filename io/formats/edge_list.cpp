// SPDX-License-Identifier: Apache-2.0
// Edge lists: plain ones as of SNAP, KONECT, and tables with separators (CSV).
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/formats/edge_list_join.hpp>
#include <rhizome/io/formats/edge_list_part.hpp>
#include <rhizome/io/formats/edge_list_writer.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parse_error.hpp>

namespace rhizome::io {
namespace {

/// Returns where the first line begins that is no comment and not blank, or npos.
std::size_t first_edge_in(std::string_view head) {
    for (std::size_t at = 0; at < head.size();) {
        std::size_t const word = head.find_first_not_of(" \t\r", at);
        if (word == std::string_view::npos) return word;
        if (head[word] != '#' && head[word] != '%' && head[word] != '\n') return at;
        std::size_t const end = head.find('\n', word);
        if (end == std::string_view::npos) return end;
        at = end + 1;
    }
    return std::string_view::npos;
}

/// Looks at the first lines of a file: all comments before the first edge, its line, and as much behind it as
/// recognition sees of a file without comments. Cost: reads no more than twice that.
edge_list_layout layout_of(input& from, edge_list_dialect dialect, std::string const& columns) {
    for (std::size_t size = edge_list_head_bytes;; size *= 2) {
        std::string_view const head = from.head(size);
        bool const is_whole = head.size() < size;
        std::size_t const first = first_edge_in(head);
        bool const is_enough = first != std::string_view::npos &&
                               head.find('\n', first) != std::string_view::npos &&
                               (first == 0 || head.size() - first >= edge_list_head_bytes);
        if (is_whole || is_enough) return edge_list_layout_of(head, is_whole, dialect, columns);
    }
}

graph_file read_list(input& from, read_options const& options, edge_list_dialect dialect) {
    edge_list_layout const layout = layout_of(from, dialect, options.columns);
    if (layout.is_bipartite)
        throw file_error(from.name(), "is a bipartite KONECT file, whose two sides both count from 1; "
                                      "'sym' and 'asym' files are read");
    if (!layout.holds_instead.empty())
        throw file_error(from.name(), "holds " + layout.holds_instead + ", not a list of edges");
    std::string_view line;
    for (std::uint64_t i = 0; i < layout.lines_before; ++i)
        (void)from.next_line(line);
    auto parsed = parse_blocks<edge_list_part>(from, options, [&](line_scanner& lines, edge_list_part& part) {
        read_edge_list_lines(lines, layout, part);
    });
    graph_file file;
    file.directed = layout.directed.value_or(options.directed);
    file.guessed_times = layout.guesses_times;
    join_edge_list(from.name(), parsed.parts, layout, options.threads, file);
    if (layout.edges && *layout.edges != file.edges.size())
        throw parse_error(from.name(), layout.edges_line,
                          "a line '% m n n' with " + std::to_string(*layout.edges) + " edges",
                          std::to_string(file.edges.size()) + ", the number in the file");
    return file;
}

graph_file read_plain(input& from, read_options const& options) {
    return read_list(from, options, edge_list_dialect::plain);
}
graph_file read_konect(input& from, read_options const& options) {
    return read_list(from, options, edge_list_dialect::konect);
}
graph_file read_csv(input& from, read_options const& options) {
    return read_list(from, options, edge_list_dialect::csv);
}

} // namespace

constinit graph_format const formats::konect{.name = "konect",
                                             .title = "KONECT",
                                             .endings = ".konect",
                                             .recognises = begins_as_konect,
                                             .read = read_konect,
                                             .write = write_konect,
                                             .has_columns = true,
                                             .holds_directed = true,
                                             .holds_times = true,
                                             .weights = weight_rule::real};

constinit graph_format const formats::csv{.name = "csv",
                                          .title = "CSV",
                                          .endings = ".csv",
                                          .recognises = begins_as_csv,
                                          .has_marks = false,
                                          .read = read_csv,
                                          .write = write_csv,
                                          .has_columns = true,
                                          .holds_directed = true,
                                          .holds_names = true,
                                          .holds_times = true,
                                          .weights = weight_rule::real};

constinit graph_format const formats::edge_list{.name = "edge-list",
                                                .title = "edge list",
                                                .endings = ".txt .el .wel .edges .edgelist .tsv",
                                                .recognises = begins_as_edge_list,
                                                .has_marks = false,
                                                .read = read_plain,
                                                .write = write_edge_list,
                                                .has_columns = true,
                                                .holds_directed = true,
                                                .holds_names = true,
                                                .holds_times = true,
                                                .weights = weight_rule::real};

} // namespace rhizome::io
