// SPDX-License-Identifier: Apache-2.0
// A process with a time limit: what hangs or crashes in it is a result, and not the end.
#pragma once

#include <rhizome/comm/launch/process.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::bench {

/// How a child ended, and what it left behind.
struct child_end {
    enum class kind { exited, signalled, timed_out };
    kind how = kind::exited;
    int code = 0;           ///< exit code, or the signal's number
    std::string answer;     ///< all that it wrote to answer_descriptor
    std::string last_words; ///< the last line that it wrote to standard error
    double wall_seconds = 0;
};

/// The descriptor on which a child answers.
inline constexpr int answer_descriptor = 3;

/// The user asked to stop while a child ran, by SIGINT, SIGTERM or SIGHUP; the child is gone.
class interrupted : public std::runtime_error {
public:
    explicit interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
    [[nodiscard]] int signal() const { return signal_; }

private:
    int signal_;
};

/// While one lives, a signal that asks to stop ends the child that is running, and run_child() throws
/// interrupted.
using interrupt_guard = comm::signal_watch;

/// Runs a program, hands it `input` on standard input, and waits for its end, at most `limit_seconds`: then
/// it is killed, with all that it started. Its standard output goes nowhere. It dies with this process.
/// `tick` is called some ten times a second meanwhile, with the seconds so far; may be empty.
/// Throws std::runtime_error where no process can be had, interrupted as above.
[[nodiscard]] child_end run_child(std::vector<std::string> const& program_and_words, std::string const& input,
                                  double limit_seconds, std::function<void(double)> const& tick = {});

using comm::own_program;
using comm::signal_name;

} // namespace rhizome::bench
