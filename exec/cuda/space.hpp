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
    cudaStream_t stream = nullptr;        ///< nullptr: the space makes a stream of its own
    std::uint64_t memory_limit_bytes = 0; ///< 0: as much as the device has
};

/// Work given to one handle (and its copies) runs in order on its stream; launches are asynchronous.
/// The constructor throws cuda_error where the device cannot be used.
class cuda {
public:
    static constexpr std::string_view name = "cuda";

    explicit cuda(cuda_options const& options = {});

    /// Why no CUDA device can be used here, or "" where one can. Never throws.
    [[nodiscard]] static std::string unusable_because();

    /// For records of measurements: "580.65.06 (CUDA 13.0)", "13.0". Need no device and never throw; what is
    /// not known is "unknown".
    [[nodiscard]] static std::string driver_version();
    [[nodiscard]] static std::string runtime_version();

    [[nodiscard]] void* allocate(std::uint64_t bytes);
    void deallocate(void* pointer, std::uint64_t bytes);
    /// Host memory that kernels reach at the same address; not charged to the budget.
    [[nodiscard]] void* allocate_pinned(std::uint64_t bytes);
    void deallocate_pinned(void* pointer); ///< waits for work that may still touch it
    void copy_in(void* to, void const* from, std::uint64_t bytes);
    void copy_out(void* to, void const* from, std::uint64_t bytes);
    void copy(void* to, void const* from, std::uint64_t bytes);
    void fill(void* to, std::uint8_t byte, std::uint64_t bytes);
    void synchronize();

    /// How much in-kernel malloc may hand out, in the whole process.
    [[nodiscard]] std::uint64_t malloc_heap_bytes() const;
    /// Makes it at least `bytes`; false where CUDA refuses, as it does once a kernel that calls malloc has
    /// run.
    [[nodiscard]] bool grow_malloc_heap(std::uint64_t bytes);

    [[nodiscard]] memory_budget& budget();
    [[nodiscard]] std::uint64_t memory_bytes() const;
    [[nodiscard]] std::uint64_t waits() const;
    [[nodiscard]] std::string device_name() const;
    [[nodiscard]] int device() const;
    [[nodiscard]] cudaStream_t stream() const;
    /// Makes the space's device the calling thread's current one: kernels can be given to its streams only
    /// then.
    void make_current() const;

    /// Threads that are resident at once.
    [[nodiscard]] std::uint64_t concurrency() const;
    [[nodiscard]] static constexpr std::uint32_t max_block_threads() { return 1024; }
    [[nodiscard]] static constexpr std::uint32_t tile_lanes(std::uint32_t width) { return width; }

    using region_storage = cuda_virtual_memory;

private:
    struct state;
    std::shared_ptr<state> state_;
};

} // namespace rhizome::exec
