// SPDX-License-Identifier: Apache-2.0
// Calls of libraries that take the thread's last CUDA error for their own.
#pragma once

#include <cuda_runtime_api.h>

#include <thread>

namespace rhizome::exec::detail {

/// Returns the result of `call`, made on `device` in a thread without an unread error of the user. CUB takes
/// the last error of the thread for its own, and clears it. Each thread has its own last error. So where one
/// is unread, a new thread makes the call, and the error stays for the user. On cudaStreamPerThread a new
/// thread would mean another stream; there, the unread error is dropped. Precondition: `device` is current.
template <class Call>
[[nodiscard]] cudaError_t call_without_pending_error(int device, cudaStream_t stream, Call const& call) {
    if (cudaPeekAtLastError() == cudaSuccess) return call();
    if (stream == cudaStreamPerThread) {
        static_cast<void>(cudaGetLastError());
        return call();
    }
    cudaError_t result = cudaSuccess;
    std::thread([&] {
        result = cudaSetDevice(device);
        if (result == cudaSuccess) result = call();
    }).join();
    return result;
}

} // namespace rhizome::exec::detail
