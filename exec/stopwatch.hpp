// SPDX-License-Identifier: Apache-2.0
// How long work on a space takes.
#pragma once

#include <chrono>
#include <utility>

namespace rhizome::exec {

/// Measures the milliseconds between two points in the order of a space. This version uses the steady clock,
/// and waits for the space at both points; `cuda/stopwatch.hpp` has one that lets the device take the times.
template <class Space>
class stopwatch {
public:
    explicit stopwatch(Space space) : space_(std::move(space)) {}

    void start() {
        space_.synchronize();
        start_ = clock::now();
    }
    void stop() {
        space_.synchronize();
        stop_ = clock::now();
    }
    /// Between the last start() and stop(); waits for them. Throws the errors of the work in between.
    [[nodiscard]] double elapsed_ms() const {
        return std::chrono::duration<double, std::milli>(stop_ - start_).count();
    }

private:
    using clock = std::chrono::steady_clock;

    Space space_;
    clock::time_point start_{};
    clock::time_point stop_{};
};

} // namespace rhizome::exec
