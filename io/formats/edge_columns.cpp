// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/name_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace rhizome::io {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && is_blank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// Whether what a file is recognised by is all of it.
bool is_whole_file(std::string_view head) { return head.size() < edge_list_head_bytes; }

bool is_comment(std::string_view line) { return line.starts_with('#') || line.starts_with('%'); }

/// `is_whole`: the head is all of the file.
std::vector<std::string_view> lines_of(std::string_view head, bool is_whole) {
    std::vector<std::string_view> lines;
    while (!head.empty()) {
        std::size_t const end = head.find('\n');
        if (end == std::string_view::npos && !is_whole) break; // the rest of the line is not here
        std::string_view line = head.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(trimmed(line));
        head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    }
    return lines;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    Number value{};
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_number(std::string_view text) {
    std::optional<double> const value = number_in<double>(text);
    return value && std::isfinite(*value);
}

/// Also for 'nan', 'inf' and '1e999': names of columns do not look like these.
bool looks_like_number(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error != std::errc::invalid_argument && stop == text.data() + text.size();
}

std::string lower_case(std::string text) {
    for (char& c : text)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text;
}

/// What a column with this name in a header holds; `skipped` for unknown names.
edge_column column_called(std::string const& name) {
    using enum edge_column;
    constexpr std::array<std::pair<std::string_view, edge_column>, 23> known{{
        {"source", source},  {"from", source},   {"src", source},   {"fromnodeid", source},
        {"u", source},       {"node1", source},  {"start", source}, {"target", target},
        {"to", target},      {"dst", target},    {"dest", target},  {"tonodeid", target},
        {"v", target},       {"node2", target},  {"end", target},   {"weight", weight},
        {"w", weight},       {"value", weight},  {"time", time},    {"t", time},
        {"timestamp", time}, {"unixtime", time}, {"unixts", time},
    }};
    std::string const wanted = lower_case(name);
    for (auto const& [each, column] : known)
        if (each == wanted) return column;
    return skipped;
}

std::vector<edge_column> columns_called(std::vector<std::string> const& names) {
    std::vector<edge_column> columns;
    for (std::string const& name : names)
        columns.push_back(column_called(name));
    return columns;
}

/// Whether both ends are there once, and weight and time at most once.
bool are_complete(std::vector<edge_column> const& columns) {
    auto const count = [&](edge_column what) { return std::count(columns.begin(), columns.end(), what); };
    return count(edge_column::source) == 1 && count(edge_column::target) == 1 &&
           count(edge_column::weight) <= 1 && count(edge_column::time) <= 1;
}

/// Whether all commas stand between digits: '0,5'.
bool are_decimal_commas(std::string_view line) {
    auto const is_digit = [&](std::size_t i) { return i < line.size() && line[i] >= '0' && line[i] <= '9'; };
    bool any = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != ',') continue;
        if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) return false;
        any = true;
    }
    return any;
}

/// Whether the line is 'u v 0,5': two cells without a comma between blanks, and a number with one.
bool has_decimal_comma_third(std::string_view line) {
    std::vector<std::string> const cells = edge_list_cells(line, ' ');
    return cells.size() > 2 && cells[0].find(',') == std::string::npos &&
           cells[1].find(',') == std::string::npos &&
           std::count(cells[2].begin(), cells[2].end(), ',') == 1 && are_decimal_commas(cells[2]);
}

