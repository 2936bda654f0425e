// SPDX-License-Identifier: Apache-2.0
// MatrixMarket coordinate files: sparse matrices, read as the adjacency matrices of graphs.
#include <rhizome/io/formats/blocks.hpp>
#include <rhizome/io/formats/check_graph.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/packed_file.hpp>
#include <rhizome/io/text_writer.hpp>
#include <rhizome/io/whole_weights.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace rhizome::io {
namespace {

constexpr std::string_view banner = "%%MatrixMarket";

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](char x, char y) { return lower(x) == lower(y); });
}

bool recognises(std::string_view head) { return same_word(head.substr(0, banner.size()), banner); }

enum class field { pattern, integer, real };
enum class symmetry { general, symmetric, skew_symmetric };

struct matrix_header {
    field values = field::pattern;
    symmetry shape = symmetry::general;
    std::uint64_t vertices = 0;
    std::uint64_t entries = 0;
    std::uint64_t size_line = 0; ///< its number
    std::uint64_t last_line = 0; ///< that of the last line before the entries
};

struct entries {
    std::vector<graph::edge> edges;
    std::vector<std::int64_t> whole_values;
    std::vector<double> real_values;
    /// Of symmetric matrices: the lines, from 1 on in the block, of the first entry above the diagonal and of
    /// the first one below; 0: none.
    std::uint64_t line_above = 0;
    std::uint64_t line_below = 0;
    std::uint64_t lines = 0; ///< in the block
};

/// Takes the next word if it is this one, in any case.
bool take_word(line_scanner& line, std::string_view expected) {
    if (!same_word(line.peek_word(), expected)) return false;
    (void)line.word();
    return true;
}

void read_banner(input& from, matrix_header& header) {
    std::string_view text;
    bool const any = from.next_line(text);
    line_scanner line(from.name(), {any ? text : std::string_view(), 1});
    if (!take_word(line, banner)) line.fail("'%%MatrixMarket matrix coordinate ...'");
    if (!take_word(line, "matrix")) line.fail("'matrix'");
    if (!take_word(line, "coordinate")) line.fail("'coordinate', as graphs are sparse matrices");
    if (take_word(line, "integer")) {
        header.values = field::integer;
    } else if (take_word(line, "real")) {
        header.values = field::real;
    } else if (!take_word(line, "pattern")) {
        line.fail("'pattern', 'integer' or 'real'");
    }
    if (take_word(line, "symmetric")) {
        header.shape = symmetry::symmetric;
    } else if (header.values != field::pattern && take_word(line, "skew-symmetric")) {
        header.shape = symmetry::skew_symmetric;
    } else if (!take_word(line, "general")) {
        line.fail(header.values == field::pattern ? "'general' or 'symmetric'"
                                                  : "'general', 'symmetric' or 'skew-symmetric'");
    }
    line.expect_line_end("after the banner");
}

/// Whether the text is 'rows columns entries' of a square matrix.
bool is_square_size(std::string const& name, std::string_view text) {
    line_scanner line(name, {text, 1});
    std::array<std::string_view, 3> words;
    for (std::string_view& word : words)
        word = line.word();
    bool const are_numbers = std::all_of(words.begin(), words.end(), [](std::string_view word) {
        return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
    });
    return are_numbers && line.at_line_end() && words[0] == words[1];
}

/// The text behind the percent signs of a comment; "" for other lines.
std::string_view text_of_comment(std::string_view line) {
    std::size_t const sign = line.find_first_not_of(" \t");
    if (sign == line.npos || line[sign] != '%') return "";
    std::size_t const text = line.find_first_not_of('%', sign);
    return text == line.npos ? "" : line.substr(text);
}

