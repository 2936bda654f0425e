// SPDX-License-Identifier: Apache-2.0
// The formats of graph files: how a file is recognised, read and written.
#pragma once

#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/input.hpp>
#include <rhizome/io/parallel_edges.hpp>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rhizome::io {

struct read_options {
    bool directed = false; ///< if the file does not say it: whether edges are directed
    bool lenient = false;  ///< METIS: repair errors where possible, and list them in graph_file::mended
    unsigned threads = 0;  ///< number of threads that parse; 0: one per core
    /// The columns of an edge list: one letter per column, separated by commas, such as "u,v,w,t" or
    /// "u,v,-,t". u and v: the ends of the edge; w: its weight; t: its time; -: ignored. "": the reader
    /// decides by the content. Only edge lists have columns.
    std::string columns = {};
    /// Which of several parallel edges the result has (merge_parallel_edges()); empty: all of them.
    std::optional<parallel_rule> parallel = {};
    bool weights = true;                       ///< false: values of a stored graph's edges are left out
    std::function<void(double)> progress = {}; ///< called with the share that was read; negative: not known
};

/// Which weights of edges a format can hold.
enum class weight_rule {
    none,    ///< no weights
    natural, ///< whole numbers, 0 or more
    whole,   ///< whole numbers, also negative
    real     ///< finite numbers
};

/// One format. All of them are in graph_formats().
struct graph_format {
    char const* name;  ///< as a user types it: "dimacs9"
    char const* title; ///< as messages name it: "DIMACS9"
    /// What such files hold if it is not a graph; nullptr: they hold a graph. read_graph() recognises such
    /// files to name their content in its message.
    char const* holds_instead = nullptr;
    /// Endings of file names that mean this format for a file that is to be written, separated by spaces.
    char const* endings = "";
    /// Returns whether a file that begins with `head` has the format. `head`: at least the first 64 KiB, or
    /// the whole file if it is shorter. nullptr: files of this format are not recognised by content.
    bool (*recognises)(std::string_view head) = nullptr;
    /// Whether recognises() is sure. false: the file could also be a damaged file of another format.
    bool has_marks = true;
    /// Returns whether the file at this path has the format, whatever text is unpacked from it. For formats
    /// of several files, some of which cannot be recognised by content, and for stored graphs. nullptr: the
    /// path does not matter.
    bool (*recognises_path)(std::string const& path) = nullptr;
    /// Reads a file. Throws parse_error where the file departs from the format. nullptr: cannot be read.
    graph_file (*read)(input& from, read_options const& options) = nullptr;
    /// Writes a file, compressed as its name says (packed_file.hpp) unless is_stored. Throws file_error;
    /// std::invalid_argument for a graph that the format cannot hold. nullptr: cannot be written.
    void (*write)(std::string const& path, graph_file const& file) = nullptr;
    /// The format of stored graphs. Such files are plain ones that are read by their path. store_file.hpp has
    /// more options for them.
    bool is_stored = false;
    bool has_columns = false;          ///< an edge list, whose columns read_options can name
    bool holds_parallel_edges = true;  ///< false: the writer keeps one of several parallel edges
    bool holds_directed = false;       ///< the writer can write directed graphs
    bool holds_vertex_weights = false; ///< the writer can write one weight per vertex
    bool counts_from_one = false;      ///< in all files of the format the vertices are numbered from 1
    bool holds_names = false; ///< files of the format can hold names of vertices, and the writer writes them
    bool holds_times = false; ///< the writer can write times of edges
    weight_rule weights = weight_rule::none;
};

/// Returns all formats, in the order in which they are tried on a file.
[[nodiscard]] std::span<graph_format const* const> graph_formats();

/// Returns the title of the format behind its article: "a METIS", "an edge list".
[[nodiscard]] std::string with_article(graph_format const& format);

/// Returns the format of this name, or nullptr.
[[nodiscard]] graph_format const* graph_format_named(std::string_view name);

/// Returns the names of the formats that can be read, separated by ", ".
[[nodiscard]] std::string readable_format_names();

/// Returns the format of a file of which nothing was read yet: the first of graph_formats() that recognises
/// the path or the beginning of the file, or else the text format that the beginning resembles most, so that
/// its reader names the damage. `columns`: as in read_options; a file that could be METIS is an edge list if
/// they are named. Skips a byte order mark. Throws parse_error for an empty file, for text in UTF-16 and for
/// a file that resembles no format; file_error if the file cannot be read, if it has another well-known
/// format (formats/foreign.hpp), and for a stored graph that is compressed or comes from a pipe.
[[nodiscard]] graph_format const& recognise_graph_format(input& from, std::string_view columns = {});

/// Reads the graph from a file of which nothing was read yet. `format`: nullptr to recognise it. Throws what
/// recognise_graph_format() throws, and store_error for a damaged stored graph. Throws parse_error if the
/// content does not fit the format. Throws file_error if the format cannot be read, or if the content does
/// not fit `format` and is recognised with certainty as another one (has_marks).
[[nodiscard]] graph_file read_graph(input& from, graph_format const* format = nullptr,
                                    read_options const& options = {});
/// The same for the file at `path`, plain or compressed by gzip, bzip2, zstd or xz; "-" is standard input.
[[nodiscard]] graph_file read_graph(std::string const& path, graph_format const* format = nullptr,
                                    read_options const& options = {});

/// The formats. docs/formats.md describes them.
namespace formats {
extern graph_format const metis;
extern graph_format const stored;
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
