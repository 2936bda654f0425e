// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/launch/launch.hpp>
#include <rhizome/comm/launch/launched_rank.hpp>
#include <rhizome/comm/launch/process.hpp>

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <list>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace rhizome::comm {

namespace {
using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// A folder for the file through which the ranks meet.
class meeting_folder {
public:
    meeting_folder() {
        std::string path = (std::filesystem::temp_directory_path() / "rhizome-ranks-XXXXXX").string();
        if (::mkdtemp(path.data()) == nullptr)
            throw std::runtime_error("cannot make a folder for the ranks to meet: " + path);
        path_ = path;
    }
    meeting_folder(meeting_folder const&) = delete;
    meeting_folder& operator=(meeting_folder const&) = delete;
    ~meeting_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::string file() const { return (path_ / "id").string(); }

private:
    std::filesystem::path path_;
};

void print_with_rank(int rank, bool errors, std::string_view line) {
    std::FILE* const to = errors ? stderr : stdout;
    std::fprintf(to, "rank %d: %.*s\n", rank, static_cast<int>(line.size()), line.data());
    std::fflush(to);
}

/// "1, 4, 5", of the ranks that still run.
std::string running(std::list<detail::launched_rank> const& ranks) {
    std::string text;
    for (auto const& each : ranks)
        if (!each.ended()) text += (text.empty() ? "" : ", ") + std::to_string(each.rank());
    return text;
}

class job {
public:
    job(std::vector<std::string> const& words, launch_options const& options)
        : options_(options), begin_(clock::now()) {
        for (int rank = 0; rank < options.ranks; ++rank)
            ranks_.emplace_back(rank, options.ranks, words, folder_.file(),
                                options.on_line ? options.on_line : print_with_rank);
    }

    launch_end run() {
        while (!all_ended() && !(asked_at_ && clock::now() - *asked_at_ >= 2 * options_.grace)) {
            turn();
            if (int const signal = signal_watch::seen(); signal != 0) pass_on(signal);
            if (!failed_at_) look_for_failures();
            if (failed_at_ && !asked_at_ && clock::now() - *failed_at_ >= options_.settling) {
                end_.result = name_failure();
                ask_to_end(SIGTERM);
            }
            if (asked_at_ && clock::now() - *asked_at_ >= options_.grace)
                for (auto& each : ranks_)
                    each.kill();
        }
        for (auto& each : ranks_)
            each.finish();
        if (!asked_at_) look_for_failures();
        if (failed_at_ && !asked_at_) end_.result = name_failure(); // all have ended by themselves
        return end_;
    }

private:
    [[nodiscard]] bool all_ended() const {
        return std::ranges::all_of(ranks_, [](auto const& each) { return each.ended(); });
    }

    /// Waits a moment for output, passes it on, and notes which processes have ended.
    void turn() {
        std::vector<pollfd> open;
        for (auto const& each : ranks_)
            each.add_open(open);
        constexpr int look_for_ends_ms = 20;
        ::poll(open.data(), open.size(), look_for_ends_ms);
        for (auto& each : ranks_) {
            each.read_output();
            each.collect();
        }
    }

    void look_for_failures() {
        for (auto const& each : ranks_)
            if (each.failed()) failed_at_ = clock::now();
        if (!failed_at_ && !all_ended() && options_.time_limit.count() != 0 &&
            clock::now() - begin_ >= options_.time_limit) {
            end_ = {comm_result::failed(failure::timed_out, first_running(),
                                        "not all ranks ended within " +
                                            std::to_string(options_.time_limit.count()) +
                                            " ms (ranks still running: " + running(ranks_) + ")"),
                    124}; // as the program `timeout`
            failed_at_ = clock::now();
            ask_to_end(SIGTERM);
        }
    }

    [[nodiscard]] int first_running() const {
        auto const found = std::ranges::find_if(ranks_, [](auto const& each) { return !each.ended(); });
        return found == ranks_.end() ? no_rank : found->rank();
    }

    /// The rank that is the cause, as far as the ends of processes tell: one that a signal ended, else the
    /// first that failed.
    comm_result name_failure() {
        detail::launched_rank const* cause = nullptr;
        for (auto const& each : ranks_) {
            if (!each.failed()) continue;
            bool const more_certain = cause != nullptr && each.by_signal() && !cause->by_signal();
            bool const earlier = cause != nullptr && each.by_signal() == cause->by_signal() &&
                                 each.ended_at() < cause->ended_at();
            if (cause == nullptr || more_certain || earlier) cause = &each;
        }
        end_.exit_code = cause->exit_code();
        std::string why = "rank " + std::to_string(cause->rank()) + " of " + std::to_string(options_.ranks) +
                          " " + cause->how_it_ended();
        if (std::string const others = running(ranks_); !others.empty())
            why += " (ranks still running: " + others + ")";
        return comm_result::failed(failure::peer_left, cause->rank(), std::move(why));
    }

    void pass_on(int signal) {
        signal_watch::forget();
        if (!asked_at_)
            end_ = {comm_result::failed(failure::aborted, no_rank, "ended by " + signal_name(signal)),
                    128 + signal};
        failed_at_ = clock::now();
        ask_to_end(signal);
    }

    void ask_to_end(int signal) {
        for (auto& each : ranks_)
            each.send(signal);
        if (!asked_at_) asked_at_ = clock::now();
    }

    launch_options const& options_;
    clock::time_point begin_;
    meeting_folder folder_;
    std::list<detail::launched_rank> ranks_;
    std::optional<clock::time_point> failed_at_; ///< or the user asked to end
    std::optional<clock::time_point> asked_at_;  ///< when the processes were asked to end
    launch_end end_;
};
} // namespace

launch_end launch(std::vector<std::string> const& program_and_words, launch_options const& options) {
    if (options.ranks < 1)
        throw std::invalid_argument("a job has at least 1 rank, not " + std::to_string(options.ranks));
    signal_watch const watch;
    return job(program_and_words, options).run();
}

} // namespace rhizome::comm
