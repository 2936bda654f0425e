// SPDX-License-Identifier: Apache-2.0
// The help that belongs to no single command.
#pragma once

#include <rhizome/cli/command_set.hpp>

#include <string>
#include <vector>

namespace rhizome::cli {

/// What the tool is for, in one sentence.
inline constexpr char const* tool_summary = "Dynamic graphs on the GPU, or without one: loads graphs, "
                                            "streams edge updates through them, ranks vertices "
                                            "and counts triangles on the live structure.";
/// Which files the commands read.
inline constexpr char const* files_text =
    "graphs in the formats of --format, known by their content, and "
    "update streams ('+ u v [w]', '- u "
    "v', '#' comments; vertices count from 0), plain "
    "or compressed by gzip, bzip2, zstd or xz; and stored graphs (.rhz, see "
    "'rhizome convert --help') wherever a graph is "
    "read. '-' is standard input, or standard output after --output. "
    "Vertices of METIS and DIMACS files count from 1; in all "
    "that the tool prints, vertices count from 0.";
/// From nothing to a stream.
inline constexpr char const* example_text =
    "  rhizome generate rgg --scale 17 --output rgg17.graph\n"
    "  rhizome generate updates rgg17.graph --count 1000000 --output rgg17.updates\n"
    "  rhizome stream rgg17.graph rgg17.updates --pagerank-every 5 --triangles-every 5\n";

[[nodiscard]] std::string general_help(command_set const& commands);

/// Of a command, for the words that follow its name.
[[nodiscard]] std::string help_of(command const& which, arguments const& args);

/// Of a command, or of all commands whose first word is given. Throws usage_error where there is none.
[[nodiscard]] std::string help_of(command_set const& commands, std::vector<std::string> const& words);

/// The exit codes, for the foot of each help.
[[nodiscard]] std::string exit_code_text();

} // namespace rhizome::cli
