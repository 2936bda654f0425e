// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/launch/launched_rank.hpp>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ; // NOLINT: POSIX

namespace rhizome::comm::detail {

namespace {
/// This process's variables, but for those of the rank.
std::vector<std::string> variables_of(int rank, int ranks, std::string const& meeting_file) {
    std::vector<std::string> variables{
        "RHIZOME_RANK=" + std::to_string(rank), "RHIZOME_RANKS=" + std::to_string(ranks),
        "RHIZOME_LOCAL_RANK=" + std::to_string(rank), "RHIZOME_COMM_FILE=" + meeting_file,
        "RHIZOME_COMM_BOARD=" + meeting_file + ".board"};
    std::size_t const own = variables.size();
    for (char** each = environ; *each != nullptr; ++each) {
        std::string_view const variable = *each;
        std::string_view const name = variable.substr(0, variable.find('=') + 1);
        bool replaced = false;
        for (std::size_t i = 0; i < own; ++i)
            replaced = replaced || std::string_view(variables[i]).starts_with(name);
        if (!replaced) variables.emplace_back(variable);
    }
    return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

/// What the new process does before it is the program. Only calls that are safe after fork().
[[noreturn]] void become(std::vector<char*> const& words, std::vector<char*> const& variables, pid_t parent,
                         int output, int errors) {
    ::setpgid(0, 0); // so that all that it starts can be ended with it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127); // it went before the call above
    std::signal(SIGPIPE, SIG_DFL);
    int const nothing = ::open("/dev/null", O_RDONLY); // NOLINT: POSIX
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
    ::execve(words.front(), words.data(), variables.data());
    ::_exit(127);
}
} // namespace

launched_rank::launched_rank(int rank, int ranks, std::vector<std::string> words,
                             std::string const& meeting_file, line_function on_line)
    : rank_(rank), on_line_(std::move(on_line)) {
    if (words.empty() || ::access(words.front().c_str(), X_OK) != 0)
        throw std::runtime_error("cannot run " + (words.empty() ? "nothing" : words.front()) + ": " +
                                 std::strerror(errno));
    std::vector<std::string> variables = variables_of(rank, ranks, meeting_file);
    std::vector<char*> const word_pointers = pointers_to(words);
    std::vector<char*> const variable_pointers = pointers_to(variables);
    // The ends for the process lie above 2, whatever this process has closed.
    pipe_ends output;
    pipe_ends errors;
    descriptor const output_end(::fcntl(output.write.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    descriptor const errors_end(::fcntl(errors.write.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
    pid_t const parent = ::getpid();
    process_ = ::fork();
    if (process_ < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
    if (process_ == 0) become(word_pointers, variable_pointers, parent, output_end.get(), errors_end.get());
    ::setpgid(process_, process_); // whichever of the two comes first
    auto const keep = [](stream& which, pipe_ends& pipe) {
        which.from.reset(::fcntl(pipe.read.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
        ::fcntl(which.from.get(), F_SETFL, O_NONBLOCK);
    };
    keep(output_, output);
    keep(errors_, errors);
}

launched_rank::~launched_rank() {
    if (process_ <= 0 || finished_) return;
    ::kill(-process_, SIGKILL);      // also what the process has left running
    constexpr int most_looks = 1000; // a driver may keep it for a while: no longer than 10 seconds
    for (int look = 0; !ended_ && look < most_looks; ++look) {
        if (::waitpid(process_, &status_, WNOHANG) != 0) return;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

bool launched_rank::by_signal() const { return ended_ && WIFSIGNALED(status_); }

int launched_rank::exit_code() const {
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

std::string launched_rank::how_it_ended() const {
    std::string const how = by_signal() ? "was ended by " + signal_name(WTERMSIG(status_))
                                        : "ended with exit code " + std::to_string(exit_code());
    return last_error_line_.empty() ? how : how + ": " + last_error_line_;
}

void launched_rank::add_open(std::vector<pollfd>& to) const {
    for (stream const* each : {&output_, &errors_})
        if (each->from.get() >= 0) to.push_back({each->from.get(), POLLIN, 0});
}

void launched_rank::read_output() {
    read_from(output_, false);
    read_from(errors_, true);
}

void launched_rank::read_from(stream& which, bool errors) {
    constexpr int most_reads = 64; // a process that floods its output must not stop the others
    for (int reads = 0; which.from.get() >= 0 && reads < most_reads; ++reads) {
        char buffer[4096];
        ssize_t const got = ::read(which.from.get(), buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) return;
        if (got <= 0) {
            which.from.reset();
            if (!which.part.empty()) pass_on(errors, std::exchange(which.part, {}));
            return;
        }
        which.part.append(buffer, static_cast<std::size_t>(got));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = which.part.find('\n', begin)) != std::string::npos; begin = end + 1)
            pass_on(errors, std::string_view(which.part).substr(begin, end - begin));
        which.part.erase(0, begin);
        constexpr std::size_t longest = 1 << 20; // a process that ends no line must not fill our memory
        if (which.part.size() > longest) pass_on(errors, std::exchange(which.part, {}));
    }
}

void launched_rank::pass_on(bool errors, std::string_view line) {
    if (errors && !line.empty()) last_error_line_ = line;
    on_line_(rank_, errors, line);
}

void launched_rank::collect() {
    if (ended_ || ::waitpid(process_, &status_, WNOHANG) != process_) return;
    ended_ = true;
    ended_at_ = std::chrono::steady_clock::now();
    read_output(); // what it wrote before its end
}

void launched_rank::finish() {
    ::kill(-process_, SIGKILL);
    finished_ = ended_;
    read_output();
    for (auto const& [which, errors] : {std::pair{&output_, false}, std::pair{&errors_, true}})
        if (!which->part.empty()) pass_on(errors, std::exchange(which->part, {}));
}

void launched_rank::send(int signal) {
    if (!ended_) ::kill(-process_, signal);
}

void launched_rank::kill() { send(SIGKILL); }

} // namespace rhizome::comm::detail
