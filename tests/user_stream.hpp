// SPDX-License-Identifier: Apache-2.0
// A stream of the user's own, and the default stream held meanwhile: fixture of CUDA tests.
#pragma once

#include <rhizome/exec/cuda.hpp>
#include <rhizome/exec/cuda/check.hpp>

#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <spaces.hpp>
#include <stream_gate.hpp>

namespace rhizome::tests {

namespace detail {
/// Long enough that work which does not wait for it is done first.
static __global__ void take_a_millisecond() {
    unsigned long long start = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - start < 1'000'000ull);
}
} // namespace detail

class on_user_stream : public space_test {
protected:
    void SetUp() override {
        space_test::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        exec::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                         "cudaStreamCreateWithFlags");
        delay();
        exec::check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    }
    void TearDown() override {
        if (stream != nullptr) cudaStreamDestroy(stream);
    }
    [[nodiscard]] exec::cuda_space space() const { return exec::cuda_space({.stream = stream}); }
    /// What the stream is given next begins a millisecond late.
    void delay() const { detail::take_a_millisecond<<<1, 1, 0, stream>>>(); }

    /// Calls round(0), round(1), ...: the first two make scratch, the heap and the kernels ready, and the
    /// others find the default stream held. Fails where one of those waits for it.
    template <class Round>
    void hold_the_default_stream(unsigned rounds, Round const& round) const {
        round(0u);
        round(1u);
        exec::check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        stream_gate held;
        held.hold(nullptr);
        for (unsigned number = 2; number < rounds; ++number)
            round(number);
        exec::check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
        EXPECT_EQ(cudaStreamQuery(nullptr), cudaErrorNotReady) << "the default stream was not held";
        static_cast<void>(cudaGetLastError());
        EXPECT_FALSE(held.gave_up()) << "something waited for the default stream";
    }

    cudaStream_t stream = nullptr;
};

} // namespace rhizome::tests
