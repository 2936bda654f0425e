// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
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
        if (open[1].revents != 0) comm::read_some(answer_, answer_text);
        if (open[2].revents != 0) comm::read_some(errors_, errors_text);
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
    broken_pipes_ignored const guard;
    pipe_ends in;
    pipe_ends answer;
    pipe_ends errors;
    auto const start = clock::now();
    // Its descriptor answer_descriptor is the last one.
    comm::child_process child({.words = program_and_words,
                               .descriptors = {in.read.get(), -1, errors.write.get(), answer.write.get()},
                               .is_bound = true});
    in.read.reset();
    answer.write.reset();
    errors.write.reset();

    child_end end;
    conversation talk(in.write, answer.read, errors.read, input);
    auto const elapsed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
    // The child may close its ends and go on, or leave them to a grandchild and go: both ends are awaited.
    while (true) {
        if (int const signal = comm::signal_watch::seen(); signal != 0) throw interrupted(signal);
        if (child.ended()) {
            while (!talk.done()) { // what it wrote before its end
                std::size_t const before = talk.answer_text.size() + talk.errors_text.size();
                talk.turn(0);
                if (talk.answer_text.size() + talk.errors_text.size() == before) break;
            }
            break;
        }
        if (elapsed() >= limit_seconds) {
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
    child.end();
    end.wall_seconds = elapsed();
    end.answer = std::move(talk.answer_text);
    end.last_words = comm::last_line(talk.errors_text);
    if (end.how != child_end::kind::timed_out) {
        end.how = child.by_signal() ? child_end::kind::signalled : child_end::kind::exited;
        end.code = child.exit_code() - (child.by_signal() ? 128 : 0);
    }
    return end;
}

} // namespace rhizome::bench
