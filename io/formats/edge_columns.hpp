// SPDX-License-Identifier: Apache-2.0
// What the columns of an edge list stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::io {

enum class edge_column { source, target, weight, time, skipped };

/// How the lines of an edge list are to be read.
struct edge_list_layout {
    char separator = ' '; ///< ' ' stands for any spaces and tabs
    std::vector<edge_column> columns;
    bool guesses_times = false;            ///< only the order of the third column says that it holds times
    bool has_more_columns = false;         ///< the first line has, and no text names them
    std::uint64_t lines_before = 0;        ///< comments and the header, before the first edge
    std::optional<std::uint64_t> vertices; ///< as a comment says: '# Nodes: n', '% m n n'
    std::optional<std::uint64_t> edges;    ///< as a KONECT header says: '% m n n'
    std::uint64_t edges_line = 0;          ///< the number of that line
    std::optional<bool> directed;          ///< as a KONECT header says, or '# Directed'
    bool counts_from_one = false;          ///< where `vertices` are known; '# ... First: 1'
    bool is_bipartite = false;             ///< as a KONECT header says
    std::string holds_instead;             ///< what the lines look like if not like edges: "an update stream"
};

enum class edge_list_dialect { plain, konect, csv };

/// Files are recognised by so many bytes. Readers look at so many from the first edge on.
inline constexpr std::size_t edge_list_head_bytes = std::size_t{1} << 16;

/// Returns the columns that a text such as "u,v,w,t" names: u and v are the ends, w a weight, t a time, and -
/// a column that is skipped. Throws std::invalid_argument for other texts, and unless u and v are there once.
[[nodiscard]] std::vector<edge_column> edge_columns_named(std::string_view text);

/// Returns the columns of a list whose header names them so: in any case, "source" or "from" and so on
/// (docs/formats.md); other names are skipped columns. Returns nothing unless both ends are named once, and
/// weight and time at most once.
[[nodiscard]] std::vector<edge_column> edge_columns_called(std::vector<std::string> const& names);

/// Returns the columns that the last of these comments names that names both ends and as many columns as the
/// lines have; nothing if there is none. Its names are separated by blanks, or as the columns are. Each
/// comment begins with its sign.
[[nodiscard]] std::vector<edge_column> edge_columns_in_comments(std::span<std::string_view const> comments,
                                                                char separator, std::size_t count);

/// Returns the layout of a file that begins like this. `is_whole`: the head is the whole file. `columns`: as
/// edge_columns_named() takes them; "": to be found out.
[[nodiscard]] edge_list_layout edge_list_layout_of(std::string_view text, bool is_whole,
                                                   edge_list_dialect dialect, std::string_view columns);

/// Returns the cells of a line, without blanks around them and without quotes.
[[nodiscard]] std::vector<std::string> edge_list_cells(std::string_view line, char separator);

/// Return whether a file that begins like this is such a list. Only KONECT has marks of its own.
[[nodiscard]] bool begins_as_konect(std::string_view head);
[[nodiscard]] bool begins_as_csv(std::string_view text);
[[nodiscard]] bool begins_as_edge_list(std::string_view text);

/// Returns whether a file that begins like this may be METIS: a header, and lines that agree with it and with
/// each other, as far as they are there.
[[nodiscard]] bool may_be_metis(std::string_view text);

/// Return what a file resembles most that begins like this and that no format recognises, because it is
/// damaged: a table with commas or semicolons; METIS, whose first line is one to four whole numbers; any
/// other list of edges, such as words or lines of more than four columns.
[[nodiscard]] bool resembles_csv(std::string_view text);
/// Also returns whether it is rather a list of edges with a few damaged lines than METIS: most of its lines
/// have as many words as the first, and the number of lines is not one that this would say in METIS.
[[nodiscard]] bool resembles_ragged_list(std::string_view text);
[[nodiscard]] bool resembles_metis(std::string_view text);
[[nodiscard]] bool resembles_edge_list(std::string_view text);

} // namespace rhizome::io
