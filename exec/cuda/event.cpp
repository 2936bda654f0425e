// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/event.hpp>

#include <cuda_runtime_api.h>

namespace rhizome::exec {

event<cuda_space>::event(cuda_space const& space) {
    device_guard const current(space.device());
    check_cuda(cudaEventCreateWithFlags(&handle_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

event<cuda_space>::~event() {
    if (handle_ != nullptr) cudaEventDestroy(handle_);
}

bool event<cuda_space>::reached() const {
    cudaError_t const result = cudaEventQuery(handle_);
    if (result == cudaErrorNotReady) {
        forget_error(result); // an answer, not a failure
        return false;
    }
    check_cuda(result, "cudaEventQuery");
    return true;
}

} // namespace rhizome::exec