/// What separates the columns of a line. A comma may also be the decimal point of a number, and a tab
/// separates what has commas in it: 'Doe, John' TAB 'Roe, Jane'.
char separator_of(std::string_view line, edge_list_dialect dialect) {
    if (dialect == edge_list_dialect::konect) return ' ';
    char const by_blanks = dialect == edge_list_dialect::csv ? '\t' : ' ';
    bool in_quotes = false;
    bool comma = false;
    bool semicolon = false;
    bool tab = false; // between two cells of which none ends in a comma or semicolon
    auto const is_cell = [&](std::size_t i) {
        return i < line.size() && std::string_view(" \t,;").find(line[i]) == std::string_view::npos;
    };
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"') in_quotes = !in_quotes;
        if (in_quotes) continue;
        comma |= line[i] == ',';
        semicolon |= line[i] == ';';
        tab |= line[i] == '\t' && i > 0 && is_cell(i - 1) && is_cell(i + 1);
    }
    if (!comma && !semicolon) return by_blanks;
    if (tab) return by_blanks;
    if (comma && semicolon) return are_decimal_commas(line) ? ';' : ',';
    if (semicolon) return ';';
    return has_decimal_comma_third(line) ? by_blanks : ',';
}

constexpr std::int64_t least_seconds = 100'000'000;

/// A third column holds times if its numbers are whole and look like times: seconds since 1970 from 1973 on,
/// or 16 or more different ones that never decrease.
bool are_times(std::vector<std::vector<std::string>> const& rows) {
    constexpr std::size_t enough = 16;
    bool ascend = true;
    bool seconds = true;
    std::int64_t before = 0;
    std::set<std::int64_t> different;
    for (auto const& cells : rows) {
        std::optional<std::int64_t> const number = number_in<std::int64_t>(cells[2]);
        if (!number) return false;
        seconds &= *number >= least_seconds;
        ascend &= *number >= before;
        before = *number;
        if (different.size() < enough) different.insert(*number);
    }
    return !rows.empty() && (seconds || (ascend && different.size() == enough));
}

/// The first line of a file that NetworKit's SNAPGraphWriter has written: 'p n m u u 0'. It always has these
/// letters and 0: u stands for undirected and for unweighted, 0 for the number of the first vertex.
struct networkit_line {
    std::uint64_t vertices = 0;
    bool directed = false;
};

std::optional<networkit_line> networkit_line_in(std::vector<std::string> const& cells) {
    if (cells.size() != 6 || cells[0] != "p" || cells[5] != "0") return std::nullopt;
    std::optional<std::uint64_t> const vertices = number_in<std::uint64_t>(cells[1]);
    bool const has_letters = (cells[3] == "u" || cells[3] == "d") && (cells[4] == "u" || cells[4] == "w");
    if (!vertices || !number_in<std::uint64_t>(cells[2]) || !has_letters) return std::nullopt;
    return networkit_line{*vertices, cells[3] == "d"};
}

/// The first lines of a list.
struct list_head {
    std::vector<std::string_view> comments;
    std::vector<std::string> header; ///< the cells of a line with the names of columns
    std::vector<std::vector<std::string>> rows;
    std::uint64_t lines_before = 0;
    std::uint64_t second_comment_line = 0;
    bool is_matrix_market = false;         ///< the first line is the banner of that format
    std::optional<networkit_line> problem; ///< takes the place of a header
    char separator = ' ';
};

std::vector<edge_column> columns_in_comment(list_head const& head, std::size_t count) {
    return edge_columns_in_comments(head.comments, head.separator, count);
}

/// Whether the first row names columns instead of being an edge. A damaged edge must not look like names.
bool is_header(list_head const& head) {
    auto const& rows = head.rows;
    if (rows.empty() || rows[0].size() < 2) return false;
    std::vector<std::string> const& first = rows[0];
    if (looks_like_number(first[0]) || looks_like_number(first[1])) return false;
    if (!columns_in_comment(head, first.size()).empty()) return false;
    std::vector<edge_column> const called = columns_called(first);
    bool const in_table = head.separator != ' '; // words of a plain list may be vertices
    if (in_table && are_complete(called)) return true;
    auto const heads_numbers = [&](std::size_t column) {
        return rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](auto const& cells) {
                   return column < cells.size() && is_number(cells[column]);
               });
    };
    if (heads_numbers(0) && heads_numbers(1)) return true;
    if (are_complete(called)) { // the ends need not be the first columns
        auto const is_end = [](edge_column column) {
            return column == edge_column::source || column == edge_column::target;
        };
        for (std::size_t i = 0; i < called.size(); ++i)
            if (is_end(called[i]) && !heads_numbers(i)) return false;
        return true;
    }
    bool const names_third =
        first.size() > 2 && (called[2] == edge_column::weight || called[2] == edge_column::time);
    return names_third && heads_numbers(2);
}

