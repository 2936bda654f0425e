#include <rhizome/cli/console.hpp>
#include <rhizome/io/parse_error.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rhizome::cli {
namespace {

[[noreturn]] void fail() {
    throw io::file_error("<stdout>", std::string("cannot write: ") + std::strerror(errno));
}

} // namespace

void console::print(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) fail();
}

void console::flush() {
    if (std::fflush(stdout) != 0) fail();
}

void say(std::string_view text) {
    std::string line = "rhizome: " + std::string(text);
    std::replace(line.begin(), line.end(), '\n', ' ');
    line += '\n';
    std::fputs(line.c_str(), stderr);
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

} // namespace rhizome::cli
