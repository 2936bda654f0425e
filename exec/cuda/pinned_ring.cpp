// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/pinned_ring.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>

namespace rhizome::exec {

namespace {

void await(cudaEvent_t event) {
    cudaError_t result = cudaEventQuery(event);
    if (result == cudaErrorNotReady) {
        forget_error(result); // an answer, not a failure
        result = cudaEventSynchronize(event);
    }
    check_cuda(result, "cudaEventSynchronize");
}

} // namespace

pinned_ring::~pinned_ring() {
    for (cudaEvent_t const event : copied_)
        if (event != nullptr) {
            cudaEventSynchronize(event);
            cudaEventDestroy(event);
        }
    cudaFreeHost(memory_);
}

bool pinned_ring::prepare() {
    if (memory_ != nullptr) return true;
    for (cudaEvent_t& event : copied_)
        if (event == nullptr)
            check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    void* memory = nullptr;
    cudaError_t const result = cudaMallocHost(&memory, bytes());
    if (result == cudaErrorMemoryAllocation) {
        forget_error(result);
        return false;
    }
    check_cuda(result, "cudaMallocHost");
    memory_ = static_cast<std::byte*>(memory);
    return true;
}

template <class Write>
void pinned_ring::copy_pieces(void* to, std::uint64_t bytes, cudaStream_t stream, Write const& write) {
    for (std::uint64_t done = 0; done < bytes;) {
        std::uint64_t const count = std::min(bytes - done, piece_bytes_);
        std::byte* const piece = memory_ + next_ * piece_bytes_;
        await(copied_[next_]);
        write(piece, done, count);
        check_cuda(
            cudaMemcpyAsync(static_cast<std::byte*>(to) + done, piece, count, cudaMemcpyHostToDevice, stream),
            "cudaMemcpyAsync");
        check_cuda(cudaEventRecord(copied_[next_], stream), "cudaEventRecord");
        next_ = (next_ + 1) % copied_.size();
        done += count;
    }
}

void pinned_ring::copy(void* to, void const* from, std::uint64_t bytes, cudaStream_t stream) {
    copy_pieces(to, bytes, stream, [&](std::byte* piece, std::uint64_t first, std::uint64_t count) {
        std::memcpy(piece, static_cast<std::byte const*>(from) + first, count);
    });
}

void pinned_ring::copy_written(void* to, std::uint64_t bytes, cudaStream_t stream,
                               std::function<void(std::byte*, std::uint64_t, std::uint64_t)> const& write) {
    copy_pieces(to, bytes, stream, write);
}

} // namespace rhizome::exec