/// Whether all rows have the same number of cells, two named ends, and numbers behind them.
bool are_edges(std::vector<std::vector<std::string>> const& rows) {
    return std::all_of(rows.begin(), rows.end(), [&](std::vector<std::string> const& cells) {
        return cells.size() == rows[0].size() && cells.size() >= 2 && cells.size() <= 4 &&
               !cells[0].empty() && !cells[1].empty() &&
               std::all_of(cells.begin() + 2, cells.end(), is_number);
    });
}

/// Splits the lines, and takes the first one for a header if it is one.
void split_lines(std::vector<std::string_view> const& lines, char separator, bool may_have_header,
                 list_head& head) {
    head.separator = separator;
    head.rows.clear();
    head.header.clear();
    for (std::string_view const line : lines)
        head.rows.push_back(edge_list_cells(line, separator));
    if (!may_have_header || !is_header(head)) return;
    head.header = head.rows.front();
    head.rows.erase(head.rows.begin());
}

/// How many rows are edges, each for itself.
std::size_t count_edges(std::vector<std::vector<std::string>> const& rows) {
    return static_cast<std::size_t>(
        std::count_if(rows.begin(), rows.end(), [](auto const& cells) { return are_edges({cells}); }));
}

list_head read_head(std::string_view head, bool is_whole, edge_list_dialect dialect) {
    list_head result;
    result.is_matrix_market = lower_case(std::string(head.substr(0, 14))) == "%%matrixmarket";
    std::vector<std::string_view> lines; // of edges, or of names of columns
    std::uint64_t number = 0;
    for (std::string_view const line : lines_of(head, is_whole)) {
        ++number;
        if (line.empty() || is_comment(line)) {
            if (lines.empty() && !line.empty()) result.comments.push_back(line);
            if (result.comments.size() == 2 && result.second_comment_line == 0)
                result.second_comment_line = number;
            continue;
        }
        if (lines.empty() && !result.problem && dialect == edge_list_dialect::plain) {
            result.problem = networkit_line_in(edge_list_cells(line, ' '));
            if (result.problem) continue;
        }
        if (lines.empty()) result.lines_before = number - 1;
        lines.push_back(line);
    }
    if (lines.empty()) {
        result.lines_before = number;
        return result;
    }
    bool const may_have_header = dialect != edge_list_dialect::konect;
    split_lines(lines, separator_of(lines.front(), dialect), may_have_header, result);
    if (dialect == edge_list_dialect::plain && result.separator == ' ' && !are_edges(result.rows)) {
        // Blanks may stand in names: 'New York' TAB 'Boston'. Then more lines are edges if tabs separate
        // them.
        list_head by_tabs = result;
        split_lines(lines, '\t', may_have_header, by_tabs);
        if (count_edges(by_tabs.rows) > count_edges(result.rows)) result = std::move(by_tabs);
    }
    if (!result.header.empty()) ++result.lines_before;
    return result;
}

