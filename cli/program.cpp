// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/program.hpp>
#include <rhizome/comm/launch/process.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace rhizome::cli {

std::string find_program(std::string const& name) {
    char const* const path = std::getenv("PATH");
    std::istringstream folders(path == nullptr ? "/usr/bin:/bin" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::string const candidate = (folder.empty() ? "." : folder) + "/" + name;
        if (access(candidate.c_str(), X_OK) == 0) return candidate;
    }
    return "";
}

program_end run_program(std::vector<std::string> const& words, std::string const& output_path,
                        std::function<void()> const& tick) {
    std::string const output = output_path.empty() ? "/dev/null" : output_path;
    comm::descriptor const out(
        open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)); // NOLINT
    if (out.get() < 0) throw io::file_error(output, std::string("cannot write: ") + std::strerror(errno));
    comm::pipe_ends errors;
    comm::child_process child({.words = words, .descriptors = {-1, out.get(), errors.write.get()}});
    errors.write.reset();
    std::string said;
    while (errors.read.get() >= 0) {
        pollfd waiting{errors.read.get(), POLLIN, 0};
        if (poll(&waiting, 1, 100) > 0) comm::read_some(errors.read, said);
        constexpr std::size_t kept = 1 << 16; // a program that floods its standard error must not fill ours
        if (said.size() > 2 * kept) said.erase(0, said.size() - kept);
        if (tick) tick();
    }
    child.wait();
    return {child.exit_code(), comm::last_line(said)};
}

} // namespace rhizome::cli
