// SPDX-License-Identifier: Apache-2.0
// Times of work given to a session.
#pragma once

#include <chrono>
#include <utility>

namespace rhizome::cli {

/// Milliseconds since it was made.
class stopwatch {
public:
    [[nodiscard]] double elapsed_ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Milliseconds that the work takes, including what it leaves running on the session's space.
template <class Session, class Work>
[[nodiscard]] double measure_ms(Session& session, Work&& work) {
    session.synchronize();
    stopwatch const watch;
    std::forward<Work>(work)();
    session.synchronize();
    return watch.elapsed_ms();
}

} // namespace rhizome::cli
