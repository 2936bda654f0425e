// SPDX-License-Identifier: Apache-2.0
// The user, or the system, asked the tool to stop.
#pragma once

#include <stdexcept>
#include <string>

namespace rhizome::cli {

/// A signal ended a command early, and in order: what() is one line that says what was done; the tool prints
/// it and ends with the exit code that a shell gives programs which the signal ended: 130 for SIGINT.
class stopped : public std::runtime_error {
public:
    stopped(int signal, std::string const& text) : std::runtime_error(text), signal_(signal) {}
    [[nodiscard]] int exit_code() const { return 128 + signal_; }

private:
    int signal_;
};

} // namespace rhizome::cli
