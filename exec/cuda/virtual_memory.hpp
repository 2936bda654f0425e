// SPDX-License-Identifier: Apache-2.0
// Device address space, reserved once and backed with memory as needed (CUDA virtual memory management).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::exec {

class cuda_space;

/// The storage of exec::region for a CUDA device. Driver calls are looked up at run time, so that a binary
/// starts where there is no driver. Move-only; unmaps only after the device has finished.
class cuda_virtual_memory {
public:
    cuda_virtual_memory(cuda_space const& space, std::uint64_t reserve_bytes, std::string const& name);
    cuda_virtual_memory(cuda_virtual_memory const&) = delete;
    cuda_virtual_memory& operator=(cuda_virtual_memory const&) = delete;
    cuda_virtual_memory(cuda_virtual_memory&& other) noexcept;
    cuda_virtual_memory& operator=(cuda_virtual_memory&&) = delete;
    ~cuda_virtual_memory();

    [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(address_); }
    [[nodiscard]] std::uint64_t committed_bytes() const { return committed_bytes_; }
    [[nodiscard]] std::uint64_t reserved_bytes() const { return reserved_bytes_; }
    static constexpr bool starts_as_zeros = false; ///< CUDA does not guarantee it
    [[nodiscard]] std::uint64_t step_bytes() const { return step_bytes_; }

    /// `bytes` is a multiple of the step, within the reservation. One physical allocation per piece. Throws
    /// out_of_memory, changing nothing, where the device has too little memory.
    void commit_to(std::uint64_t bytes);
    /// What decommit_to() leaves: the driver unmaps whole pieces only.
    [[nodiscard]] std::uint64_t shrunk_bytes(std::uint64_t bytes) const;
    /// Waits for all work of the device, and gives back the pieces that begin at `bytes` or beyond, in one
    /// call. If the driver does not unmap them, they stay committed.
    void decommit_to(std::uint64_t bytes);

private:
    /// The first commit is one piece. A later one has pieces of about 1/piece_share of what is committed
    /// then, smaller ones at the end: at most that share stays mapped without need. A piece takes the driver
    /// some 35 us, whatever its size: growing from 2 to 62 MiB takes 16 of them.
    static constexpr std::uint64_t piece_share = 16;

    static void expect_free(std::uint64_t bytes);
    [[nodiscard]] std::uint64_t next_piece(std::uint64_t bytes) const;
    void add_piece(std::uint64_t bytes);
    void remove_pieces(std::uint64_t bytes) noexcept;

    int device_ = 0;
    unsigned long long address_ = 0;
    std::uint64_t reserved_bytes_ = 0;
    std::uint64_t committed_bytes_ = 0;
    std::uint64_t step_bytes_ = 0;
    std::vector<std::uint64_t> pieces_; ///< where each begins, ascending
};

} // namespace rhizome::exec
