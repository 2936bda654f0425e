// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/cuda/check.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/kernel_list.hpp>
#include <rhizome/exec/cuda/pinned_ring.hpp>
#include <rhizome/exec/cuda/space.hpp>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cstring>
#include <fstream>
#include <mutex>

namespace rhizome::exec {

namespace {
std::string version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
} // namespace

struct cuda_space::state {
    explicit state(cuda_options const& options)
        : budget(options.memory_limit_bytes == 0 ? memory_budget::unlimited : options.memory_limit_bytes),
          device(options.device), stream(options.stream), owns_stream(options.stream == nullptr),
          preload_kernels(options.preload_kernels) {
        device_guard const current(device);
        check_cuda(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
        if (owns_stream)
            check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
                       "cudaStreamCreateWithFlags");
        // Not essential: without it, copies are slower.
        cudaError_t const staged = cudaMallocHost(&staging, staging_wanted_bytes);
        if (staged == cudaSuccess)
            staging_bytes = staging_wanted_bytes;
        else
            forget_error(staged);
    }
    state(state const&) = delete;
    state& operator=(state const&) = delete;
    ~state() {
        cudaFreeHost(staging);
        if (owns_stream) cudaStreamDestroy(stream);
    }

    memory_budget budget;
    cudaDeviceProp properties{};
    int device;
    cudaStream_t stream;
    bool owns_stream;
    bool preload_kernels;
    static constexpr std::uint64_t staging_wanted_bytes = 16u << 10;
    void* staging = nullptr;
    std::uint64_t staging_bytes = 0;
    std::mutex staging_mutex;

    // What copy_in reads from pageable memory. A piece of the large ring costs little beside its copy.
    static constexpr std::uint64_t small_copy_bytes = 64u << 10;
    pinned_ring small_copies{16u << 10, 8};
    pinned_ring large_copies{512u << 10, 8};
    std::mutex copies_mutex;

    /// False where the host has no pinned memory. Precondition: the device is current.
    [[nodiscard]] bool copy_through_ring(void* to, void const* from, std::uint64_t bytes) {
        std::lock_guard const own(copies_mutex);
        pinned_ring& ring = bytes <= small_copy_bytes ? small_copies : large_copies;
        if (!ring.prepare()) return false;
        ring.copy(to, from, bytes, stream);
        return true;
    }

    /// Every wait for the stream comes through here, and is counted.
    [[nodiscard]] cudaError_t wait() {
        waits.fetch_add(1, std::memory_order_relaxed);
        device_guard const current(device, std::nothrow); // default streams are those of the current device
        return cudaStreamSynchronize(stream);
    }
    std::atomic<std::uint64_t> waits{0};
};

cuda_space::cuda_space(cuda_options const& options) : state_(std::make_shared<state>(options)) {}

std::string cuda_space::unusable_because() {
    int devices = 0;
    cudaError_t const counted = cudaGetDeviceCount(&devices);
    if (counted != cudaSuccess) {
        forget_error(counted); // an answer, not a failure
        return cudaGetErrorString(counted);
    }
    if (devices == 0) return "no CUDA device";
    cudaDeviceProp properties{};
    cudaError_t const asked = cudaGetDeviceProperties(&properties, 0);
    if (asked != cudaSuccess) {
        forget_error(asked);
        return cudaGetErrorString(asked);
    }
    if (properties.major < 8)
        return std::string(properties.name) + " has compute capability " + std::to_string(properties.major) +
               "." + std::to_string(properties.minor) + ", older than 8.0";
    return "";
}

std::string cuda_space::driver_version() {
    int version = 0;
    std::string const cuda_text = cudaDriverGetVersion(&version) == cudaSuccess && version != 0
                                      ? "CUDA " + version_text(version)
                                      : "unknown";
    // The runtime tells which CUDA version the driver supports; only the kernel module tells its own version.
    std::ifstream file("/proc/driver/nvidia/version");
    std::string word;
    while (file >> word)
        if (std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
            word.find('.') != std::string::npos)
            return word + " (" + cuda_text + ")";
    return cuda_text;
}

std::string cuda_space::runtime_version() {
    int version = 0;
    return cudaRuntimeGetVersion(&version) == cudaSuccess ? version_text(version) : "unknown";
}

void* cuda_space::allocate(std::uint64_t bytes) {
    device_guard const current(state_->device);
    state_->budget.charge(bytes, "device memory");
    void* pointer = nullptr;
    cudaError_t const result = cudaMalloc(&pointer, bytes);
    if (result != cudaSuccess) state_->budget.refund(bytes);
    if (result == cudaErrorMemoryAllocation) {
        forget_error(result);
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        throw out_of_memory("device memory", bytes, free_bytes);
    }
    check_cuda(result, "cudaMalloc");
    return pointer;
}

void cuda_space::deallocate(void* pointer, std::uint64_t bytes) {
    // Called from destructors, which ignore errors: synchronize() reports the same error.
    static_cast<void>(state_->wait());
    static_cast<void>(cudaFree(pointer));
    state_->budget.refund(bytes);
}

void* cuda_space::allocate_pinned(std::uint64_t bytes) {
    device_guard const current(state_->device);
    void* pointer = nullptr;
    cudaError_t const result = cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
    if (result == cudaErrorMemoryAllocation) {
        forget_error(result);
        throw out_of_memory("pinned host memory", bytes, 0);
    }
    check_cuda(result, "cudaHostAlloc");
    return pointer;
}

void cuda_space::deallocate_pinned(void* pointer) {
    static_cast<void>(state_->wait());
    static_cast<void>(cudaFreeHost(pointer));
}

void cuda_space::copy_in(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(state_->device);
    cudaPointerAttributes attributes{};
    check_cuda(cudaPointerGetAttributes(&attributes, from), "cudaPointerGetAttributes");
    // CUDA guarantees for no kind of host memory that cudaMemcpyAsync has read it on return.
    bool const through_ring = attributes.type == cudaMemoryTypeUnregistered ||
                              (attributes.type == cudaMemoryTypeHost && bytes <= state::small_copy_bytes);
    if (through_ring && state_->copy_through_ring(to, from, bytes)) return;
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, state_->stream), "cudaMemcpyAsync");
    check_cuda(state_->wait(), "cudaStreamSynchronize");
}

