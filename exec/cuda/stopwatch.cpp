#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/stopwatch.hpp>

#include <cuda_runtime_api.h>

#include <utility>

namespace rhizome::exec {

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

void stopwatch<cuda>::start() { check_cuda(cudaEventRecord(start_, space_.stream()), "cudaEventRecord"); }
void stopwatch<cuda>::stop() { check_cuda(cudaEventRecord(stop_, space_.stream()), "cudaEventRecord"); }

double stopwatch<cuda>::elapsed_ms() const {
    float milliseconds = 0;
    check_cuda(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    check_cuda(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds;
}

} // namespace rhizome::exec
