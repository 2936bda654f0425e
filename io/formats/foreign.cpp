// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/foreign.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::io {
namespace {

constexpr std::string_view blanks = " \t\r\n";

std::string_view behind_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    return text;
}

bool begins_with(std::string_view text, std::string_view lower_case) {
    if (text.size() < lower_case.size()) return false;
    return std::equal(lower_case.begin(), lower_case.end(), text.begin(), [](char wanted, char c) {
        return wanted == (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
    });
}

/// The text behind the word, if it begins with that word, in any case; else nothing.
std::optional<std::string_view> behind_word(std::string_view text, std::string_view word) {
    if (!begins_with(text, word)) return std::nullopt;
    text.remove_prefix(word.size());
    bool const ends = text.empty() || blanks.find(text.front()) != std::string_view::npos ||
                      text.front() == '{' || text.front() == '"' || text.front() == '/';
    return ends ? std::optional(behind_blanks(text)) : std::nullopt;
}

/// Passes over the lines that begin with this sign.
std::string_view behind_comments(std::string_view text, std::string_view sign) {
    for (text = behind_blanks(text); text.starts_with(sign); text = behind_blanks(text))
        text.remove_prefix(std::min(text.find('\n'), text.size()));
    return text;
}

std::string_view behind_dot_comments(std::string_view text) {
    for (std::size_t before = text.size() + 1; text.size() < before;) {
        before = text.size();
        text = behind_comments(behind_comments(text, "//"), "#");
        if (text.starts_with("/*")) {
            std::size_t const end = text.find("*/");
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 2);
        }
    }
    return text;
}

/// '[strict] graph|digraph [name] {'.
bool is_dot(std::string_view text) {
    text = behind_dot_comments(text);
    text = behind_word(text, "strict").value_or(text);
    auto behind = behind_word(text, "digraph");
    if (!behind) behind = behind_word(text, "graph");
    if (!behind) return false;
    text = *behind;
    if (text.starts_with('"')) {
        text.remove_prefix(std::min(text.find('"', 1), text.size() - 1) + 1);
    } else {
        text.remove_prefix(std::min(text.find_first_of(" \t\r\n{["), text.size()));
    }
    return behind_dot_comments(text).starts_with('{');
}

std::optional<foreign_kind> markup_kind(std::string_view text) {
    if (!text.starts_with('<')) return std::nullopt;
    constexpr std::size_t few = 4096;
    std::string_view const first = text.substr(0, few);
    if (first.find("<graphml") != first.npos) return foreign_kind{"a GraphML file", ""};
    if (first.find("<gexf") != first.npos) return foreign_kind{"a GEXF file", ""};
    if (begins_with(text, "<!doctype html") || begins_with(text, "<html"))
        return foreign_kind{"an HTML page", "it may be the page of a download that failed"};
    if (text.starts_with("<?xml")) return foreign_kind{"an XML file", ""};
    return std::nullopt;
}

/// Files of bytes, and a text that stands for such a file.
std::optional<foreign_kind> data_kind(std::string_view head) {
    if (head.starts_with("\x89HDF")) return foreign_kind{"an HDF5 file", ""};
    if (head.starts_with("PAR1")) return foreign_kind{"a Parquet file", ""};
    if (head.starts_with("\x93NUMPY")) return foreign_kind{"a NumPy file", ""};
    if (head.starts_with("%PDF-")) return foreign_kind{"a PDF file", ""};
    if (head.starts_with("version https://git-lfs"))
        return foreign_kind{"a pointer of Git LFS", "'git lfs pull' fetches the file that it stands for"};
    return std::nullopt;
}

std::optional<foreign_kind> archive_kind(std::string_view head) {
    constexpr std::size_t magic_of_tar = 257;
    constexpr std::string_view unpack = "unpack it, and name the file in it that holds the graph";
    constexpr std::string_view unpack_once = "unpack it once";
    if (head.size() > magic_of_tar && head.substr(magic_of_tar).starts_with("ustar"))
        return foreign_kind{"a tar archive", unpack};
    if (head.starts_with("PK\x03\x04")) return foreign_kind{"a ZIP archive", unpack};
    if (head.starts_with("Rar!\x1a")) return foreign_kind{"a RAR archive", unpack};
    if (head.starts_with("7z\xbc\xaf\x27\x1c")) return foreign_kind{"a 7z archive", unpack};
    if (head.starts_with("\x04\x22\x4d\x18")) return foreign_kind{"compressed by lz4", "unpack it"};
    if (head.starts_with("\x1f\x8b")) return foreign_kind{"compressed twice, inside by gzip", unpack_once};
    if (head.starts_with("BZh") && head.substr(3, 7).ends_with("1AY&SY"))
        return foreign_kind{"compressed twice, inside by bzip2", unpack_once};
    if (head.starts_with("\x28\xb5\x2f\xfd"))
        return foreign_kind{"compressed twice, inside by zstd", unpack_once};
    if (head.starts_with("\xfd"
                         "7zXZ"))
        return foreign_kind{"compressed twice, inside by xz", unpack_once};
    return std::nullopt;
}

