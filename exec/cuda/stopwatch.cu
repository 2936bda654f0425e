#include <rhizome/exec/cuda/check.hpp>
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

} // namespace

stopwatch<cuda>::stopwatch(cuda space) : space_(std::move(space)) {
    check_cuda(cudaEventCreate(&start_), "cudaEventCreate");
    if (cudaError_t const result = cudaEventCreate(&stop_); result != cudaSuccess) {
        cudaEventDestroy(start_);
        check_cuda(result, "cudaEventCreate");
    }
}

stopwatch<cuda>::~stopwatch() {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
}

void stopwatch<cuda>::start() {
    wait_for_host<<<1, 1, 0, space_.stream()>>>();
    check_cuda(cudaGetLastError(), "launch of wait_for_host");
    check_cuda(cudaEventRecord(start_, space_.stream()), "cudaEventRecord");
}
void stopwatch<cuda>::stop() { check_cuda(cudaEventRecord(stop_, space_.stream()), "cudaEventRecord"); }

double stopwatch<cuda>::elapsed_ms() const {
    float milliseconds = 0;
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds;
}

} // namespace rhizome::exec
