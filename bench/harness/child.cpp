// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <thread>

namespace rhizome::bench {
namespace {

using comm::descriptor;
using comm::pipe_ends;

/// A child that goes before it has read its input must not take us along.
class broken_pipes_ignored {
public:
    broken_pipes_ignored() {
        struct sigaction action {};
        action.sa_handler = SIG_IGN;
        sigaction(SIGPIPE, &action, &before_);
    }
    broken_pipes_ignored(broken_pipes_ignored const&) = delete;
    broken_pipes_ignored& operator=(broken_pipes_ignored const&) = delete;
    ~broken_pipes_ignored() { sigaction(SIGPIPE, &before_, nullptr); }

private:
    struct sigaction before_ {};
};

[[noreturn]] void become(std::vector<char*> const& words, pid_t parent, int in, int answer, int errors) {
    setpgid(0, 0); // a group of its own, so that all that it starts can be ended with it
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127); // it went before the call above
    std::signal(SIGPIPE, SIG_DFL);
    int const nowhere = open("/dev/null", O_WRONLY); // NOLINT: POSIX
    // Above the descriptors that are about to be replaced.
    int const in_copy = fcntl(in, F_DUPFD, answer_descriptor + 1);
    int const answer_copy = fcntl(answer, F_DUPFD, answer_descriptor + 1);
    int const errors_copy = fcntl(errors, F_DUPFD, answer_descriptor + 1);
    dup2(in_copy, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(errors_copy, STDERR_FILENO);
    dup2(answer_copy, answer_descriptor);
    for (int const extra : {nowhere, in_copy, answer_copy, errors_copy})
        if (extra > answer_descriptor) close(extra);
    execv(words.front(), words.data());
    _exit(127);
}

/// Ends the child's group and collects the child. A driver may keep it for a while: no longer than this.
void end_group(pid_t child) {
    using namespace std::chrono_literals;
    kill(-child, SIGKILL);
    kill(child, SIGKILL); // it may not have made its group yet
    for (int attempt = 0; attempt < 1000; ++attempt) {
        if (waitpid(child, nullptr, WNOHANG) != 0) return;
        std::this_thread::sleep_for(10ms);
    }
}

std::string last_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r'))
        text.remove_suffix(1);
    auto const begin = text.rfind('\n');
    return std::string(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

/// Reads and writes until the child's ends are closed. False: the time was over.
class conversation {
public:
    conversation(descriptor& in, descriptor& answer, descriptor& errors, std::string const& input)
        : in_(in), answer_(answer), errors_(errors), input_(input) {
        fcntl(in.get(), F_SETFL, O_NONBLOCK);
    }

    [[nodiscard]] bool done() const { return answer_.get() < 0 && errors_.get() < 0; }

    void turn(int milliseconds) {
        std::array<pollfd, 3> open{pollfd{in_.get(), POLLOUT, 0}, pollfd{answer_.get(), POLLIN, 0},
                                   pollfd{errors_.get(), POLLIN, 0}};
        if (poll(open.data(), open.size(), milliseconds) <= 0) return;
        if (open[0].revents != 0) feed();
        if (open[1].revents != 0) take(answer_, answer_text);
        if (open[2].revents != 0) take(errors_, errors_text);
        constexpr std::size_t kept = 1 << 16; // a child that floods its standard error must not fill ours
        if (errors_text.size() > 2 * kept) errors_text.erase(0, errors_text.size() - kept);
    }

    std::string answer_text;
    std::string errors_text;

private:
    void feed() {
        ssize_t const put = write(in_.get(), input_.data() + fed_, input_.size() - fed_);
        if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (put > 0) fed_ += static_cast<std::size_t>(put);
        if (put < 0 || fed_ == input_.size()) in_.reset();
    }

    static void take(descriptor& from, std::string& text) {
        char buffer[4096];
        ssize_t const got = read(from.get(), buffer, sizeof buffer);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) return from.reset();
        text.append(buffer, static_cast<std::size_t>(got));
    }

    descriptor& in_;
    descriptor& answer_;
    descriptor& errors_;
    std::string const& input_;
    std::size_t fed_ = 0;
};

} // namespace

child_end run_child(std::vector<std::string> const& program_and_words, std::string const& input,
                    double limit_seconds, std::function<void(double)> const& tick) {
    using clock = std::chrono::steady_clock;
    std::vector<std::string> copies = program_and_words;
    std::vector<char*> words;
    for (std::string& word : copies)
        words.push_back(word.data());
    words.push_back(nullptr);

    broken_pipes_ignored const guard;
    pipe_ends in;
    pipe_ends answer;
    pipe_ends errors;
    auto const start = clock::now();
    pid_t const parent = getpid();
    pid_t const child = fork();
    if (child < 0) throw std::runtime_error(std::string("cannot fork: ") + std::strerror(errno));
    if (child == 0) become(words, parent, in.read.get(), answer.write.get(), errors.write.get());
    in.read.reset();
    answer.write.reset();
    errors.write.reset();

    child_end end;
    int status = 0;
    bool collected = false;
    conversation talk(in.write, answer.read, errors.read, input);
    auto const elapsed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
    // The child may close its ends and go on, or leave them to a grandchild and go: both ends are awaited.
    while (true) {
        if (int const signal = comm::signal_watch::seen(); signal != 0) {
            if (!collected) end_group(child);
            throw interrupted(signal);
        }
        if (!collected) collected = waitpid(child, &status, WNOHANG) == child;
        if (collected) {
            while (!talk.done()) { // what it wrote before its end
                std::size_t const before = talk.answer_text.size() + talk.errors_text.size();
                talk.turn(0);
                if (talk.answer_text.size() + talk.errors_text.size() == before) break;
            }
            break;
        }
        if (elapsed() >= limit_seconds) {
            end_group(child);
            end.how = child_end::kind::timed_out;
            break;
        }
        double const left_ms = (limit_seconds - elapsed()) * 1000;
        if (talk.done()) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } else {
            talk.turn(static_cast<int>(std::clamp(left_ms + 1, 1.0, 100.0)));
        }
        if (tick) tick(elapsed());
    }
    kill(-child, SIGKILL); // what it may have left running
    end.wall_seconds = elapsed();
    end.answer = std::move(talk.answer_text);
    end.last_words = last_line(talk.errors_text);
    if (end.how != child_end::kind::timed_out) {
        end.how = WIFEXITED(status) ? child_end::kind::exited : child_end::kind::signalled;
        end.code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
    }
    return end;
}

} // namespace rhizome::bench
