// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/program.hpp>
#include <rhizome/comm/launch/process.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>

extern char** environ; // NOLINT: POSIX

namespace rhizome::cli {
namespace {

/// What posix_spawn is told of the child's descriptors and signals.
struct spawn_settings {
    spawn_settings(int output, int errors) {
        posix_spawn_file_actions_init(&actions);
        posix_spawnattr_init(&attributes);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO);
        sigset_t pipes; // this program ignores SIGPIPE; others expect it
        sigemptyset(&pipes);
        sigaddset(&pipes, SIGPIPE);
        posix_spawnattr_setsigdefault(&attributes, &pipes);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    }
    spawn_settings(spawn_settings const&) = delete;
    spawn_settings& operator=(spawn_settings const&) = delete;
    ~spawn_settings() {
        posix_spawn_file_actions_destroy(&actions);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
};

std::string last_line_of(std::string text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.pop_back();
    return text.substr(text.find_last_of("\r\n") + 1);
}

} // namespace

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
    std::vector<std::string> copies = words;
    std::vector<char*> pointers;
    for (std::string& word : copies)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    spawn_settings const settings(out.get(), errors.write.get());
    pid_t child = 0;
    int const failed = posix_spawn(&child, words.front().c_str(), &settings.actions, &settings.attributes,
                                   pointers.data(), environ);
    if (failed != 0) throw std::runtime_error("cannot run " + words.front() + ": " + std::strerror(failed));
    errors.write.reset();
    std::string said;
    for (bool open_still = true; open_still;) {
        pollfd waiting{errors.read.get(), POLLIN, 0};
        if (poll(&waiting, 1, 100) > 0) {
            char buffer[4096];
            ssize_t const got = read(errors.read.get(), buffer, sizeof buffer);
            open_still = got > 0 || (got < 0 && errno == EINTR);
            if (got > 0) said.append(buffer, static_cast<std::size_t>(got));
            constexpr std::size_t kept = 1
                                         << 16; // a program that floods its standard error must not fill ours
            if (said.size() > 2 * kept) said.erase(0, said.size() - kept);
        }
        if (tick) tick();
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), last_line_of(said)};
}

} // namespace rhizome::cli
