#include <rhizome/io/formats/other_formats.hpp>
#include <rhizome/io/lower_case.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace rhizome::io {
namespace {

std::string_view without_blanks(std::string_view text) {
    std::size_t const begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

std::string_view first_line(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

/// By the bytes with which all such files begin.
std::string by_magic(std::string_view head) {
    using namespace std::string_view_literals;
    constexpr std::array<std::pair<std::string_view, char const*>, 13> known{{
        {"PK\x03\x04"sv, "a ZIP archive (or NumPy's .npz), which must be unpacked first"},
        {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive, which must be unpacked first"},
        {"Rar!"sv, "a RAR archive, which must be unpacked first"},
        {"\x04\x22\x4d\x18"sv, "compressed with lz4, which must be unpacked first"},
        {"\x1f\x8b"sv, "compressed twice, with gzip inside"},
        {"BZh"sv, "compressed twice, with bzip2 inside"},
        {"\x28\xb5\x2f\xfd"sv, "compressed twice, with zstd inside"},
        {"\xfd"
         "7zXZ"sv,
         "compressed twice, with xz inside"},
        {"\x89HDF"sv, "an HDF5 file"},
        {"PAR1"sv, "a Parquet file"},
        {"\x93NUMPY"sv, "a NumPy file"},
        {"%PDF"sv, "a PDF file"},
        {"version https://git-lfs"sv, "a pointer of Git LFS, not the file itself"},
    }};
    for (auto const& [magic, what] : known)
        if (head.starts_with(magic)) return what;
    constexpr std::size_t tar_mark = 257;
    if (head.size() > tar_mark + 5 && head.substr(tar_mark, 5) == "ustar")
        return "a tar archive, which must be unpacked first";
    return "";
}

std::string by_tag(std::string_view head) {
    std::string_view const text = without_blanks(head);
    if (!text.starts_with('<')) return "";
    std::string const lower = lower_case(text);
    if (lower.find("<graphml") != std::string::npos) return "a GraphML file";
    if (lower.find("<gexf") != std::string::npos) return "a GEXF file";
    if (lower.starts_with("<!doctype html") || lower.starts_with("<html"))
        return "a page of the web (HTML), perhaps an error page instead of a download";
    return lower.starts_with("<?xml") ? "an XML file" : "";
}

/// Graphviz: [strict] (graph | digraph) [name] {
bool is_dot(std::string_view head) {
    std::string const lower = lower_case(without_blanks(head));
    std::string_view text = lower;
    while (text.starts_with("//") || text.starts_with("/*")) {
        std::string_view const end = text.starts_with("//") ? "\n" : "*/";
        std::size_t const at = text.find(end);
        if (at == std::string_view::npos) return false;
        text = without_blanks(text.substr(at + end.size()));
    }
    auto const take = [&](std::string_view word) {
        if (!text.starts_with(word) || text.size() == word.size()) return false;
        if (std::string_view(" \t\r\n{\"").find(text[word.size()]) == std::string_view::npos) return false;
        text = without_blanks(text.substr(word.size()));
        return true;
    };
    (void)take("strict");
    if (!take("graph") && !take("digraph")) return false;
    std::size_t const brace = text.find('{');
    return brace != std::string_view::npos && text.substr(0, brace).find('\n') == std::string_view::npos &&
           text.substr(0, brace).find('[') == std::string_view::npos;
}

/// graph6, digraph6 and sparse6 (McKay), one graph per line. Without their header, a line of graph6 is known
/// by its length: a byte for n vertices, up to 62 here, and six pairs of vertices in each further one.
std::string six_bits(std::string_view head) {
    for (char const* const name : {"graph6", "digraph6", "sparse6"})
        if (head.starts_with(">>" + std::string(name) + "<<")) return "a " + std::string(name) + " file";
    std::string_view const line = first_line(head);
    auto const is_body = [](std::string_view text) {
        return std::all_of(text.begin(), text.end(), [](char c) { return c >= 63 && c <= 126; });
    };
    if (line.size() < 2) return "";
    if (line[0] == ':' && is_body(line.substr(1))) return "a sparse6 file";
    auto const is_as_long = [&](std::string_view text, bool directed) {
        if (!is_body(text) || text[0] > 63 + 62) return false;
        std::size_t const n = static_cast<std::size_t>(text[0] - 63);
        std::size_t const pairs = directed ? n * n : n * (n - 1) / 2;
        return n >= 2 && text.size() == 1 + (pairs + 5) / 6;
    };
    if (line[0] == '&' && is_as_long(line.substr(1), true)) return "a digraph6 file";
    // Two bytes are a word like any other.
    return line.size() > 2 && is_as_long(line, false) ? "a graph6 file" : "";
}

/// LGL: '# vertex', and below it its neighbours, one per line, each with or without a weight.
bool is_lgl(std::string_view head) {
    std::size_t vertices = 0;
    bool has_neighbour = false;
    bool is_behind_neighbours = false;
    while (!head.empty()) {
        std::size_t const end = head.find('\n');
        if (end == std::string_view::npos) break; // the rest of the line may not be here
        std::string_view line = head.substr(0, end);
        head.remove_prefix(end + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty()) continue;
        bool const is_vertex = line.starts_with("# ");
        if (is_vertex) line.remove_prefix(2);
        if (line.empty() || line.find('\t') != std::string_view::npos) return false;
        auto const words = 1 + std::count(line.begin(), line.end(), ' ');
        if (is_vertex) {
            if (words != 1) return false;
            ++vertices;
            is_behind_neighbours |= has_neighbour;
        } else {
            if (vertices == 0 || words > 2) return false;
            has_neighbour = true;
        }
    }
    return vertices > 1 && is_behind_neighbours;
}

} // namespace

std::string other_format_of(std::string_view head) {
    if (std::string found = by_magic(head); !found.empty()) return found;
    if (std::string found = by_tag(head); !found.empty()) return found;
    if (lower_case(head.substr(0, 9)) == "*vertices") return "a Pajek file";
    if (head.starts_with("AdjacencyGraph") || head.starts_with("WeightedAdjacencyGraph"))
        return "a Ligra file";
    if (is_dot(head)) return "a DOT file (Graphviz)";
    if (std::string_view const text = without_blanks(head); text.starts_with('{') || text.starts_with("[{"))
        return "a JSON file";
    if (std::string found = six_bits(head); !found.empty()) return found;
    return is_lgl(head) ? "an LGL file" : "";
}

} // namespace rhizome::io
