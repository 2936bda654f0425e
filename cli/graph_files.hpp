// SPDX-License-Identifier: Apache-2.0
// Graph files of any format, for commands that read or write one without building the graph.
#pragma once

#include <rhizome/cli/arguments.hpp>
#include <rhizome/io/graph_file.hpp>
#include <rhizome/io/graph_format.hpp>
#include <rhizome/io/parallel_edges.hpp>
#include <rhizome/io/write_graph.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rhizome::cli {

/// io::format_by_name(), which throws usage_error for a stored graph that is to be compressed.
[[nodiscard]] io::graph_format const* format_by_name(std::string const& path);

/// The names that --format takes.
[[nodiscard]] std::vector<std::string> readable_formats();
/// The names that --to takes.
[[nodiscard]] std::vector<std::string> writable_formats();
/// The option --format.
[[nodiscard]] option_text format_option();
/// The option --lenient.
[[nodiscard]] option_text lenient_option();
/// What --lenient has mended in the file, for a notice; "" where nothing.
[[nodiscard]] std::string mended_text(std::string const& path, io::graph_file const& file);
/// The option --columns.
[[nodiscard]] option_text columns_option();

/// The option --parallel. `by_default`: nullptr if without it all edges are kept.
[[nodiscard]] option_text parallel_option(std::optional<std::string> by_default = "least");
/// What --parallel says; nothing without it, and for commands that do not take it.
[[nodiscard]] std::optional<io::parallel_rule> named_parallel_rule(arguments const& args);
/// Leaves one of several parallel edges in the file and returns a notice, which says how many edges were in
/// the file several times with different weights; "" if there are none. Throws file_error for a sum that is
/// too large.
[[nodiscard]] std::string merge_parallel_edges(std::string const& path, io::graph_file& file,
                                               arguments const& args);

/// A notice for a file whose third column only looks like times (graph_file::guessed_times).
[[nodiscard]] std::string guessed_times_text(std::string const& path);

/// A graph file that is open and of known format.
class graph_source {
public:
    /// The file that --format, --columns and --lenient describe. Throws what opening and recognising throw;
    /// usage_error for --lenient where the format is not METIS, and for --columns where it is no edge list.
    graph_source(std::string const& path, arguments const& args);

    [[nodiscard]] io::graph_format const& format() const { return *format_; }

    /// Reads the file; call it once. Columns and leniency are those of the arguments. Throws what the readers
    /// throw.
    [[nodiscard]] io::graph_file read(io::read_options options);

private:
    io::input input_;
    io::graph_format const* format_;
    io::read_options options_; ///< columns and leniency
};

/// Throws what writing the names would, unless the format has a place for them, or holds none at all. Takes
/// as long as writing them.
void check_names(std::string const& path, io::graph_format const& format, io::vertex_names const& names);

} // namespace rhizome::cli
