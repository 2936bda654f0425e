#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/formats/other_formats.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/metis.hpp>
#include <rhizome/io/parse_error.hpp>
#include <rhizome/io/store_format.hpp>

#include <array>
#include <string>

namespace rhizome::io {
namespace {

constexpr std::size_t head_bytes = std::size_t{1} << 16;

bool is_stored(std::string_view head) { return head.starts_with(store_format::magic.substr(0, 4)); }

graph_file refuse_stored(input& from, read_options const&) {
    throw file_error(from.name(), "holds a stored graph that is compressed or comes from a pipe; stored "
                                  "graphs are read from plain files only");
}

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

std::string cannot_read(graph_format const& format) {
    if (format.holds_instead != nullptr)
        return std::string("holds ") + format.holds_instead + " (" + with_article(format) +
               " file), not a graph";
    return "is " + with_article(format) +
           " file; files of these formats are read: " + readable_format_names() + ", stored graphs";
}

std::string first_word(std::string_view head) {
    head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
    return std::string(head.substr(0, head.find_first_of(" \t\r\n")));
}

/// Of a file that no format recognises: the format whose reader says best what is wrong with it. Throws
/// file_error where it is like none.
graph_format const& likeliest_format(std::string const& file, std::string_view head, bool has_columns) {
    switch (list_likeness_of(head)) {
    case list_likeness::csv:
        return formats::csv;
    case list_likeness::edge_list:
        return formats::edge_list;
    case list_likeness::metis:
        return has_columns ? formats::edge_list : formats::metis;
    case list_likeness::none:
        break;
    }
    if (has_columns) return formats::edge_list;
    throw file_error(file, "begins with " + quoted(first_word(head)) +
                               ", as no graph file does that is read here: " + readable_format_names() +
                               ", stored graphs");
}

} // namespace

namespace formats {

constinit graph_format const stored{.name = "stored",
                                    .title = "stored graph",
                                    .endings = ".rhz",
                                    .recognises = is_stored,
                                    .read = refuse_stored,
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
        if (each->read != nullptr && each != &formats::stored)
            names += (names.empty() ? "" : ", ") + std::string(each->name);
    return names;
}

graph_format const& recognise_graph_format(input& from, bool has_columns) {
    from.skip_byte_order_mark();
    for (graph_format const* const each : graph_formats())
        if (each->recognises_name != nullptr && each->recognises_name(from.name())) return *each;
    std::string_view const head = from.head(head_bytes);
    if (head.empty()) throw parse_error(from.name(), 1, 1, "an empty file", "a graph");
    if (std::string const other = other_format_of(head); !other.empty())
        throw file_error(from.name(), "is " + other + "; files of these formats are read: " +
                                          readable_format_names() + ", stored graphs");
    graph_format const* const found = find_format(head);
    return found == nullptr ? likeliest_format(from.name(), head, has_columns) : *found;
}

graph_file read_graph(input& from, graph_format const* format, read_options const& options) {
    if (format == nullptr) {
        graph_format const& found = recognise_graph_format(from, !options.columns.empty());
        if (found.read == nullptr) throw file_error(from.name(), cannot_read(found));
        return read_as(found, from, options);
    }
    from.skip_byte_order_mark();
    std::string const head(from.arrived_head(head_bytes)); // for an error
    if (format->read == nullptr) throw file_error(from.name(), cannot_read(*format));
    try {
        return read_as(*format, from, options);
    } catch (parse_error const&) {
        graph_format const* const other = find_format(head);
        if (other == nullptr || other == format || !other->has_marks) throw;
        if (other->holds_instead != nullptr) throw file_error(from.name(), cannot_read(*other));
        throw file_error(from.name(),
                         "is " + with_article(*other) + " file, not " + with_article(*format) + " file");
    }
}

graph_file read_graph(std::string const& path, graph_format const* format, read_options const& options) {
    input from(path);
    return read_graph(from, format, options);
}

} // namespace rhizome::io
