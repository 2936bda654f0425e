// SPDX-License-Identifier: Apache-2.0
#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/formats/foreign.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_file.hpp>
#include <rhizome/io/store_format.hpp>
#include <rhizome/io/store_reader.hpp>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace rhizome::io {
namespace {

constexpr std::size_t head_bytes = std::size_t{1} << 16;

bool begins_as_stored(std::string_view head) { return head.starts_with(store_format::magic.substr(0, 4)); }

/// What begins neither as stored graphs do nor as text is a stored graph where its name ends in .rhz: a
/// damaged one.
bool is_stored_file(std::string const& path) {
    if (is_stored_graph(path)) return true;
    std::error_code error;
    if (!path.ends_with(".rhz") || !std::filesystem::is_regular_file(path, error)) return false;
    std::ifstream file(path, std::ios::binary);
    int const first = file.get();
    bool const is_text = first == std::ifstream::traits_type::eof() || (first >= 0x20 && first < 0x7f) ||
                         first == '\n' || first == '\r' || first == '\t';
    return !is_text;
}

graph_file read_stored(input& from, read_options const& options) {
    return options.weights ? read_stored_numbers(from.name(), options.progress)
                           : read_stored_graph(from.name(), false, options.progress);
}

void write_stored(std::string const& path, graph_file const& file) { (void)write_stored_graph(path, file); }

graph_file read_metis_file(input& from, read_options const& options) { return read_metis(from, options); }

graph_format const* find_format(std::string_view head) {
    for (graph_format const* const each : graph_formats())
        if (each->recognises != nullptr && each->recognises(head)) return each;
    return nullptr;
}

graph_file read_as(graph_format const& format, input& from, read_options const& options) {
    graph_file file = format.read(from, options);
    file.counts_from_one = file.counts_from_one || format.counts_from_one;
    if (options.parallel) (void)merge_parallel_edges(file, *options.parallel, options.threads);
    return file;
}

std::string formats_are_read() { return "; files of these formats are read: " + readable_format_names(); }

std::string cannot_read(graph_format const& format) {
    if (format.holds_instead != nullptr)
        return std::string("holds ") + format.holds_instead + " (" + with_article(format) +
               " file), not a graph";
    return "is " + with_article(format) + " file" + formats_are_read();
}

void refuse_foreign(std::string const& file, std::string_view head) {
    std::optional<foreign_kind> const kind = foreign_kind_of(head);
    if (!kind) return;
    throw file_error(file,
                     "is " + std::string(kind->name) +
                         (kind->advice.empty() ? formats_are_read() : "; " + std::string(kind->advice)));
}

/// For a message: the first word of the file.
std::string first_word_of(std::string_view head) {
    std::string_view const line = head.substr(0, head.find_first_of("\r\n"));
    std::string_view const word = line.substr(0, line.find_first_of(" \t", line.find_first_not_of(" \t")));
    return word.empty() ? "an empty line" : quoted(word);
}

/// The format of a file that no format recognises: the one that it resembles most, so that the message about
/// it comes from the reader that it was meant for. nullptr: it resembles none.
graph_format const* likeliest_format(std::string_view head) {
    if (resembles_csv(head)) return &formats::csv;
    if (resembles_metis(head)) return &formats::metis;
    return resembles_edge_list(head) ? &formats::edge_list : nullptr;
}

} // namespace

namespace formats {

constinit graph_format const stored{.name = "stored",
                                    .title = "stored graph",
                                    .endings = ".rhz",
                                    .recognises = begins_as_stored,
                                    .recognises_path = is_stored_file,
                                    .read = read_stored,
                                    .write = write_stored,
                                    .is_stored = true,
                                    .holds_parallel_edges = false,
                                    .holds_directed = true,
                                    .holds_names = true,
                                    .weights = weight_rule::real};

constinit graph_format const metis{.name = "metis",
                                   .title = "METIS",
                                   .endings = ".graph .metis",
                                   .read = read_metis_file,
                                   .write = write_metis,
                                   .holds_vertex_weights = true,
                                   .counts_from_one = true,
                                   .weights = weight_rule::natural};

} // namespace formats

std::span<graph_format const* const> graph_formats() {
    static constexpr std::array all{&formats::metis,
                                    &formats::stored,
                                    &formats::dimacs9,
                                    &formats::pace,
                                    &formats::dimacs_colouring,
                                    &formats::matrix_market,
                                    &formats::gml,
                                    &formats::ldbc,
                                    &formats::dimacs9_coordinates,
                                    &formats::dimacs9_queries,
                                    &formats::konect,
                                    &formats::csv,
                                    &formats::edge_list};
    return all;
}

std::string with_article(graph_format const& format) {
    std::string_view const title = format.title;
    constexpr std::string_view vowels = "AEIOUaeiou";
    bool const begins_with_vowel = vowels.find(title.front()) != std::string_view::npos;
    bool const is_spelt_out = &format == &formats::ldbc; // L is spoken with a vowel in front
    return std::string(begins_with_vowel || is_spelt_out ? "an " : "a ").append(title);
}

graph_format const* graph_format_named(std::string_view name) {
    for (graph_format const* const each : graph_formats())
        if (name == each->name) return each;
    return nullptr;
}

std::string readable_format_names() {
    std::string names;
    for (graph_format const* const each : graph_formats())
        if (each->read != nullptr) names += (names.empty() ? "" : ", ") + std::string(each->name);
    return names;
}

graph_format const& recognise_graph_format(input& from, std::string_view columns) {
    for (graph_format const* const each : graph_formats()) {
        if (each->recognises_path == nullptr || !each->recognises_path(from.name())) continue;
        if (!each->is_stored) from.skip_byte_order_mark();
        return *each;
    }
    from.skip_byte_order_mark();
    std::string_view const head = from.head(head_bytes);
    if (head.empty()) throw parse_error(from.name(), 1, 1, "an empty file", "a graph");
    refuse_foreign(from.name(), head);
    graph_format const* found = find_format(head);
    if (found == nullptr) found = likeliest_format(head);
    if (found == nullptr)
        throw parse_error(from.name(), 1, 1, first_word_of(head),
                          "the first line of a graph file" + formats_are_read());
    if (found->is_stored)
        throw file_error(from.name(), "holds a stored graph that is compressed or comes from a pipe; stored "
                                      "graphs are read from plain files only");
    return found == &formats::metis && !columns.empty() ? formats::edge_list : *found;
}

graph_file read_graph(input& from, graph_format const* format, read_options const& options) {
    graph_format const& taken = format != nullptr ? *format : recognise_graph_format(from, options.columns);
    if (taken.read == nullptr) throw file_error(from.name(), cannot_read(taken));
    if (format == nullptr || taken.is_stored) return read_as(taken, from, options);
    from.skip_byte_order_mark();
    std::string const head(from.arrived_head(head_bytes)); // for an error
    try {
        return read_as(taken, from, options);
    } catch (parse_error const&) {
        refuse_foreign(from.name(), head);
        graph_format const* const other = find_format(head);
        if (other == nullptr || other == format || !other->has_marks) throw;
        if (other->holds_instead != nullptr) throw file_error(from.name(), cannot_read(*other));
        throw file_error(from.name(),
                         "is " + with_article(*other) + " file, not " + with_article(taken) + " file");
    }
}

graph_file read_graph(std::string const& path, graph_format const* format, read_options const& options) {
    input from(path);
    return read_graph(from, format, options);
}

} // namespace rhizome::io