/// Some published files have the size line in a comment. Takes all lines before the first entry if the last
/// comment with a size is this line, because the first line that is no comment has none.
bool take_commented_size_line(input& from, matrix_header& header) {
    std::uint64_t lines = 0;
    std::uint64_t size_line = 0;
    auto const first = from.find_line([&](std::string_view text) {
        line_scanner const line(from.name(), {text, 1});
        if (!line.at_line_end() && line.peek() != '%') return true;
        ++lines;
        if (is_square_size(from.name(), text_of_comment(text))) size_line = lines;
        return false;
    });
    if (size_line == 0 || (first && is_square_size(from.name(), *first))) return false;
    for (std::uint64_t number = 1; number <= lines; ++number) {
        std::string_view text;
        (void)from.next_line(text);
        if (number != size_line) continue;
        // Columns of messages are those of the comment.
        std::size_t const sign = text.size() - text_of_comment(text).size();
        std::string spaced(text);
        std::fill_n(spaced.begin(), sign, ' ');
        header.size_line = from.line_number();
        line_scanner line(from.name(), {spaced, header.size_line});
        header.vertices = line.number("the number of rows", 0, graph::no_vertex);
        (void)line.word();
        header.entries =
            line.number("the number of entries", 0, std::numeric_limits<std::uint64_t>::max() / 4);
    }
    header.last_line = from.line_number();
    return true;
}

void read_size_line(input& from, matrix_header& header) {
    if (take_commented_size_line(from, header)) return;
    std::string_view text;
    while (from.next_line(text)) {
        line_scanner line(from.name(), {text, from.line_number()});
        if (line.at_line_end() || line.peek() == '%') continue;
        header.vertices = line.number("the number of rows", 0, graph::no_vertex);
        std::uint64_t const columns = line.number("the number of columns", 0, graph::no_vertex);
        header.entries =
            line.number("the number of entries", 0, std::numeric_limits<std::uint64_t>::max() / 4);
        line.expect_line_end("after the size line 'rows columns entries'");
        header.size_line = header.last_line = from.line_number();
        if (columns != header.vertices)
            throw parse_error(from.name(), header.size_line,
                              "a matrix of " + std::to_string(header.vertices) + " rows and " +
                                  std::to_string(columns) + " columns",
                              "as many rows as columns: a graph has one of each per vertex");
        return;
    }
    throw parse_error(from.name(), from.line_number() + 1, 1, "the end of the file",
                      "a size line 'rows columns entries'");
}

template <field Values, symmetry Shape>
void read_entries(line_scanner& lines, std::uint64_t vertices, entries& part) {
    constexpr char const* behind =
        Values == field::pattern ? "after 'row column'" : "after 'row column value'";
    for (; !lines.at_end(); lines.next_line()) {
        if (lines.at_line_end()) continue;
        line_scanner const before = lines;
        auto const row = static_cast<graph::vertex_id>(lines.number("a row", 1, vertices) - 1);
        auto const column = static_cast<graph::vertex_id>(lines.number("a column", 1, vertices) - 1);
        if constexpr (Values == field::integer) part.whole_values.push_back(read_whole_weight(lines));
        if constexpr (Values == field::real) part.real_values.push_back(lines.real("a value"));
        lines.expect_line_end(behind);
        if constexpr (Shape == symmetry::symmetric) {
            std::uint64_t& first = row < column ? part.line_above : part.line_below;
            if (row != column && first == 0) first = before.line();
            part.edges.push_back({std::min(row, column), std::max(row, column)});
        } else {
            part.edges.push_back({row, column});
        }
        if constexpr (Shape == symmetry::skew_symmetric) {
            if (row == column)
                before.fail("an entry off the diagonal, as a skew-symmetric matrix has zeros there");
            part.edges.push_back({column, row});
            if constexpr (Values == field::integer) part.whole_values.push_back(-part.whole_values.back());
            if constexpr (Values == field::real) part.real_values.push_back(-part.real_values.back());
        }
    }
    if constexpr (Shape == symmetry::symmetric) part.lines = lines.line() - 1;
}

/// Throws parse_error if there are entries on both sides of the diagonal. `line`: the last one before the
/// blocks.
void check_one_triangle(std::string const& name, std::uint64_t line, std::vector<entries> const& parts) {
    std::uint64_t above = 0;
    std::uint64_t below = 0;
    for (entries const& part : parts) {
        if (above == 0 && part.line_above != 0) above = line + part.line_above;
        if (below == 0 && part.line_below != 0) below = line + part.line_below;
        line += part.lines;
    }
    if (above == 0 || below == 0) return;
    bool const above_first = above < below;
    throw parse_error(name, std::max(above, below),
                      above_first ? "an entry below the diagonal" : "an entry above the diagonal",
                      "entries in one triangle of a symmetric matrix: line " +
                          std::to_string(std::min(above, below)) +
                          (above_first ? " has one above" : " has one below"));
}

