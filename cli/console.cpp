// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/console.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/io/parse_error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace rhizome::cli {

void console::fail() const {
    char const* const name = to_ == stdout ? "<stdout>" : "<stderr>";
    if (errno == EPIPE) throw io::closed_pipe(name);
    throw io::file_error(name, std::string("cannot write: ") + std::strerror(errno));
}

void console::print(std::string_view text) {
    if (to_ == nullptr) return;
    if (std::fwrite(text.data(), 1, text.size(), to_) != text.size()) fail();
}

void console::flush() {
    if (to_ != nullptr && std::fflush(to_) != 0) fail();
}

void say(std::string_view text) {
    std::string line(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line = "rhizome: " + io::shown(line, most_said_bytes) + "\n";
    std::fputs(line.c_str(), stderr);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

bool terminal_can_draw() {
    auto const value_of = [](char const* name) {
        char const* const value = std::getenv(name); // NOLINT: read before there are threads that set it
        return std::string_view(value == nullptr ? "" : value);
    };
    std::string_view const terminal = value_of("TERM");
    return !terminal.empty() && terminal != "dumb" && value_of("NO_COLOR").empty();
}

} // namespace rhizome::cli