/// The vertices of a line of graph6 or digraph6 from its first bytes, and how many bytes say so. Nothing if
/// they do not.
struct counted_vertices {
    std::uint64_t count = 0;
    std::size_t bytes = 1;
};
std::optional<counted_vertices> graph6_vertices(std::string_view line) {
    auto const bits = [&](std::size_t i) { return static_cast<std::uint64_t>(line[i]) - 63; };
    if (line.empty()) return std::nullopt;
    if (line[0] != '~') return counted_vertices{bits(0), 1};
    if (line.size() < 4 || line[1] == '~') return std::nullopt; // more vertices than a line of text holds
    return counted_vertices{bits(1) << 12 | bits(2) << 6 | bits(3), 4};
}

/// Whether the line is a graph in one of these three formats: bytes from 63 to 126, as many as it says.
bool is_graph6_line(std::string_view line) {
    bool const is_sparse = line.starts_with(':') || line.starts_with(';');
    bool const is_directed = line.starts_with('&');
    if (is_sparse || is_directed) line.remove_prefix(1);
    if (!std::all_of(line.begin(), line.end(), [](char c) { return c >= 63 && c <= 126; })) return false;
    auto const vertices = graph6_vertices(line);
    if (!vertices) return is_sparse && line.empty(); // ';' alone: no edge differs
    if (is_sparse) return true;
    constexpr std::uint64_t bits_of_byte = 6;
    std::uint64_t const n = vertices->count;
    std::uint64_t const bits = is_directed ? n * n : n == 0 ? 0 : n * (n - 1) / 2;
    return line.size() - vertices->bytes == (bits + bits_of_byte - 1) / bits_of_byte;
}

std::vector<std::string_view> first_lines(std::string_view head, std::size_t most) {
    std::vector<std::string_view> lines;
    while (!head.empty() && lines.size() < most) {
        std::size_t const end = std::min(head.find('\n'), head.size());
        std::string_view line = head.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!line.empty()) lines.push_back(line);
        head.remove_prefix(std::min(end + 1, head.size()));
    }
    return lines;
}

bool is_graph6(std::string_view head) {
    for (std::string_view const mark : {">>graph6<<", ">>sparse6<<", ">>digraph6<<"})
        if (head.starts_with(mark)) return true;
    constexpr std::size_t few = 16;
    std::vector<std::string_view> const lines = first_lines(head, few);
    return !lines.empty() && std::all_of(lines.begin(), lines.end(), is_graph6_line);
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (line = behind_blanks(line); !line.empty(); line = behind_blanks(line)) {
        words.push_back(line.substr(0, line.find_first_of(blanks)));
        line.remove_prefix(words.back().size());
    }
    return words;
}

bool is_whole_number(std::string_view word) {
    return word.find_first_not_of("0123456789") == std::string_view::npos;
}

/// '# name', then a line for each neighbour of that vertex: its name, and perhaps a weight. Lines of two
/// words might also be edges with comments between. They are neighbours only if there are two vertices or
/// more, and if not every line has two whole numbers.
bool is_lgl(std::string_view head) {
    constexpr std::size_t few = 200;
    if (!head.starts_with('#')) return false;
    bool has_vertex_behind = false; // behind neighbours
    bool has_neighbour = false;
    bool has_weight = false;
    bool may_be_edges = true;
    for (std::string_view const line : first_lines(head, few)) {
        std::vector<std::string_view> const words = words_of(line);
        if (words.empty()) continue;
        if (words.back().find_first_of(",;") != std::string_view::npos) return false; // cells of a table
        if (words.size() > 2) return false;
        if (words[0] == "#") {
            if (words.size() != 2) return false;
            has_vertex_behind |= has_neighbour;
            continue;
        }
        has_neighbour = true;
        may_be_edges &= words.size() == 2 && is_whole_number(words[0]) && is_whole_number(words[1]);
        if (words.size() == 1) continue;
        has_weight = true;
        if (words[1].find_first_not_of("+-.0123456789eE") != std::string_view::npos) return false;
    }
    return has_neighbour && !may_be_edges && (!has_weight || has_vertex_behind);
}

} // namespace

std::optional<foreign_kind> foreign_kind_of(std::string_view head) {
    if (auto const data = data_kind(head)) return data;
    if (auto const archive = archive_kind(head)) return archive;
    std::string_view const text = behind_blanks(head);
    if (auto const markup = markup_kind(text)) return markup;
    if (text.starts_with('{') || text.starts_with("[{") || text.starts_with("[["))
        return foreign_kind{"a JSON file", ""};
    std::string_view const pajek = behind_comments(text, "%");
    if (behind_word(pajek, "*vertices") || behind_word(pajek, "*network"))
        return foreign_kind{"a Pajek file", ""};
    if (is_dot(text)) return foreign_kind{"a DOT file", ""};
    for (std::string_view const word : {"adjacencygraph", "weightedadjacencygraph", "adjacencyhypergraph",
                                        "weightedadjacencyhypergraph", "edgearray"})
        if (behind_word(text, word)) return foreign_kind{"a Ligra file", ""};
    if (is_graph6(head)) return foreign_kind{"a graph6 or sparse6 file", ""};
    if (is_lgl(text)) return foreign_kind{"an LGL file", ""};
    return std::nullopt;
}

} // namespace rhizome::io
