// SPDX-License-Identifier: Apache-2.0
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/io/message_text.hpp>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace rhizome::cli {
namespace {

constexpr auto interval = std::chrono::milliseconds(100);

unsigned terminal_columns() {
    winsize size{};
    bool const known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

} // namespace

std::string progress_line(double fraction, std::string const& text, unsigned columns) {
    constexpr std::size_t width = 24;
    std::string line = text;
    if (fraction >= 0) {
        fraction = std::min(fraction, 1.0);
        auto const done = static_cast<std::size_t>(fraction * width);
        line = fmt::format("[{}{}] {:3.0f}% {}", std::string(done, '#'), std::string(width - done, '.'),
                           fraction * 100, text);
    }
    // A line that fills the last column makes some terminals wrap.
    return line.substr(0, columns > 1 ? columns - 1 : 1);
}

void progress_bar::show(double fraction, std::string const& text) {
    if (!enabled_) return;
    auto const now = std::chrono::steady_clock::now();
    if (drawn_ && now < next_) return;
    next_ = now + interval;
    drawn_ = true;
    fmt::print(stderr, "\r\x1b[K{}", progress_line(fraction, io::shown(text), terminal_columns()));
    std::fflush(stderr);
}

void progress_bar::clear() {
    if (!drawn_) return;
    drawn_ = false;
    std::fputs("\r\x1b[K", stderr);
    std::fflush(stderr);
}

} // namespace rhizome::cli
