// The formats of graph files: how a file is recognised, read and written.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/input.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace rhizome::io {

struct read_options {
    bool directed = false; ///< edges are arcs where a file could hold either and does not say
    bool lenient = false;  ///< mend what can be mended, and say so in graph_file::mended (METIS)
    unsigned threads = 0;  ///< that parse; 0: all that the machine has
    /// What the columns of an edge list hold, such as "u,v,w,t" or "u,v,-,t": the ends of the edge, its
    /// weight, its time, and nothing of interest. "": as the content says.
    std::string columns = {};
    std::function<void(double)> progress = {}; ///< called with the share that was read; negative: not known
};

/// What a format has for the weights of edges.
enum class weight_rule {
    none,    ///< no place
    natural, ///< whole numbers from 0
    whole,   ///< whole numbers, also negative
    real     ///< finite numbers
};

/// One format. All of them are in graph_formats().
struct graph_format {
    char const* name;  ///< as a user types it: "dimacs9"
    char const* title; ///< as messages name it: "DIMACS9"
    /// What the files hold instead of a graph; nullptr: a graph. Such files are recognised for the message.
    char const* holds_instead = nullptr;
    /// Endings of file names that mean this format for a file that is to be written, separated by spaces.
    char const* endings = "";
    /// Returns whether a file that begins like this has the format. `head` is long, or the whole file.
    /// nullptr: the format has no marks.
    bool (*recognises)(std::string_view head) = nullptr;
    bool has_marks = true; ///< false: what is recognised could be a damaged file of another format
    /// Returns whether a file of this name has the format, whatever it begins with. For files that have no
    /// marks and lie beside others. nullptr: names say nothing.
    bool (*recognises_name)(std::string const& path) = nullptr;
    /// Throws parse_error where the file departs from the format. nullptr: cannot be read.
    graph_file (*read)(input& from, read_options const& options) = nullptr;
    /// Writes a file, compressed as its name says (packed_file.hpp). Throws file_error;
    /// std::invalid_argument for a graph that the format cannot hold. nullptr: cannot be written.
    void (*write)(std::string const& path, graph_file const& file) = nullptr;
    bool holds_directed = false;       ///< directed graphs can be written
    bool holds_vertex_weights = false; ///< so can one weight per vertex
    bool counts_from_one = false;      ///< vertices of all its files count from 1
    bool holds_names = false;          ///< names of vertices can be written
    bool holds_times = false;          ///< so can times of edges
    weight_rule weights = weight_rule::none;
};

/// Returns all formats, in the order in which they are tried on a file.
[[nodiscard]] std::span<graph_format const* const> graph_formats();

/// Returns the format of this name, or nullptr.
[[nodiscard]] graph_format const* graph_format_named(std::string_view name);

/// Returns the names of the formats that are read, separated by ", ".
[[nodiscard]] std::string readable_format_names();

/// Returns the format of a file of which nothing was read yet. A file without the marks of another format is
/// METIS. Skips a byte order mark. Throws parse_error for an empty file and for text in UTF-16; file_error if
/// the file cannot be read.
[[nodiscard]] graph_format const& recognise_graph_format(input& from);

/// Reads the graph from a file of which nothing was read yet. `format`: nullptr if the file is to be
/// recognised. Throws parse_error if the file departs from the format; file_error if the format cannot be
/// read, or if the file departs from `format` and has the marks of another.
[[nodiscard]] graph_file read_graph(input& from, graph_format const* format = nullptr,
                                    read_options const& options = {});
/// The same for a file of this name, plain, gzip, bzip2, zstd or xz; "-" is standard input.
[[nodiscard]] graph_file read_graph(std::string const& path, graph_format const* format = nullptr,
                                    read_options const& options = {});

/// The formats. docs/formats.md describes them.
namespace formats {
extern graph_format const metis;
extern graph_format const stored; ///< recognised only: store_file.hpp reads and writes it
extern graph_format const dimacs9;
extern graph_format const pace;
extern graph_format const dimacs_colouring;
extern graph_format const matrix_market;
extern graph_format const konect;
extern graph_format const csv;
extern graph_format const edge_list;
extern graph_format const gml;
extern graph_format const ldbc;
extern graph_format const dimacs9_coordinates; ///< recognised only: dimacs_queries.hpp reads them
extern graph_format const dimacs9_queries;     ///< likewise
} // namespace formats

} // namespace rhizome::io
