#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace rhizome::cli::testing {
namespace {

[[noreturn]] void become_tool(std::vector<std::string> const& words, int in, int out, int err) {
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    std::vector<char*> pointers;
    std::string program = RHIZOME_TOOL_UNDER_TEST;
    pointers.push_back(program.data());
    std::vector<std::string> copies = words;
    for (std::string& word : copies)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execv(program.c_str(), pointers.data());
    _exit(127);
}

/// Reads both until both have ended. A terminal ends with an error, which is its way.
void drain(int first, std::string& first_text, int second, std::string& second_text) {
    std::array<pollfd, 2> open{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
    std::array<std::string*, 2> const texts{&first_text, &second_text};
    while (open[0].fd >= 0 || open[1].fd >= 0) {
        poll(open.data(), open.size(), -1);
        for (std::size_t i = 0; i < open.size(); ++i) {
            if (open[i].fd < 0 || open[i].revents == 0) continue;
            char buffer[4096];
            ssize_t const got = read(open[i].fd, buffer, sizeof buffer);
            if (got > 0) {
                texts[i]->append(buffer, static_cast<std::size_t>(got));
            } else {
                open[i].fd = -1;
            }
        }
    }
}

int must(int descriptor) {
    if (descriptor < 0) throw std::runtime_error("the test cannot open what it needs");
    return descriptor;
}

outcome run_tool(std::vector<std::string> const& words, std::string const& out_path,
                 std::string const& in_path, bool terminal) {
    int out[2];
    int err[2];
    must(pipe2(out, O_CLOEXEC));
    must(terminal ? openpty(&err[0], &err[1], nullptr, nullptr, nullptr) : pipe2(err, O_CLOEXEC));
    int const in = must(open(in_path.c_str(), O_RDONLY | O_CLOEXEC));
    int const out_target = out_path.empty() ? out[1] : must(open(out_path.c_str(), O_WRONLY | O_CLOEXEC));
    pid_t const child = must(fork());
    if (child == 0) become_tool(words, in, out_target, err[1]);
    close(in);
    close(out[1]);
    close(err[1]);
    if (!out_path.empty()) close(out_target);
    outcome result;
    drain(out[0], result.out, err[0], result.err);
    close(out[0]);
    close(err[0]);
    int status = 0;
    waitpid(child, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return result;
}

} // namespace

long outcome::err_lines() const { return std::count(err.begin(), err.end(), '\n'); }

outcome run(std::vector<std::string> const& words) { return run_tool(words, "", "/dev/null", false); }

outcome run_with(std::vector<std::string> const& words, std::string const& out_path,
                 std::string const& in_path) {
    return run_tool(words, out_path, in_path, false);
}

outcome run_on_terminal(std::vector<std::string> const& words) {
    return run_tool(words, "", "/dev/null", true);
}

bool has_terminals() {
    int ends[2];
    if (openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) return false;
    close(ends[0]);
    close(ends[1]);
    return true;
}

} // namespace rhizome::cli::testing