void cuda_space::copy_out(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(state_->device);
    // Small results come through pinned memory, which a copy reaches several microseconds sooner.
    std::unique_lock<std::mutex> own(state_->staging_mutex, std::try_to_lock);
    bool const staged = own.owns_lock() && bytes <= state_->staging_bytes;
    check_cuda(
        cudaMemcpyAsync(staged ? state_->staging : to, from, bytes, cudaMemcpyDeviceToHost, state_->stream),
        "cudaMemcpyAsync");
    check_cuda(state_->wait(), "cudaStreamSynchronize");
    if (staged) std::memcpy(to, state_->staging, bytes);
}

void cuda_space::copy(void* to, void const* from, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(state_->device);
    check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, state_->stream), "cudaMemcpyAsync");
}

void cuda_space::copy_from_device(int device, void* to, void const* from, std::uint64_t bytes) {
    if (device == state_->device) return copy(to, from, bytes);
    if (bytes == 0) return;
    device_guard const current(state_->device);
    // cudaMemcpyAsync finds both devices by the addresses, but refuses memory of a pool to which the other
    // device has no access.
    check_cuda(cudaMemcpyPeerAsync(to, state_->device, from, device, bytes, state_->stream),
               "cudaMemcpyPeerAsync");
}

bool cuda_space::reaches_device(int device) {
    if (device == state_->device) return true;
    device_guard const current(state_->device);
    int can = 0;
    check_cuda(cudaDeviceCanAccessPeer(&can, state_->device, device), "cudaDeviceCanAccessPeer");
    if (can == 0) return false;
    cudaError_t const opened = cudaDeviceEnablePeerAccess(device, 0);
    if (opened != cudaSuccess) forget_error(opened); // answers, not failures
    return opened == cudaSuccess || opened == cudaErrorPeerAccessAlreadyEnabled;
}

void cuda_space::fill(void* to, std::uint8_t byte, std::uint64_t bytes) {
    if (bytes == 0) return;
    device_guard const current(state_->device);
    check_cuda(cudaMemsetAsync(to, byte, bytes, state_->stream), "cudaMemsetAsync");
}

void cuda_space::synchronize() { check_cuda(state_->wait(), "cudaStreamSynchronize"); }

void cuda_space::load_kernels() {
    if (!state_->preload_kernels) return;
    device_guard const current(state_->device);
    detail::listed_kernel::load_all(state_->device);
}

void cuda_space::record(cudaEvent_t reached) {
    device_guard const current(state_->device);
    check_cuda(cudaEventRecord(reached, state_->stream), "cudaEventRecord");
}
void cuda_space::wait_for(cudaEvent_t reached) {
    device_guard const current(state_->device);
    check_cuda(cudaStreamWaitEvent(state_->stream, reached, 0), "cudaStreamWaitEvent");
}

std::uint64_t cuda_space::malloc_heap_bytes() const {
    device_guard const current(state_->device);
    std::size_t held = 0;
    check_cuda(cudaDeviceGetLimit(&held, cudaLimitMallocHeapSize),
               "cudaDeviceGetLimit(cudaLimitMallocHeapSize)");
    return held;
}
bool cuda_space::grow_malloc_heap(std::uint64_t bytes) {
    if (malloc_heap_bytes() >= bytes) return true;
    device_guard const current(state_->device);
    cudaError_t const result = cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes);
    if (result != cudaSuccess) forget_error(result); // a refusal, not a fault
    return result == cudaSuccess;
}

memory_budget& cuda_space::budget() { return state_->budget; }
std::uint64_t cuda_space::memory_bytes() const {
    return std::min<std::uint64_t>(state_->properties.totalGlobalMem, state_->budget.limit_bytes());
}
std::uint64_t cuda_space::waits() const { return state_->waits.load(std::memory_order_relaxed); }
void cuda_space::count_wait() { state_->waits.fetch_add(1, std::memory_order_relaxed); }
bool cuda_space::is_working() const {
    device_guard const current(state_->device, std::nothrow);
    cudaError_t const result = cudaStreamQuery(state_->stream);
    if (result == cudaErrorNotReady) forget_error(result); // an answer, not a failure
    return result == cudaErrorNotReady;
}
std::string cuda_space::device_name() const { return state_->properties.name; }
int cuda_space::device() const { return state_->device; }
cudaStream_t cuda_space::stream() const { return state_->stream; }
std::uint64_t cuda_space::concurrency() const {
    return static_cast<std::uint64_t>(state_->properties.multiProcessorCount) *
           static_cast<std::uint64_t>(state_->properties.maxThreadsPerMultiProcessor);
}

} // namespace rhizome::exec
