// SPDX-License-Identifier: Apache-2.0
// Memory and points in time of GPUs that belong to other ranks of this machine.
#pragma once

#include <rhizome/exec/cuda/space.hpp>

#include <driver_types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rhizome::comm::detail {

/// What a rank opens of the others: an array of each, and an event of each. Of ranks of other processes by
/// the inter-process communication of CUDA, of ranks of this process directly. A mapping lasts until it is
/// closed, also if its owner frees the array, which nobody may then access.
class cuda_peers {
public:
    /// So many words tell another rank where an array and an event are.
    static constexpr std::size_t words = 21;

    cuda_peers(exec::cuda_space space, int ranks);
    cuda_peers(cuda_peers const&) = delete;
    cuda_peers& operator=(cuda_peers const&) = delete;
    ~cuda_peers();

    /// Tells where an array of this rank is, from allocate() of its space or nullptr, and its event. Returns
    /// whether it can be told.
    [[nodiscard]] bool show(void* mine, std::span<std::uint64_t> told);
    /// Makes the array of rank `rank` accessible, which it has told, and its event. Returns whether this rank
    /// reaches them; `address` is then where kernels of this rank find the array.
    [[nodiscard]] bool open(int rank, std::span<std::uint64_t const> told, void*& address);
    /// Ends the access to an array that was opened. Other addresses are ignored. The work of the space that
    /// accesses it is done.
    void close(void* address) noexcept;

    /// Records this rank's event in its space.
    void record();
    /// Later work of this rank's space comes after the point that rank `rank` has recorded last.
    void wait_for(int rank);

private:
    exec::cuda_space space_;
    cudaEvent_t own_ = nullptr;
    struct peer_event {
        cudaEvent_t event = nullptr;
        bool opened = false; ///< from another process: to be destroyed here
    };
    std::vector<peer_event> events_; ///< of each rank
    std::vector<void*> mappings_;    ///< of other processes
};

} // namespace rhizome::comm::detail
