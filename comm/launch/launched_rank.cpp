// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/launch/launched_rank.hpp>

#include <fcntl.h>

#include <csignal>
#include <cstddef>
#include <utility>

namespace rhizome::comm::detail {

launched_rank::launched_rank(int rank, int ranks, std::vector<std::string> const& words,
                             std::string const& meeting_file, line_function on_line)
    : rank_(rank), on_line_(std::move(on_line)),
      process_(
          {.words = words,
           .descriptors = {-1, output_.pipe.write.get(), errors_.pipe.write.get()},
           .variables = {"RHIZOME_RANK=" + std::to_string(rank), "RHIZOME_RANKS=" + std::to_string(ranks),
                         "RHIZOME_LOCAL_RANK=" + std::to_string(rank), "RHIZOME_COMM_FILE=" + meeting_file,
                         "RHIZOME_COMM_BOARD=" + meeting_file + ".board"},
           .is_bound = true}) {
    for (stream* each : {&output_, &errors_}) {
        each->pipe.write.reset();
        ::fcntl(each->pipe.read.get(), F_SETFL, O_NONBLOCK);
    }
}

std::string launched_rank::how_it_ended() const {
    std::string const how = by_signal() ? "was ended by " + signal_name(exit_code() - 128)
                                        : "ended with exit code " + std::to_string(exit_code());
    return last_error_line_.empty() ? how : how + ": " + last_error_line_;
}

void launched_rank::add_open(std::vector<pollfd>& to) const {
    for (stream const* each : {&output_, &errors_})
        if (each->pipe.read.get() >= 0) to.push_back({each->pipe.read.get(), POLLIN, 0});
}

void launched_rank::read_output() {
    read_from(output_, false);
    read_from(errors_, true);
}

void launched_rank::read_from(stream& which, bool errors) {
    constexpr int most_reads = 64; // a process that floods its output must not stop the others
    for (int reads = 0; which.pipe.read.get() >= 0 && reads < most_reads; ++reads) {
        if (!read_some(which.pipe.read, which.part)) {
            if (which.pipe.read.get() >= 0) return;
            if (!which.part.empty()) pass_on(errors, std::exchange(which.part, {}));
            return;
        }
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
    if (ended_ || !process_.ended()) return;
    ended_ = true;
    ended_at_ = std::chrono::steady_clock::now();
    read_output(); // what it wrote before its end
}

void launched_rank::finish() {
    if (ended_) process_.end();
    kill();
    read_output();
    for (auto const& [which, errors] : {std::pair{&output_, false}, std::pair{&errors_, true}})
        if (!which->part.empty()) pass_on(errors, std::exchange(which->part, {}));
}

void launched_rank::send(int signal) {
    if (!ended_) process_.send(signal);
}

void launched_rank::kill() { send(SIGKILL); }

} // namespace rhizome::comm::detail
