// SPDX-License-Identifier: Apache-2.0
// How long work takes, on the host and on a space.
#pragma once

#include <chrono>
#include <utility>

namespace rhizome::exec {

/// Milliseconds since it was made, by the steady clock of the host.
class wall_timer {
public:
    [[nodiscard]] double elapsed_ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Milliseconds that the work takes on the host, including what it leaves running. `space`: a space, or what
/// else has synchronize().
template <class Space, class Work>
[[nodiscard]] double measure_ms(Space& space, Work&& work) {
    space.synchronize();
    wall_timer const timer;
    std::forward<Work>(work)();
    space.synchronize();
    return timer.elapsed_ms();
}

/// Measures the milliseconds between two points in the order of a space. This version uses the steady clock,
/// and waits for the space at both points; `cuda/stopwatch.hpp` has one that lets the device take the times.
template <class Space>
class stopwatch {
public:
    explicit stopwatch(Space space) : space_(std::move(space)) {}

    void start() {
        space_.synchronize();
        timer_ = {};
    }
    void stop() {
        space_.synchronize();
        elapsed_ms_ = timer_.elapsed_ms();
    }
    /// Between the last start() and stop(); waits for them. Throws the errors of the work in between.
    [[nodiscard]] double elapsed_ms() const { return elapsed_ms_; }

private:
    Space space_;
    wall_timer timer_;
    double elapsed_ms_ = 0;
};

} // namespace rhizome::exec