/// What the lines are instead of edges; "" if they are edges. Text that names columns says that they are.
std::string instead_of_edges(list_head const& head) {
    if (!head.comments.empty() && head.comments[0].starts_with('%') &&
        lower_case(std::string(head.comments[0])).find("matrixmarket") != std::string::npos)
        return head.is_matrix_market ? "a MatrixMarket file"
                                     : "a MatrixMarket file whose first line is not '%%MatrixMarket ...'";
    if (head.rows.empty() || !head.header.empty() || !columns_in_comment(head, head.rows[0].size()).empty())
        return "";
    constexpr std::string_view letters = "+-adepqsvnc"; // as lines of streams and DIMACS begin; c: a comment
    char letter = '\0';
    for (std::vector<std::string> const& cells : head.rows) {
        bool const has_letter =
            cells.size() > 1 && cells[0].size() == 1 && letters.find(cells[0]) != std::string_view::npos;
        if (!has_letter || (cells[0] != "c" && !is_number(cells[1]))) return "";
        if (letter == '\0' && is_number(cells[1])) letter = cells[0][0];
    }
    if (letter == '\0') return "";
    if (letter == '+' || letter == '-') return "an update stream";
    std::string const lines = std::string("lines that begin with '") + letter + "'";
    if (letter == 'a' || letter == 'd')
        return lines + ", as a GraphBolt stream or a DIMACS9 file without its line 'p sp n m'";
    return lines + ", as a DIMACS file without its line 'p ...'";
}

std::vector<edge_column> columns_of(list_head const& head, edge_list_dialect dialect) {
    using enum edge_column;
    if (std::vector<edge_column> named = columns_called(head.header); are_complete(named)) return named;
    std::size_t const count = head.rows.empty() ? head.header.size() : head.rows.front().size();
    if (std::vector<edge_column> named = columns_in_comment(head, count); !named.empty()) return named;
    if (count >= 4) return {source, target, weight, time};
    if (count < 3) return {source, target};
    if (head.header.size() == 3 && column_called(head.header[2]) != skipped)
        return {source, target, column_called(head.header[2])};
    bool const all_have_three =
        std::all_of(head.rows.begin(), head.rows.end(), [](auto const& cells) { return cells.size() == 3; });
    bool const times = dialect != edge_list_dialect::konect && all_have_three && are_times(head.rows);
    return {source, target, times ? time : weight};
}

/// Whether no text names the column of times, the third of three, and no seconds since 1970 are in it.
bool third_holds_times_by_order(list_head const& head, std::vector<edge_column> const& columns) {
    using enum edge_column;
    bool const is_third = columns == std::vector<edge_column>{source, target, time};
    bool const is_named = (head.header.size() == 3 && column_called(head.header[2]) == time) ||
                          !columns_in_comment(head, columns.size()).empty();
    return is_third && !is_named && !head.rows.empty() &&
           number_in<std::int64_t>(head.rows.front()[2]).value_or(0) < least_seconds;
}

/// Reads comments as SNAP and our writer write them: '# Nodes: n Edges: m First: 1', '# Directed graph ...'.
/// Other programs count edges in different ways, so that 'Edges: m' is not checked.
void read_comments(std::vector<std::string_view> const& comments, edge_list_layout& layout) {
    for (std::string_view const comment : comments) {
        std::vector<std::string> const words = edge_list_cells(comment.substr(1), ' ');
        if (words.empty()) continue;
        if (words.size() == 1 || words[1].starts_with("graph")) {
            if (words[0] == "Directed") layout.directed = true;
            if (words[0] == "Undirected") layout.directed = false;
        }
        for (std::size_t i = 0; i + 1 < words.size(); ++i) {
            if (words[i] == "Nodes:" && !layout.vertices)
                layout.vertices = number_in<std::uint64_t>(words[i + 1]);
            if (words[i] == "First:") layout.counts_from_one = words[i + 1] == "1";
        }
    }
}

/// Reads '% sym unweighted' and '% m n n'.
void read_konect_header(list_head const& head, edge_list_layout& layout) {
    std::vector<std::string> const kind = edge_list_cells(head.comments[0].substr(1), ' ');
    layout.is_bipartite = !kind.empty() && kind[0] == "bip";
    layout.counts_from_one = true;
    layout.directed = !kind.empty() && kind[0] == "asym";
    if (kind.size() > 1 && kind[1] == "unweighted")
        std::replace(layout.columns.begin(), layout.columns.end(), edge_column::weight, edge_column::skipped);
    if (head.comments.size() < 2) return;
    std::vector<std::string> const sizes = edge_list_cells(head.comments[1].substr(1), ' ');
    if (sizes.size() != 3 || sizes[1] != sizes[2]) return;
    layout.vertices = number_in<std::uint64_t>(sizes[1]);
    layout.edges = number_in<std::uint64_t>(sizes[0]);
    layout.edges_line = head.second_comment_line;
}

