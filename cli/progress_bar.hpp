// SPDX-License-Identifier: Apache-2.0
// How far a long command has come, on a terminal.
#pragma once

#include <rhizome/cli/console.hpp>

#include <chrono>
#include <string>

namespace rhizome::cli {

/// One line at the foot of the terminal, on standard error. Where it is not enabled, or the terminal
/// cannot draw, nothing is written ever.
class progress_bar {
public:
    explicit progress_bar(bool enabled) : enabled_(enabled && terminal_can_draw()) {}
    progress_bar(progress_bar const&) = delete;
    progress_bar& operator=(progress_bar const&) = delete;
    ~progress_bar() { clear(); }

    /// Draws, at most ten times a second. `fraction` in [0, 1]; negative means not known.
    void show(double fraction, std::string const& text);

    /// Takes the line away, so that other text can be printed; the next show() draws at once.
    void clear();

private:
    bool enabled_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point next_{};
};

/// `[#####.....]  50% text`; without the bar where the fraction is negative. No longer than `columns`.
[[nodiscard]] std::string progress_line(double fraction, std::string const& text, unsigned columns);

} // namespace rhizome::cli
