// What the tool says, and where.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace rhizome::cli {

/// Writes to standard output; a failed write is an error, not a silence.
class console {
public:
    /// Throws io::file_error.
    void print(std::string_view text);
    /// Throws io::file_error if what was printed did not arrive.
    void flush();
};

/// One line on standard error, with the tool's name before it; line breaks inside become spaces.
void say(std::string_view text);

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();

} // namespace rhizome::cli