bool is_binary(std::string_view head) {
    return std::any_of(head.begin(), head.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f';
    });
}

/// The cells of the first line that is no comment.
std::vector<std::string> const& first_cells(list_head const& head) {
    return head.header.empty() && !head.rows.empty() ? head.rows[0] : head.header;
}

/// Whether a text begins as markup and programs do.
bool begins_with_bracket(std::vector<std::string> const& cells) {
    return !cells.empty() && !cells[0].empty() &&
           std::string_view("<{[*(").find(cells[0][0]) != std::string_view::npos;
}

} // namespace

std::vector<edge_column> edge_columns_named(std::string_view text) {
    std::vector<edge_column> columns;
    for (std::string const& name : edge_list_cells(text, ',')) {
        constexpr std::string_view letters = "uvwt-";
        std::size_t const which = name.size() == 1 ? letters.find(name[0]) : std::string_view::npos;
        if (which == std::string_view::npos)
            throw std::invalid_argument(io::quoted(name) +
                                        " names no column of an edge list: u, v, w, t or -");
        columns.push_back(static_cast<edge_column>(which));
    }
    if (!are_complete(columns))
        throw std::invalid_argument(io::quoted(text) +
                                    " must name the columns u and v once, and w and t at most once");
    return columns;
}

std::vector<edge_column> edge_columns_called(std::vector<std::string> const& names) {
    std::vector<edge_column> columns = columns_called(names);
    if (!are_complete(columns)) columns.clear();
    return columns;
}

std::vector<edge_column> edge_columns_in_comments(std::span<std::string_view const> comments, char separator,
                                                  std::size_t count) {
    for (std::size_t i = comments.size(); i > 0; --i)
        for (char const each : {' ', separator}) {
            std::vector<edge_column> named =
                edge_columns_called(edge_list_cells(comments[i - 1].substr(1), each));
            if (named.size() == count && !named.empty()) return named;
        }
    return {};
}

std::vector<std::string> edge_list_cells(std::string_view line, char separator) {
    std::vector<std::string> cells;
    std::size_t at = 0;
    auto const skip_blanks = [&] {
        while (at < line.size() && is_blank(line[at]) && (separator == ' ' || line[at] != separator))
            ++at;
    };
    for (skip_blanks(); at < line.size();) {
        std::string cell;
        if (line[at] == '"') {
            std::size_t const bytes = take_quoted_name(line.substr(at), cell);
            at = bytes == 0 ? line.size() : at + bytes;
        }
        std::size_t const begin = at;
        while (at < line.size() && (separator == ' ' ? !is_blank(line[at]) : line[at] != separator))
            ++at;
        cell += trimmed(line.substr(begin, at - begin));
        cells.push_back(std::move(cell));
        if (at == line.size()) break;
        ++at;
        skip_blanks();
        if (at == line.size() && separator != ' ') cells.emplace_back();
    }
    return cells;
}

edge_list_layout edge_list_layout_of(std::string_view text, bool is_whole, edge_list_dialect dialect,
                                     std::string_view columns) {
    list_head const head = read_head(text, is_whole, dialect);
    edge_list_layout layout;
    layout.separator = head.separator;
    layout.lines_before = head.lines_before;
    layout.columns = columns_of(head, dialect);
    layout.guesses_times = columns.empty() && third_holds_times_by_order(head, layout.columns);
    layout.has_more_columns =
        columns.empty() && !head.rows.empty() && head.rows.front().size() > layout.columns.size();
    if (dialect != edge_list_dialect::konect) {
        read_comments(head.comments, layout);
        if (head.problem) {
            layout.vertices = head.problem->vertices;
            layout.directed = head.problem->directed;
        }
    } else if (!head.comments.empty()) {
        read_konect_header(head, layout);
    }
    if (!columns.empty()) {
        layout.columns = edge_columns_named(columns);
    } else if (dialect != edge_list_dialect::konect) {
        layout.holds_instead = instead_of_edges(head);
    }
    return layout;
}

