// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/line_scanner.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/stream_format.hpp>
#include <rhizome/io/time_text.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace rhizome::io {
namespace {

constexpr std::array<std::pair<stream_format, std::string_view>, 3> all_names{
    {{stream_format::updates, "updates"},
     {stream_format::graphbolt, "graphbolt"},
     {stream_format::temporal, "temporal"}}};

bool is_number(std::string_view word) {
    return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

/// By its first line. A time as the third word says that the first two name vertices, unless only the second
/// is a number: 'x 1 2' is a damaged update.
stream_format format_of(std::string_view line) {
    std::vector<std::string> words = edge_list_cells(line, ' ');
    words.resize(std::max<std::size_t>(words.size(), 3));
    std::string const& first = words[0];
    std::string const& second = words[1];
    std::string const& third = words[2];
    if (first == "a" || first == "d") return stream_format::graphbolt;
    if (first == "+" || first == "-") return stream_format::updates;
    bool const names_two = is_number(first) || !is_number(second);
    bool const is_temporal = (is_number(first) && is_number(second) && !third.empty()) ||
                             (names_two && time_in(third).has_value());
    return is_temporal ? stream_format::temporal : stream_format::updates;
}

/// Whether a comment is the first line of a file of KONECT: '% sym positive', the kind of network and that of
/// the weights. Takes the percent sign then.
bool take_konect_sign(line_scanner& words) {
    line_scanner behind = words;
    (void)behind.word();
    std::string_view const kind = behind.peek_word();
    return (kind == "sym" || kind == "asym" || kind == "bip") && words.take("%");
}

bool has_time(std::vector<edge_column> const& columns) {
    return std::find(columns.begin(), columns.end(), edge_column::time) != columns.end();
}

/// Whether the line may be an edge 'u v t ...' with its time.
bool may_be_edge(std::vector<std::string> const& cells) {
    return cells.size() > 2 && cells[2].find_first_of("0123456789") != std::string::npos;
}

/// The comments of a stream before its first line that is none.
struct stream_comments {
    /// A header that names columns is short, and one of the last comments.
    void add(std::string_view line) {
        constexpr std::size_t longest = 4096;
        constexpr std::size_t most = 64;
        if (line.size() > longest) return;
        if (kept.size() == most) kept.erase(kept.begin());
        kept.emplace_back(line);
    }
    std::vector<std::string> kept;
};

/// Finds names of columns: in a comment, or in the first line itself. `line`: its number. Returns whether the
/// first line is a header.
bool read_names(std::string const& file, std::string_view first, std::uint64_t line,
                stream_comments const& comments, stream_syntax& syntax) {
    std::vector<std::string> const cells = edge_list_cells(first, ' ');
    for (char const separator : {',', ';'})
        if (cells.size() == 1 && edge_list_cells(first, separator).size() > 1)
            throw parse_error(file, line, std::string("columns with '") + separator + "' between them",
                              "spaces or tabs between the columns of a stream");
    std::vector<std::string_view> const texts(comments.kept.begin(), comments.kept.end());
    std::vector<edge_column> named = edge_columns_in_comments(texts, ' ', cells.size());
    bool is_header = false;
    if (named.empty() && !may_be_edge(cells)) {
        named = edge_columns_called(cells);
        is_header = !named.empty();
    }
    if (named.empty()) return false;
    if (!has_time(named))
        throw parse_error(file, line, "a list of edges whose header names no column 'time'",
                          "an update stream, or a list with times");
    syntax.columns = std::move(named);
    syntax.has_names = true;
    return is_header;
}

} // namespace

std::string_view stream_format_name(stream_format format) {
    for (auto const& [each, name] : all_names)
        if (each == format) return name;
    return "";
}

std::vector<std::string> stream_format_names() {
    std::vector<std::string> names;
    for (auto const& [each, name] : all_names)
        names.emplace_back(name);
    return names;
}

std::optional<stream_format> stream_format_named(std::string_view wanted) {
    for (auto const& [each, name] : all_names)
        if (name == wanted) return each;
    return std::nullopt;
}

stream_syntax recognise_stream(input& from, std::optional<stream_format> wanted) {
    from.skip_byte_order_mark();
    stream_syntax syntax;
    bool is_first = true;
    stream_format found = stream_format::updates;
    bool const may_be_temporal = wanted.value_or(stream_format::temporal) == stream_format::temporal;
    stream_comments comments;
    std::uint64_t number = 0;
    bool is_header = false;
    (void)from.find_line([&](std::string_view line) {
        line_scanner words(from.name(), {line, ++number});
        if (words.at_line_end()) return false;
        bool const may_be_header = std::exchange(is_first, false);
        char const first = words.peek();
        if (may_be_header && take_konect_sign(words)) {
            syntax.konect = true;
            if (words.word() == "bip" && may_be_temporal)
                throw parse_error(from.name(), 1, "a bipartite network of KONECT",
                                  "one kind of vertices ('% sym' or '% asym')");
            syntax.is_dynamic = words.peek_word() == "dynamic";
            syntax.has_weights = words.peek_word() != "unweighted" && !syntax.is_dynamic;
        }
        if (first == '#' || first == '%') {
            line.remove_prefix(line.find(first));
            comments.add(line);
            return false;
        }
        syntax.has_lines = true;
        found = syntax.konect ? stream_format::temporal : format_of(line);
        bool const is_signed = found == stream_format::graphbolt || first == '+' || first == '-';
        if (may_be_temporal && !(is_signed && !wanted))
            is_header = read_names(from.name(), line, number, comments, syntax);
        if (syntax.has_names) found = stream_format::temporal;
        return true;
    });
    if (is_header) {
        std::string_view line;
        for (; number > 0; --number)
            (void)from.next_line(line);
    }
    syntax.format = wanted.value_or(found);
    syntax.konect = syntax.konect && syntax.format == stream_format::temporal;
    syntax.is_dynamic = syntax.is_dynamic && syntax.konect;
    using enum edge_column;
    if (syntax.columns.empty() && syntax.konect) syntax.columns = {source, target, weight, time};
    if (syntax.columns.empty()) syntax.columns = {source, target, time};
    return syntax;
}

} // namespace rhizome::io
