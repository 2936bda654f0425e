// SPDX-License-Identifier: Apache-2.0
// What the DIMACS formats have in common: comments 'c ...' and the problem line 'p KIND n m'.
#pragma once

#include <rhizome/io/input.hpp>
#include <rhizome/io/line_scanner.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace rhizome::io {

struct dimacs_problem {
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::uint64_t line = 0; ///< its number
};

/// Returns the KIND of the first line that is neither blank nor a comment, or "" if that is no problem line.
[[nodiscard]] std::string_view dimacs_kind(std::string_view head);

/// Reads a file up to and with its problem line. `is_kind` says which words may stand for KIND; `expected`
/// names the problem line in messages. Throws parse_error.
[[nodiscard]] dimacs_problem read_dimacs_problem(input& from, bool (*is_kind)(std::string_view),
                                                 char const* expected);

/// Returns whether the scanner is at a comment or a blank line.
[[nodiscard]] inline bool at_dimacs_comment(line_scanner const& lines) {
    return lines.at_line_end() || (lines.peek() == 'c' && lines.peek_word() == "c");
}

/// Throws parse_error: the problem line and the lines of the file differ in the number of edges.
[[noreturn]] void fail_dimacs_count(input const& from, dimacs_problem const& problem, std::uint64_t found,
                                    char const* what);

} // namespace rhizome::io
