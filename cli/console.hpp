// SPDX-License-Identifier: Apache-2.0
// What the tool says, and where.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>

namespace rhizome::cli {

/// Writes to standard output; a failed write is an error, not a silence.
class console {
public:
    /// What is printed from now on goes to standard error: standard output is for a file that the command
    /// writes.
    void use_standard_error() { to_ = stderr; }
    /// What is printed from now on goes to standard output, as at the start.
    void use_standard_output() { to_ = stdout; }
    /// What is printed from now on goes nowhere.
    void discard() { to_ = nullptr; }

    /// Throws io::file_error; io::closed_pipe where the reader of a pipe has gone.
    void print(std::string_view text);
    /// Throws the same if what was printed did not arrive.
    void flush();

private:
    [[noreturn]] void fail() const;

    std::FILE* to_ = stdout; ///< nullptr: nowhere
};

/// One line on standard error, with the tool's name before it. Line breaks inside become spaces; io::shown()
/// escapes what a terminal would obey, and cuts lines that are longer than most_said_bytes.
void say(std::string_view text);
inline constexpr std::size_t most_said_bytes = 4000;

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();
/// Whether lines on a terminal may be drawn over: not where TERM is "dumb" or empty, or NO_COLOR is set.
[[nodiscard]] bool terminal_can_draw();

} // namespace rhizome::cli
