// SPDX-License-Identifier: Apache-2.0
// A stream that is held until the host lets it go on. CUDA tests only.
#pragma once

#include <rhizome/exec/cuda/check.hpp>

#include <cuda_runtime.h>

#include <new>

namespace rhizome::tests {

namespace detail {

/// Device and host share it.
struct gate_words {
    volatile int open;
    volatile int gave_up;
};

/// Until the host opens the gate, or for ten seconds.
static __global__ void wait_at_gate(gate_words* gate) {
    unsigned long long start = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        __nanosleep(1000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > 10'000'000'000ull) gate->gave_up = 1;
    } while (gate->open == 0 && gate->gave_up == 0);
}

} // namespace detail

/// Opens at its end at the latest, and waits for the device then.
class stream_gate {
public:
    stream_gate() {
        void* memory = nullptr;
        exec::check_cuda(cudaHostAlloc(&memory, sizeof(detail::gate_words), cudaHostAllocMapped),
                         "cudaHostAlloc");
        words_ = new (memory) detail::gate_words{0, 0};
    }
    stream_gate(stream_gate const&) = delete;
    stream_gate& operator=(stream_gate const&) = delete;
    ~stream_gate() {
        open();
        cudaDeviceSynchronize();
        cudaFreeHost(words_);
    }

    /// What the stream is given from now on waits for open().
    void hold(cudaStream_t stream) { detail::wait_at_gate<<<1, 1, 0, stream>>>(words_); }
    void open() { words_->open = 1; }
    /// The host waited for the stream while it was held: the stream went on by itself.
    [[nodiscard]] bool gave_up() const { return words_->gave_up != 0; }

private:
    detail::gate_words* words_;
};

} // namespace rhizome::tests
