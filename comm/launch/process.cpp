// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ; // NOLINT: POSIX

namespace rhizome::comm {

namespace {
constexpr std::array<int, 3> watched{SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, watched.size()> before;
volatile std::sig_atomic_t last_signal = 0;

void note_signal(int signal) { last_signal = signal; }

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// The variables of this process, and these instead of those of the same names.
std::vector<std::string> environment_with(std::vector<std::string> variables) {
    std::size_t const own = variables.size();
    for (char** each = environ; *each != nullptr; ++each) {
        std::string_view const variable = *each;
        std::string_view const name = variable.substr(0, variable.find('=') + 1);
        if (std::none_of(variables.begin(), variables.begin() + static_cast<std::ptrdiff_t>(own),
                         [&](std::string const& set) { return set.starts_with(name); }))
            variables.emplace_back(variable);
    }
    return variables;
}

/// What the new process does before it is the program. Only calls that are safe after fork(). Writes the
/// error to `failure` if the program cannot be run.
[[noreturn]] void become(std::vector<char*> const& words, std::vector<char*> const& variables,
                         std::vector<int>& descriptors, bool is_bound, pid_t parent, int failure) {
    if (is_bound) {
        ::setpgid(0, 0); // so that all that it starts can be ended with it
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) ::_exit(127); // it went before the call above
    }
    std::signal(SIGPIPE, SIG_DFL);
    // All descriptors first move above those that they replace.
    int const count = static_cast<int>(descriptors.size());
    failure = ::fcntl(failure, F_DUPFD_CLOEXEC, count); // NOLINT: POSIX
    for (int& each : descriptors) {
        if (each < 0) each = ::open("/dev/null", O_RDWR | O_CLOEXEC); // NOLINT: POSIX
        each = ::fcntl(each, F_DUPFD_CLOEXEC, count);                 // NOLINT: POSIX
    }
    bool placed = true;
    for (int number = 0; number < count; ++number)
        placed = placed && ::dup2(descriptors[static_cast<std::size_t>(number)], number) == number;
    if (placed) ::execvpe(words.front(), words.data(), variables.data());
    int const error = errno;
    [[maybe_unused]] ssize_t const written = ::write(failure, &error, sizeof error);
    ::_exit(127);
}
} // namespace

void descriptor::reset(int number) {
    if (number_ >= 0) ::close(number_);
    number_ = number;
}

pipe_ends::pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(errno));
    for (int& each : ends) {
        if (each > STDERR_FILENO) continue;
        int const low =
            std::exchange(each, ::fcntl(each, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); // NOLINT: POSIX
        int const error = errno;
        ::close(low);
        if (each >= 0) continue;
        ::close(ends[0] == each ? ends[1] : ends[0]);
        throw std::runtime_error(std::string("cannot open a pipe: ") + std::strerror(error));
    }
    read.reset(ends[0]);
    write.reset(ends[1]);
}

bool read_some(descriptor& from, std::string& text) {
    char buffer[4096];
    ssize_t const got = ::read(from.get(), buffer, sizeof buffer);
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) from.reset();
    return got > 0;
}

std::string last_line(std::string_view text) {
    text = text.substr(0, text.find_last_not_of("\r\n") + 1);
    return std::string(text.substr(text.find_last_of("\r\n") + 1));
}

child_process::child_process(program_start const& start) : is_bound_(start.is_bound) {
    if (start.words.empty()) throw std::runtime_error("cannot run nothing");
    std::vector<std::string> words = start.words;
    std::vector<std::string> variables = environment_with(start.variables);
    std::vector<char*> const word_pointers = pointers_to(words);
    std::vector<char*> const variable_pointers = pointers_to(variables);
    std::vector<int> descriptors = start.descriptors;
    pipe_ends failure; // exec closes it; an error number in it means that exec failed
    pid_t const parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
    if (process_ == 0)
        become(word_pointers, variable_pointers, descriptors, is_bound_, parent, failure.write.get());
    failure.write.reset();
    int error = 0;
    ssize_t got = 0;
    while ((got = ::read(failure.read.get(), &error, sizeof error)) < 0 && errno == EINTR) {
    }
    if (got <= 0) return;
    wait();
    throw std::runtime_error("cannot run " + start.words.front() + ": " + std::strerror(error));
}

bool child_process::ended() {
    errno = 0;
    return ended_ = ended_ || ::waitpid(process_, &status_, WNOHANG) == process_;
}

void child_process::wait() {
    while (!ended_ && ::waitpid(process_, &status_, 0) < 0) {
        if (errno == EINTR) continue;
        constexpr int unknown = 127; // the system has thrown the exit code away
        status_ = unknown << 8;
        break;
    }
    ended_ = true;
}

void child_process::send(int signal) {
    if (is_bound_) ::kill(-process_, signal);
    if (!is_bound_ && !ended_) ::kill(process_, signal);
}

void child_process::end() {
    send(SIGKILL);
    constexpr int most_looks = 1000;
    for (int look = 0; !ended() && errno != ECHILD && look < most_looks; ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    is_bound_ = is_bound_ && !ended_; // later its number may be that of another group
}

bool child_process::by_signal() const { return WIFSIGNALED(status_); }

int child_process::exit_code() const { return by_signal() ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_); }

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
