// How long work on a space takes.
#pragma once

#include <chrono>
#include <utility>

namespace rhizome::exec {

/// Milliseconds between two points in the order of a space. Here: by the steady clock, with the space at rest
/// at both; `cuda/stopwatch.hpp` has the one that lets the device take the times itself.
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
    /// Of the last start() and stop(); waits for them. Throws what went wrong in between.
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
