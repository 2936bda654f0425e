// Calls of libraries that judge themselves by the thread's last CUDA error.
#pragma once

#include <cuda_runtime_api.h>

#include <thread>

namespace rhizome::exec::detail {

/// What `call` returns, called on `device` so that it finds no unread error of the user's: CUB takes the
/// thread's last error for its own, and reads it. Each thread has its own last error, so where one is unread
/// the call is made by a new thread, and the error stays for the user.
/// A thread of its own would mean another stream by cudaStreamPerThread: there, the unread error is dropped.
/// Precondition: `device` is current.
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
