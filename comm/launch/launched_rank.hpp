// SPDX-License-Identifier: Apache-2.0
// A process that is one rank of a job, as its launcher sees it.
#pragma once

#include <rhizome/comm/launch/process.hpp>

#include <poll.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rhizome::comm::detail {

class launched_rank {
public:
    using line_function = std::function<void(int rank, bool errors, std::string_view line)>;

    /// Starts the process. Throws std::runtime_error.
    launched_rank(int rank, int ranks, std::vector<std::string> const& words, std::string const& meeting_file,
                  line_function on_line);

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] bool ended() const { return ended_; }
    /// It ended by a signal, or with another exit code than 0.
    [[nodiscard]] bool failed() const { return ended_ && exit_code() != 0; }
    [[nodiscard]] bool by_signal() const { return ended_ && process_.by_signal(); }
    /// As a shell reports it.
    [[nodiscard]] int exit_code() const { return process_.exit_code(); }
    [[nodiscard]] std::chrono::steady_clock::time_point ended_at() const { return ended_at_; }
    /// "ended with exit code 3: cannot open a.txt", "was ended by SIGKILL".
    [[nodiscard]] std::string how_it_ended() const;

    void add_open(std::vector<pollfd>& to) const;
    /// Passes on the lines that are there.
    void read_output();
    /// Notes whether the process has ended.
    void collect();
    /// Passes on the rest of the output, and kills what the process has left running.
    void finish();
    void send(int signal);
    void kill();

private:
    struct stream {
        pipe_ends pipe;
        std::string part; ///< of a line
    };
    void read_from(stream& which, bool errors);
    void pass_on(bool errors, std::string_view line);

    int rank_;
    line_function on_line_;
    stream output_;
    stream errors_;
    std::string last_error_line_;
    child_process process_;
    bool ended_ = false;
    std::chrono::steady_clock::time_point ended_at_;
};

} // namespace rhizome::comm::detail
