// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace rhizome::comm {

namespace {
constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, watched.size()> before;
volatile std::sig_atomic_t last_signal = 0;

void note_signal(int signal) { last_signal = signal; }
} // namespace

void descriptor::reset(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
}

pipe_ends::pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(errno));
    read.reset(ends[0]);
    write.reset(ends[1]);
}

signal_watch::signal_watch() {
    last_signal = 0;
    struct sigaction action {};
    action.sa_handler = note_signal; // without SA_RESTART: poll returns
    for (std::size_t i = 0; i < watched.size(); ++i)
        ::sigaction(watched[i], &action, &before[i]);
}

signal_watch::~signal_watch() {
    for (std::size_t i = 0; i < watched.size(); ++i)
        ::sigaction(watched[i], &before[i], nullptr);
}

int signal_watch::seen() { return last_signal; }
void signal_watch::forget() { last_signal = 0; }

std::string own_program() {
    char path[PATH_MAX];
    ssize_t const length = ::readlink("/proc/self/exe", path, sizeof path);
    if (length <= 0) throw std::runtime_error("cannot find the program's own file");
    return std::string(path, static_cast<std::size_t>(length));
}

std::string signal_name(int number) {
    char const* const name = ::sigabbrev_np(number);
    return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

} // namespace rhizome::comm
