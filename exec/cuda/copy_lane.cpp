#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/copy_lane.hpp>
#include <rhizome/exec/errors.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>

namespace rhizome::exec {

namespace {

/// Pieces are so large that the calls for one cost little beside its copy, and the ring has so many that the
/// copy engine is busy while the host fills the next.
constexpr std::uint64_t piece_bytes = 512u << 10;
constexpr std::size_t pieces = 8;

void make_event(cudaEvent_t& event) {
    check_cuda(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

} // namespace

/// The ring, and the stream of the lane. Nothing is made before it is needed.
struct copy_lane<cuda>::state {
    state() = default;
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
        if (stream != nullptr) cudaStreamSynchronize(stream);
        for (cudaEvent_t const event : copied)
            if (event != nullptr) {
                cudaEventSynchronize(event); // lent memory is copied in another stream
                cudaEventDestroy(event);
            }
        cudaFreeHost(ring);
        if (stream != nullptr) cudaStreamDestroy(stream);
    }

    void prepare(int device) {
        if (ring != nullptr) return;
        check_cuda(cudaSetDevice(device), "cudaSetDevice");
        if (stream == nullptr)
            check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags");
        for (cudaEvent_t& event : copied)
            if (event == nullptr) make_event(event);
        void* memory = nullptr;
        cudaError_t const result = cudaMallocHost(&memory, pieces * piece_bytes);
        if (result == cudaErrorMemoryAllocation) {
            static_cast<void>(cudaGetLastError()); // it is handled: later checks must not see it
            throw out_of_memory("pinned host memory", pieces * piece_bytes, 0);
        }
        check_cuda(result, "cudaMallocHost");
        ring = static_cast<std::byte*>(memory);
    }

    /// Through the ring into `order`.
    void copy(void* to, void const* from, std::uint64_t bytes, cudaStream_t order) {
        for (std::uint64_t done = 0; done < bytes;) {
            std::uint64_t const count = std::min(bytes - done, piece_bytes);
            std::byte* const piece = ring + next * piece_bytes;
            await(copied[next]);
            std::memcpy(piece, static_cast<std::byte const*>(from) + done, count);
            check_cuda(cudaMemcpyAsync(static_cast<std::byte*>(to) + done, piece, count,
                                       cudaMemcpyHostToDevice, order),
                       "cudaMemcpyAsync");
            check_cuda(cudaEventRecord(copied[next], order), "cudaEventRecord");
            next = (next + 1) % pieces;
            done += count;
        }
    }

    std::mutex mutex; ///< batches may be staged in one thread and applied in another
    cudaStream_t stream = nullptr;
    std::byte* ring = nullptr;
    std::array<cudaEvent_t, pieces> copied{};
    std::size_t next = 0;

private:
    static void await(cudaEvent_t event) {
        cudaError_t result = cudaEventQuery(event);
        if (result == cudaErrorNotReady) {
            static_cast<void>(cudaGetLastError()); // no error: later checks must not see it
            result = cudaEventSynchronize(event);
        }
        check_cuda(result, "cudaEventSynchronize");
    }
};

copy_lane<cuda>::point::~point() {
    if (event_ != nullptr) cudaEventDestroy(event_);
}
void copy_lane<cuda>::point::record(int device, cudaStream_t stream) {
    if (event_ == nullptr) {
        check_cuda(cudaSetDevice(device), "cudaSetDevice"); // events are of the device that is current
        make_event(event_);
    }
    check_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
}
void copy_lane<cuda>::point::await(cudaStream_t stream) const {
    if (event_ != nullptr) check_cuda(cudaStreamWaitEvent(stream, event_, 0), "cudaStreamWaitEvent");
}

copy_lane<cuda>::copy_lane(cuda space) : space_(std::move(space)), state_(std::make_shared<state>()) {}

void copy_lane<cuda>::copy(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    std::lock_guard const own(state_->mutex);
    state_->prepare(space_.device());
    state_->copy(to, from, bytes, state_->stream);
}

void copy_lane<cuda>::lend(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, from), "cudaPointerGetAttributes");
    if (attributes.type == cudaMemoryTypeHost) {
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, space_.stream()),
                   "cudaMemcpyAsync");
        return;
    }
    std::lock_guard const own(state_->mutex);
    state_->prepare(space_.device());
    state_->copy(to, from, bytes, space_.stream());
}

// Before the first copy there is nothing in the lane.
void copy_lane<cuda>::record_copies(point& reached) {
    if (state_->stream != nullptr) reached.record(space_.device(), state_->stream);
}
void copy_lane<cuda>::record_work(point& reached) { reached.record(space_.device(), space_.stream()); }
void copy_lane<cuda>::work_awaits(point const& reached) { reached.await(space_.stream()); }
void copy_lane<cuda>::copies_await(point const& reached) {
    std::lock_guard const own(state_->mutex);
    state_->prepare(space_.device());
    reached.await(state_->stream);
}
void copy_lane<cuda>::synchronize() {
    cudaStream_t const stream = [&] {
        std::lock_guard const own(state_->mutex);
        return state_->stream;
    }();
    if (stream != nullptr) check_cuda(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

} // namespace rhizome::exec