bool begins_as_konect(std::string_view head) {
    std::vector<std::string_view> const lines = lines_of(head, is_whole_file(head));
    if (lines.empty() || !lines[0].starts_with('%')) return false;
    std::vector<std::string> const words = edge_list_cells(lines[0].substr(1), ' ');
    if (words.empty()) return false;
    return words[0] == "bip" || (words.size() <= 2 && (words[0] == "sym" || words[0] == "asym"));
}

bool begins_as_csv(std::string_view text) {
    if (is_binary(text)) return false;
    list_head const head = read_head(text, is_whole_file(text), edge_list_dialect::csv);
    if (head.separator == '\t') return false; // blanks separate as well there
    std::vector<std::string> const& first = first_cells(head);
    if (first.size() < 2 || begins_with_bracket(first)) return false;
    if (are_complete(columns_called(head.header)))
        return std::all_of(head.rows.begin(), head.rows.end(),
                           [&](auto const& cells) { return cells.size() == first.size(); });
    return !head.rows.empty() && are_edges(head.rows) && first.size() == head.rows[0].size();
}

bool begins_as_edge_list(std::string_view text) {
    if (is_binary(text)) return false;
    list_head const head = read_head(text, is_whole_file(text), edge_list_dialect::plain);
    if (head.separator != ' ' && head.separator != '\t') return false;
    if (!instead_of_edges(head).empty()) return !may_be_metis(text); // for the message
    bool const has_marks = head.problem || (!head.comments.empty() && head.comments[0].starts_with('#'));
    if (has_marks) return true;
    std::size_t const lines = head.rows.size() + (head.header.empty() ? 0 : 1);
    return lines > 1 && are_edges(head.rows) && !may_be_metis(text);
}

bool resembles_csv(std::string_view text) {
    if (is_binary(text)) return false;
    list_head const head = read_head(text, is_whole_file(text), edge_list_dialect::csv);
    std::vector<std::string> const& first = first_cells(head);
    return head.separator != '\t' && first.size() > 1 && !begins_with_bracket(first);
}

bool resembles_edge_list(std::string_view text) {
    if (is_binary(text)) return false;
    list_head const head = read_head(text, is_whole_file(text), edge_list_dialect::plain);
    std::vector<std::string> const& first = first_cells(head);
    return first.size() > 1 && !begins_with_bracket(first);
}

bool resembles_ragged_list(std::string_view text) {
    if (is_binary(text)) return false;
    bool const is_whole = is_whole_file(text);
    list_head const head = read_head(text, is_whole, edge_list_dialect::plain);
    constexpr std::size_t few = 4;
    if (head.rows.size() < few || !head.header.empty() || head.separator != ' ') return false;
    std::size_t others = 0; // lines that are not like the first
    for (std::vector<std::string> const& cells : head.rows)
        others += are_edges({head.rows[0], cells}) ? 0 : 1;
    constexpr std::size_t share = 10;
    // METIS has a line per vertex, perhaps a blank one; a damaged file lacks some.
    std::optional<std::uint64_t> const vertices = number_in<std::uint64_t>(head.rows[0][0]);
    auto const all_lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    bool const may_lack_lines =
        vertices && *vertices + 1 >= head.rows.size() && (!is_whole || *vertices <= 2 * all_lines);
    return others <= std::max<std::size_t>(1, head.rows.size() / share) && !may_lack_lines;
}

} // namespace rhizome::io
