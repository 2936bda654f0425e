// SPDX-License-Identifier: Apache-2.0
#include "runtime_calls.hpp"

#include <cuda_runtime_api.h>

#include <atomic>

// The names are those of the linker's option --wrap.
extern "C" {
cudaError_t __real_cudaStreamSynchronize(cudaStream_t);
cudaError_t __real_cudaEventSynchronize(cudaEvent_t);
cudaError_t __real_cudaDeviceSynchronize();
cudaError_t __real_cudaMemcpy(void*, void const*, size_t, cudaMemcpyKind);
cudaError_t __real_cudaMemcpyAsync(void*, void const*, size_t, cudaMemcpyKind, cudaStream_t);
cudaError_t __real_cudaMalloc(void**, size_t);
cudaError_t __real_cudaMallocAsync(void**, size_t, cudaStream_t);
cudaError_t __real_cudaMallocHost(void**, size_t);
cudaError_t __real_cudaHostAlloc(void**, size_t, unsigned);
cudaError_t __real_cudaFree(void*);
}

namespace {

std::atomic<std::uint64_t> waits{0};
std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> frees{0};

} // namespace

extern "C" {
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream) {
    ++waits;
    return __real_cudaStreamSynchronize(stream);
}
cudaError_t __wrap_cudaEventSynchronize(cudaEvent_t event) {
    ++waits;
    return __real_cudaEventSynchronize(event);
}
cudaError_t __wrap_cudaDeviceSynchronize() {
    ++waits;
    return __real_cudaDeviceSynchronize();
}
cudaError_t __wrap_cudaMemcpy(void* to, void const* from, size_t bytes, cudaMemcpyKind kind) {
    ++waits;
    return __real_cudaMemcpy(to, from, bytes, kind);
}
/// From pageable memory, and to it, the driver waits for the stream.
cudaError_t __wrap_cudaMemcpyAsync(void* to, void const* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
    cudaPointerAttributes attributes{};
    void const* const on_host = kind == cudaMemcpyHostToDevice   ? from
                                : kind == cudaMemcpyDeviceToHost ? to
                                                                 : nullptr;
    if (on_host != nullptr && cudaPointerGetAttributes(&attributes, on_host) == cudaSuccess &&
        attributes.type == cudaMemoryTypeUnregistered)
        ++waits;
    return __real_cudaMemcpyAsync(to, from, bytes, kind, stream);
}
cudaError_t __wrap_cudaMalloc(void** pointer, size_t bytes) {
    ++allocations;
    return __real_cudaMalloc(pointer, bytes);
}
cudaError_t __wrap_cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
    ++allocations;
    return __real_cudaMallocAsync(pointer, bytes, stream);
}
cudaError_t __wrap_cudaMallocHost(void** pointer, size_t bytes) {
    ++allocations;
    return __real_cudaMallocHost(pointer, bytes);
}
cudaError_t __wrap_cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
    ++allocations;
    return __real_cudaHostAlloc(pointer, bytes, flags);
}
cudaError_t __wrap_cudaFree(void* pointer) {
    ++frees;
    return __real_cudaFree(pointer);
}
}

namespace rhizome::tests {

runtime_calls runtime_calls_so_far() { return {waits, allocations, frees}; }

} // namespace rhizome::tests
