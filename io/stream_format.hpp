// SPDX-License-Identifier: Apache-2.0
// The formats of update streams, and how one is recognised.
#pragma once

#include <rhizome/io/formats/edge_columns.hpp>
#include <rhizome/io/input.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

/// The formats. docs/formats.md describes them.
enum class stream_format : std::uint8_t {
    updates,   ///< '+ u v [w]' and '- u v'
    graphbolt, ///< 'a u v [w]' and 'd u v', as GraphBolt reads them
    temporal   ///< 'u v t [w]' as SNAP publishes them, or 'u v w t' below the header '% ...' of KONECT
};

/// Returns the name of a format, as a user types it.
[[nodiscard]] std::string_view stream_format_name(stream_format format);
/// Returns the names of all formats.
[[nodiscard]] std::vector<std::string> stream_format_names();
/// Returns the format of this name, if there is one.
[[nodiscard]] std::optional<stream_format> stream_format_named(std::string_view wanted);

/// How the lines of a stream are read.
struct stream_syntax {
    stream_format format = stream_format::updates;
    std::vector<edge_column> columns = {}; ///< temporal only: what each line has
    bool has_names = false; ///< temporal only: a header names the columns; no line has another number of them
    bool konect = false;    ///< temporal only: a file of KONECT
    bool has_weights = true;   ///< konect only: false: the column of weights holds none
    bool is_dynamic = false;   ///< konect only: it is 1 where the edge appears, -1 where it disappears
    bool names_are_ids = true; ///< vertices are numbered; false: their names are any words
    bool times_ascend = false; ///< temporal only: a time that is lower than the one before is damage
    bool has_lines = false;    ///< one that is neither blank nor a comment
};

/// Recognises the format of a stream of which nothing was read yet by its comments and its first line that is
/// neither blank nor a comment. Waits for that line, and takes it if it names the columns of a temporal list.
/// `wanted` overrules the format, but not the header of KONECT. Skips a byte order mark. A stream without
/// such a line is of the format updates. Throws parse_error for text in UTF-16 and, unless `wanted` is
/// another format than temporal, for a bipartite network of KONECT, whose two kinds of vertices have the same
/// numbers, and for a header that names no times; file_error if the file cannot be read.
[[nodiscard]] stream_syntax recognise_stream(input& from, std::optional<stream_format> wanted = {});

} // namespace rhizome::io
