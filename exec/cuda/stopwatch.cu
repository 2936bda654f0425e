// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/kernel_list.hpp>
#include <rhizome/exec/cuda/stopwatch.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace rhizome::exec {

namespace {

/// One thread that waits until the host has had the time to launch what is measured.
__global__ void wait_for_host() {
    constexpr unsigned long long nanoseconds = 20'000;
    unsigned long long start = 0;
    unsigned long long now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    do {
        __nanosleep(500);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (now - start < nanoseconds);
}

detail::listed_kernel listing(reinterpret_cast<void const*>(&wait_for_host));

} // namespace

stopwatch<cuda_space>::stopwatch(cuda_space space) : space_(std::move(space)) {
    device_guard const current(space_.device());
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    if (cudaError_t const result = cudaEventCreate(&stop_); result != cudaSuccess) {
        cudaEventDestroy(start_);
        check_cuda(result, "cudaEventCreate");
    }
}

stopwatch<cuda_space>::~stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
}

void stopwatch<cuda_space>::start() {
    device_guard const current(space_.device());
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(1);
    config.stream = space_.stream();
    // What this launch says, not the thread's last error: that may be of a call of the user's.
    check_cuda(cudaLaunchKernelExC(&config, reinterpret_cast<void const*>(&wait_for_host), nullptr),
               "launch of wait_for_host");
    space_.record(start_);
}
void stopwatch<cuda_space>::stop() { space_.record(stop_); }

double stopwatch<cuda_space>::elapsed_ms() const {
    float milliseconds = 0;
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds;
}

} // namespace rhizome::exec
