// SPDX-License-Identifier: Apache-2.0
// Times that the device takes.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/stopwatch.hpp>

#include <driver_types.h>

namespace rhizome::exec {

/// Two events on the stream of the space. Resolution: about half a microsecond. start() keeps the device
/// waiting for 20 us, so that up to that much launch time of the measured work does not count.
template <>
class stopwatch<cuda_space> {
public:
    explicit stopwatch(cuda_space space);
    stopwatch(stopwatch const&) = delete;
    stopwatch& operator=(stopwatch const&) = delete;
    ~stopwatch();

    void start();
    void stop();
    [[nodiscard]] double elapsed_ms() const;

private:
    cuda_space space_;
    cudaEvent_t start_ = nullptr;
    cudaEvent_t stop_ = nullptr;
};

} // namespace rhizome::exec
