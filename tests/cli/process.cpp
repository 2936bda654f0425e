// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

namespace rhizome::cli::testing {
namespace {

/// What a run is to be like.
struct request {
    std::vector<std::string> words;
    std::string program = RHIZOME_TOOL_UNDER_TEST;
    std::string out_path = {}; ///< "": caught
    std::string in_path = "/dev/null";
    bool on_terminal = false;
    bool reader_is_gone = false;
    std::vector<std::string> environment = {};
};

[[noreturn]] void become_tool(request const& how, int in, int out, int err) {
    for (std::string const& each : how.environment) {
        auto const sign = each.find('=');
        setenv(each.substr(0, sign).c_str(), each.substr(sign + 1).c_str(), 1);
    }
    dup2(in, STDIN_FILENO);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    std::vector<char*> pointers;
    std::string program = how.program;
    pointers.push_back(program.data());
    std::vector<std::string> copies = how.words;
    for (std::string& word : copies)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(program.c_str(), pointers.data());
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

outcome run_as(request const& how) {
    int out[2];
    int err[2];
    must(pipe2(out, O_CLOEXEC));
    must(how.on_terminal ? openpty(&err[0], &err[1], nullptr, nullptr, nullptr) : pipe2(err, O_CLOEXEC));
    int const in = must(open(how.in_path.c_str(), O_RDONLY | O_CLOEXEC));
    int const out_target =
        how.out_path.empty() ? out[1] : must(open(how.out_path.c_str(), O_WRONLY | O_CLOEXEC));
    if (how.reader_is_gone) close(out[0]);
    pid_t const child = must(fork());
    if (child == 0) become_tool(how, in, out_target, err[1]);
    close(in);
    close(out[1]);
    close(err[1]);
    if (!how.out_path.empty()) close(out_target);
    outcome result;
    drain(how.reader_is_gone ? -1 : out[0], result.out, err[0], result.err);
    if (!how.reader_is_gone) close(out[0]);
    close(err[0]);
    int status = 0;
    waitpid(child, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    return result;
}

} // namespace

long outcome::err_lines() const { return std::count(err.begin(), err.end(), '\n'); }

outcome run(std::vector<std::string> const& words) { return run_as({.words = words}); }

outcome run_with(std::vector<std::string> const& words, std::string const& out_path,
                 std::string const& in_path) {
    return run_as({.words = words, .out_path = out_path, .in_path = in_path});
}

outcome run_on_terminal(std::vector<std::string> const& words, std::vector<std::string> const& environment) {
    std::vector<std::string> all{"TERM=xterm"};
    all.insert(all.end(), environment.begin(), environment.end());
    return run_as({.words = words, .on_terminal = true, .environment = all});
}

outcome run_without_reader(std::vector<std::string> const& words) {
    return run_as({.words = words, .reader_is_gone = true});
}

outcome run_program(std::vector<std::string> const& words) {
    return run_as({.words = {words.begin() + 1, words.end()}, .program = words.front()});
}

bool has_terminals() {
    int ends[2];
    if (openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0) return false;
    close(ends[0]);
    close(ends[1]);
    return true;
}

} // namespace rhizome::cli::testing
