// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

/// Opens a file for the program; -1 for "".
int opened(std::string const& path, int how) {
    int const descriptor = path.empty() ? -1 : open(path.c_str(), how | O_CLOEXEC);
    if (descriptor < 0 && !path.empty()) throw std::runtime_error("the test cannot open " + path);
    return descriptor;
}

/// Reads both until both have ended. A terminal ends with an error, which is its way.
void drain(comm::descriptor& first, std::string& first_text, comm::descriptor& second,
           std::string& second_text) {
    while (first.get() >= 0 || second.get() >= 0) {
        std::array<pollfd, 2> open{pollfd{first.get(), POLLIN, 0}, pollfd{second.get(), POLLIN, 0}};
        poll(open.data(), open.size(), -1);
        if (open[0].revents != 0) comm::read_some(first, first_text);
        if (open[1].revents != 0) comm::read_some(second, second_text);
    }
}

outcome run_as(request const& how) {
    comm::pipe_ends out;
    comm::pipe_ends err;
    if (how.on_terminal) {
        int ends[2];
        if (openpty(&ends[0], &ends[1], nullptr, nullptr, nullptr) != 0)
            throw std::runtime_error("the test cannot open a terminal");
        err.read.reset(ends[0]);
        err.write.reset(ends[1]);
    }
    comm::descriptor const in(opened(how.in_path, O_RDONLY));
    comm::descriptor const out_file(opened(how.out_path, O_WRONLY));
    if (how.reader_is_gone) out.read.reset();
    std::vector<std::string> words{how.program};
    words.insert(words.end(), how.words.begin(), how.words.end());
    int const out_target = how.out_path.empty() ? out.write.get() : out_file.get();
    comm::child_process child({.words = words,
                               .descriptors = {in.get(), out_target, err.write.get()},
                               .variables = how.environment});
    out.write.reset();
    err.write.reset();
    outcome result;
    drain(out.read, result.out, err.read, result.err);
    child.wait();
    result.exit_code = child.by_signal() ? 128 - child.exit_code() : child.exit_code();
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
    std::vector<std::string> all = environment;
    if (std::none_of(all.begin(), all.end(),
                     [](std::string const& each) { return each.starts_with("TERM="); }))
        all.emplace_back("TERM=xterm");
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
