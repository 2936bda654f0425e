// SPDX-License-Identifier: Apache-2.0
// Device memory that other processes of this machine can write.
#pragma once

#include <rhizome/exec/cuda/space.hpp>
#include <rhizome/exec/memory_resource.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace rhizome::exec {

/// Memory of the device of a space, by CUDA virtual memory management. Its owner shows an allocation as a
/// file descriptor. Another process, or another object of this process, opens that for kernels of its own
/// space. The driver counts the mappings of the memory: the owner may free it while others still write it,
/// and it is given back with the last mapping.
///
/// Each allocation takes whole pieces of memory (2 MiB) and several calls of the driver: for few, large
/// arrays. All functions may be called by several threads.
class cuda_shareable_memory final : public memory_resource {
public:
    /// Makes no call of CUDA.
    explicit cuda_shareable_memory(cuda_space space) : space_(std::move(space)) {}
    cuda_shareable_memory(cuda_shareable_memory const&) = delete;
    cuda_shareable_memory& operator=(cuda_shareable_memory const&) = delete;
    /// All memory has been given back. Closes what is still open.
    ~cuda_shareable_memory() override;

    /// Whether the device and this system have such memory: makes an allocation, shows it, and frees it. true
    /// if there is no memory for that.
    [[nodiscard]] bool is_usable() noexcept;

    /// Throws out_of_memory, changing nothing, and cuda_error where the driver refuses such memory.
    [[nodiscard]] void* allocate(std::uint64_t bytes, void* stream) override;
    /// Waits for the work of the stream, and unmaps the memory.
    void deallocate(void* pointer, std::uint64_t bytes, void* stream) noexcept override;

    /// What shows an allocation to others.
    struct shown {
        int descriptor = -1;     ///< to be closed by the caller; -1: the memory cannot be shown
        std::uint64_t bytes = 0; ///< of the whole pieces
    };
    /// Shows the allocation that begins at `pointer`, if there is one.
    [[nodiscard]] shown show(void const* pointer) noexcept;
    /// Maps an allocation that another object has shown, of this device or of another one that this device
    /// reaches, for kernels of the space. The descriptor stays the caller's. nullptr: the driver refuses.
    [[nodiscard]] void* open(int descriptor, std::uint64_t bytes) noexcept;
    /// Waits for the work of the space, and unmaps what open() returned; ignores other pointers.
    void close(void* pointer) noexcept;

private:
    struct mapping {
        std::uint64_t bytes;
        unsigned long long handle; ///< of the driver; 0: the memory is another object's
    };
    using mappings = std::map<void const*, mapping>;
    /// Forgets one, which is then the caller's to unmap.
    [[nodiscard]] std::optional<mapping> taken_from(mappings& known, void const* pointer) noexcept;
    static void unmap(void const* pointer, mapping const& its) noexcept;

    cuda_space space_;
    std::mutex mutex_; ///< of what follows
    mappings own_;
    mappings opened_;
};

} // namespace rhizome::exec
