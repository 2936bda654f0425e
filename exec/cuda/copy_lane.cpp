// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/copy_lane.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/pinned_ring.hpp>
#include <rhizome/exec/errors.hpp>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>

namespace rhizome::exec {

namespace {

/// A piece is so large that its calls cost little beside its copy. The ring has so many pieces that the copy
/// engine is busy while the host fills the next.
constexpr std::uint64_t piece_bytes = 512u << 10;
constexpr std::size_t pieces = 8;

} // namespace

/// The ring, and the stream of the lane. Nothing is made before it is needed.
struct copy_lane<cuda_space>::state {
    state() = default;
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
        if (stream == nullptr) return;
        cudaStreamSynchronize(stream);
        cudaStreamDestroy(stream);
    }

    /// Precondition: the device is current.
    void prepare() {
        if (stream == nullptr)
            check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags");
        if (!ring.prepare()) throw out_of_memory("pinned host memory", ring.bytes(), 0);
    }

    std::mutex mutex; ///< batches may be staged in one thread and applied in another
    cudaStream_t stream = nullptr;
    pinned_ring ring{piece_bytes, pieces};
};

copy_lane<cuda_space>::point::~point() {
    if (event_ != nullptr) cudaEventDestroy(event_);
}
void copy_lane<cuda_space>::point::record(int device, cudaStream_t stream) {
    device_guard const current(device); // events belong to the current device
    if (event_ == nullptr)
        check_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
}
void copy_lane<cuda_space>::point::await(cudaStream_t stream) const {
    if (event_ != nullptr) check_cuda(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

copy_lane<cuda_space>::copy_lane(cuda_space space)
    : space_(std::move(space)), state_(std::make_shared<state>()) {}

void copy_lane<cuda_space>::copy(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(space_.device());
    std::lock_guard const own(state_->mutex);
    state_->prepare();
    state_->ring.copy(to, from, bytes, state_->stream);
}

void copy_lane<cuda_space>::copy_written(void* to, std::uint64_t bytes, part_writer const& write) {
    if (bytes == 0) return;
    device_guard const current(space_.device());
    std::lock_guard const own(state_->mutex);
    state_->prepare();
    state_->ring.copy_written(to, bytes, state_->stream, write);
}

void copy_lane<cuda_space>::lend(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(space_.device());
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, from), "cudaPointerGetAttributes");
    if (attributes.type == cudaMemoryTypeHost) {
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, space_.stream()),
                   "cudaMemcpyAsync");
        return;
    }
    std::lock_guard const own(state_->mutex);
    state_->prepare();
    state_->ring.copy(to, from, bytes, space_.stream());
}

// Before the first copy there is nothing in the lane.
void copy_lane<cuda_space>::record_copies(point& reached) {
    if (state_->stream != nullptr) reached.record(space_.device(), state_->stream);
}
void copy_lane<cuda_space>::record_work(point& reached) { reached.record(space_.device(), space_.stream()); }
void copy_lane<cuda_space>::work_awaits(point const& reached) {
    device_guard const current(space_.device());
    reached.await(space_.stream());
}
void copy_lane<cuda_space>::copies_await(point const& reached) {
    device_guard const current(space_.device());
    std::lock_guard const own(state_->mutex);
    state_->prepare();
    reached.await(state_->stream);
}
void copy_lane<cuda_space>::synchronize() {
    cudaStream_t const stream = [&] {
        std::lock_guard const own(state_->mutex);
        return state_->stream;
    }();
    if (stream != nullptr) check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

} // namespace rhizome::exec
