// SPDX-License-Identifier: Apache-2.0
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

/// Options of a CUDA space.
struct cuda_options {
    int device = 0; ///< CUDA device number
    /// nullptr: the space makes a stream of its own with cudaStreamNonBlocking. That stream is not ordered
    /// with the default stream, on which kernel<<<...>>>, cudaMemcpy and Thrust work unless told otherwise:
    /// use record() and wait_for(), or one of these:
    /// - cudaStreamLegacy: the legacy default stream. Its work and that of all blocking streams of the
    ///   process wait for each other. Launches do not overlap on that stream, which makes small batches
    ///   slower.
    /// - cudaStreamPerThread: the default stream of the calling thread, so the space and everything made on
    ///   it belong to one thread.
    /// - a stream of the caller, on this device; it must outlive the space.
    cudaStream_t stream = nullptr;
    std::uint64_t memory_limit_bytes = 0; ///< 0: as much as the device has
    bool preload_kernels = true;          ///< false: load_kernels() does nothing
};

/// A CUDA device and a stream, as a space. Copies of a handle share both. Work given to a handle or its
/// copies runs in order on the stream; launches are asynchronous. Every call selects the space's device, and
/// restores the thread's device before it returns (device_guard.hpp).
///
/// A CUDA error of the caller's own that is still unread fails no call here and stays for the caller to read.
/// Only a later failure of the space replaces it: CUDA keeps one last error per thread. Errors that the space
/// throws, or handles itself, are not left as the thread's last error.
class cuda_space {
public:
    /// The name of the space in runtime::spaces().
    static constexpr std::string_view name = "cuda";

    /// Throws cuda_error if the device cannot be used.
    explicit cuda_space(cuda_options const& options = {});

    /// Why device 0 cannot be used (no driver, no device, or a compute capability below 8.0), or "" if it
    /// can. Other devices are not looked at. Never throws.
    [[nodiscard]] static std::string unusable_because();

    /// The driver, for records of measurements, for example "580.65.06 (CUDA 13.0)"; "CUDA 13.0" if
    /// /proc/driver/nvidia/version cannot be read. An unknown version is "unknown". Needs no device and never
    /// throws.
    [[nodiscard]] static std::string driver_version();
    /// The CUDA runtime, for example "13.0", or "unknown". Needs no device and never throws.
    [[nodiscard]] static std::string runtime_version();

    /// Device memory (cudaMalloc), charged to the budget. Throws out_of_memory.
    [[nodiscard]] void* allocate(std::uint64_t bytes);
    /// Waits for the stream, then frees what allocate(bytes) returned. Never throws.
    void deallocate(void* pointer, std::uint64_t bytes);
    /// Host memory that kernels access at the same address; not charged to the budget.
    [[nodiscard]] void* allocate_pinned(std::uint64_t bytes);
    void deallocate_pinned(void* pointer); ///< waits for work that may still touch it
    /// Copies `bytes` bytes from host memory into the memory of the space, in order. The caller may reuse
    /// `from` on return; it may be pageable, pinned or managed memory.
    ///
    /// Pageable memory, and up to 64 KiB of pinned memory, pass through two pinned rings of the space, each
    /// allocated with its first copy: 128 KiB for copies of up to 64 KiB, 4 MiB for larger ones. The call
    /// waits only while the ring is full. The device reads managed memory, and larger pinned memory,
    /// directly; the call waits until that is done. If no pinned memory can be allocated for a ring, every
    /// copy waits in this way.
    void copy_in(void* to, void const* from, std::uint64_t bytes);
    /// Copies from the memory of the space to host memory. Waits: the copy is complete on return.
    void copy_out(void* to, void const* from, std::uint64_t bytes);
    /// Copies within the memory of the space. Asynchronous.
    void copy(void* to, void const* from, std::uint64_t bytes);
    /// Copies from the memory of device `device` into the memory of the space. Both may come from allocate()
    /// or from a pool (cudaMallocAsync), to which other devices have no access. Asynchronous.
    void copy_from_device(int device, void* to, void const* from, std::uint64_t bytes);
    /// Whether kernels of the space can access memory of device `device` that came from allocate() or
    /// cudaMalloc. The first call for a device opens the access, for the whole process and until it ends.
    [[nodiscard]] bool reaches_device(int device);
    /// Sets `bytes` bytes to `byte`. Asynchronous.
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    /// Waits for all work given to the space so far. Throws cuda_error if that work has failed.
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

    /// What this space has allocated, and its limit.
    [[nodiscard]] memory_budget& budget();
    /// Bytes of the device's memory, or the memory limit if that is smaller.
    [[nodiscard]] std::uint64_t memory_bytes() const;
    /// How often the host has waited for the stream.
    [[nodiscard]] std::uint64_t waits() const;
    /// Counts a wait for something that the work of the stream writes.
    void count_wait();
    /// Whether work given to the space is not done yet. false also if that work has failed, which
    /// synchronize() reports.
    [[nodiscard]] bool is_working() const;
    /// The name of the device, for example "NVIDIA H200".
    [[nodiscard]] std::string device_name() const;
    /// The CUDA device number.
    [[nodiscard]] int device() const;
    /// The stream, for launches of the caller's own.
    [[nodiscard]] cudaStream_t stream() const;

    /// The number of threads that can be resident at once.
    [[nodiscard]] std::uint64_t concurrency() const;
    /// The largest block that the cover functions of shape.hpp make.
    [[nodiscard]] static constexpr std::uint32_t max_block_threads() { return 1024; }
    /// How many lanes a tile of this width has on this space.
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t width) { return width; }

    using region_storage = cuda_virtual_memory;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::exec
