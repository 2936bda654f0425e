// The CUDA space: one device, one stream.
#pragma once

#include <rhizome/exec/cuda/virtual_memory.hpp>
#include <rhizome/exec/memory_budget.hpp>

#include <driver_types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rhizome::exec {

struct cuda_options {
    int device = 0;
    /// nullptr: the space makes a stream of its own with cudaStreamNonBlocking. That stream is not ordered
    /// with the default stream, on which kernel<<<...>>>, cudaMemcpy and Thrust work unless told otherwise:
    /// use record() and wait_for(), or one of these:
    /// - cudaStreamLegacy: the legacy default stream. Its work and that of all blocking streams of the
    /// process
    ///   wait for each other; launches do not overlap there, which makes small batches slower.
    /// - cudaStreamPerThread: the default stream of the calling thread, so the space and everything made on
    ///   it belong to one thread.
    /// - a stream of the caller, on this device; it must outlive the space.
    cudaStream_t stream = nullptr;
    std::uint64_t memory_limit_bytes = 0; ///< 0: as much as the device has
    bool preload_kernels = true;          ///< false: load_kernels() does nothing
};

/// Work given to one handle (and its copies) runs in order on its stream; launches are asynchronous. The
/// constructor throws cuda_error where the device cannot be used. Every call selects the space's device, and
/// restores the thread's device before it returns (device_guard.hpp). A CUDA error of the caller's own that
/// is still unread fails no call here and stays for the caller to read. Only a later failure of the space
/// replaces it: CUDA keeps one last error per thread. Failures that are thrown, or handled inside, leave no
/// unread error behind.
class cuda {
public:
    static constexpr std::string_view name = "cuda";

    explicit cuda(cuda_options const& options = {});

    /// The reason why no CUDA device can be used, or "" if one can. Never throws.
    [[nodiscard]] static std::string unusable_because();

    /// Versions for records of measurements: "580.65.06 (CUDA 13.0)", "13.0". They need no device and never
    /// throw; an unknown version is "unknown".
    [[nodiscard]] static std::string driver_version();
    [[nodiscard]] static std::string runtime_version();

    [[nodiscard]] void* allocate(std::uint64_t bytes);
    void deallocate(void* pointer, std::uint64_t bytes);
    /// Host memory that kernels access at the same address; not charged to the budget.
    [[nodiscard]] void* allocate_pinned(std::uint64_t bytes);
    void deallocate_pinned(void* pointer); ///< waits for work that may still touch it
    /// The caller may reuse `from` on return, in any memory. Pageable memory, and up to 64 KiB of pinned
    /// memory, pass through pinned memory of the space (taken with the first copy, 128 KiB or 4 MiB): the
    /// call waits for the stream only while that is full. Managed memory, and larger pinned memory, is read
    /// by the device directly, and the call waits until that is done. So does every copy where the host has
    /// no pinned memory left.
    void copy_in(void* to, void const* from, std::uint64_t bytes);
    void copy_out(void* to, void const* from, std::uint64_t bytes);
    void copy(void* to, void const* from, std::uint64_t bytes);
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    void synchronize();

    /// Loads every kernel that the program can launch through exec::launch or the primitives, so that no
    /// launch needs device memory for its code later. CUDA itself loads a kernel with its first launch
    /// (CUDA_MODULE_LOADING=LAZY), which fails when memory is used up. Done once per device and process;
    /// costs time and device memory for the code of each kernel. Throws out_of_memory where the device has no
    /// memory for the code; charges nothing to the budget. A graph calls it when it is made.
    void load_kernels();

    /// Records `reached` after all work given to the space so far. Takes any event of this device.
    void record(cudaEvent_t reached);
    /// Later work of the space comes after the point that `reached` recorded last. Takes any event of any
    /// device. Does not wait on the host.
    void wait_for(cudaEvent_t reached);

    /// The size of the heap of in-kernel malloc, for the whole process.
    [[nodiscard]] std::uint64_t malloc_heap_bytes() const;
    /// Makes that heap at least `bytes` large; false if CUDA refuses, as it does once a kernel that calls
    /// malloc has run.
    [[nodiscard]] bool grow_malloc_heap(std::uint64_t bytes);

    [[nodiscard]] memory_budget& budget();
    [[nodiscard]] std::uint64_t memory_bytes() const;
    [[nodiscard]] std::uint64_t waits() const;
    [[nodiscard]] std::string device_name() const;
    [[nodiscard]] int device() const;
    [[nodiscard]] cudaStream_t stream() const;

    /// The number of threads that can be resident at once.
    [[nodiscard]] std::uint64_t concurrency() const;
    [[nodiscard]] static constexpr std::uint32_t max_block_threads() { return 1024; }
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t width) { return width; }

    using region_storage = cuda_virtual_memory;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::exec