template <field Values>
auto* reader_of(symmetry shape) {
    if (shape == symmetry::symmetric) return &read_entries<Values, symmetry::symmetric>;
    if (shape == symmetry::skew_symmetric) return &read_entries<Values, symmetry::skew_symmetric>;
    return &read_entries<Values, symmetry::general>;
}

auto* reader_of(matrix_header const& header) {
    if (header.values == field::integer) return reader_of<field::integer>(header.shape);
    if (header.values == field::real) return reader_of<field::real>(header.shape);
    return reader_of<field::pattern>(header.shape);
}

graph_file read(input& from, read_options const& options) {
    matrix_header header;
    read_banner(from, header);
    read_size_line(from, header);
    auto const read_part = reader_of(header);
    auto parsed = parse_blocks<entries>(
        from, options, [&](line_scanner& lines, entries& part) { read_part(lines, header.vertices, part); });
    if (header.shape == symmetry::symmetric) check_one_triangle(from.name(), header.last_line, parsed.parts);
    graph_file file;
    file.vertex_count = header.vertices;
    file.directed = header.shape != symmetry::symmetric;
    file.edges = join_parts(parsed.parts, &entries::edges);
    std::uint64_t const found = file.edges.size() / (header.shape == symmetry::skew_symmetric ? 2 : 1);
    if (found != header.entries)
        throw parse_error(from.name(), header.size_line,
                          "a size line with " + std::to_string(header.entries) + " entries",
                          std::to_string(found) + ", the number in the file");
    if (header.values == field::integer)
        give_whole_weights(file, join_parts(parsed.parts, &entries::whole_values));
    if (header.values == field::real) {
        file.edge_values = join_parts(parsed.parts, &entries::real_values);
        if (!file.edge_values.empty()) file.value_type = stored_type_name<double>;
    }
    return file;
}

field field_for(graph_file const& file) {
    if (!file.edge_weights.empty()) return field::integer;
    if (file.edge_values.empty()) return field::pattern;
    bool const whole = with_integer_type(file.value_type, [](auto) {});
    return whole ? field::integer : field::real;
}

void write(std::string const& path, graph_file const& file) {
    check_graph(file, "write MatrixMarket");
    check_weights_are_exact(file, "write MatrixMarket");
    field const values = field_for(file);
    packed_file output(path);
    text_writer text(output);
    text.put(banner);
    text.put(" matrix coordinate ");
    text.put(values == field::pattern ? "pattern" : values == field::integer ? "integer" : "real");
    text.put(file.directed ? " general\n" : " symmetric\n");
    text.put_number(file.vertex_count);
    text.put(' ');
    text.put_number(file.vertex_count);
    text.put(' ');
    text.put_number(file.edges.size());
    text.put('\n');
    for (std::size_t i = 0; i < file.edges.size(); ++i) {
        auto const [source, target] = file.edges[i];
        // A symmetric matrix is given by its lower triangle.
        text.put_number((file.directed ? source : std::max(source, target)) + std::uint64_t{1});
        text.put(' ');
        text.put_number((file.directed ? target : std::min(source, target)) + std::uint64_t{1});
        if (values != field::pattern) text.put(' ');
        if (!file.edge_weights.empty()) text.put_number(file.edge_weights[i]);
        if (!file.edge_values.empty() && values == field::integer)
            text.put_number(static_cast<std::int64_t>(file.edge_values[i]));
        if (values == field::real) text.put_number(file.edge_values[i]);
        text.put('\n');
    }
    text.flush();
    output.commit();
}

} // namespace

constinit graph_format const formats::matrix_market{.name = "matrix-market",
                                                    .title = "MatrixMarket",
                                                    .endings = ".mtx",
                                                    .recognises = recognises,
                                                    .read = read,
                                                    .write = write,
                                                    .holds_directed = true,
                                                    .counts_from_one = true,
                                                    .weights = weight_rule::real};

} // namespace rhizome::io
