// SPDX-License-Identifier: Apache-2.0
// Memory of GPUs that belong to other ranks of this machine.
#pragma once

#include <rhizome/comm/launch/process.hpp>
#include <rhizome/exec/cuda/shareable_memory.hpp>
#include <rhizome/exec/cuda/space.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace rhizome::comm::detail {

/// What a rank shows to the ranks of its machine, and opens of theirs.
class cuda_peers {
public:
    /// So many words tell another rank what a descriptor shows: the bytes, and where the device is.
    static constexpr std::size_t words = 3;

    explicit cuda_peers(exec::cuda_space space);

    /// Where arrays come from that can be shown; nullptr: none can.
    [[nodiscard]] exec::memory_resource* memory() noexcept;
    /// Shows an array of this rank to others. Returns false if it cannot be shown: it is not from memory().
    /// Without an array (nullptr), there is no descriptor either.
    [[nodiscard]] bool show(void* mine, std::span<std::uint64_t> told, descriptor& shown) noexcept;
    /// Opens what another rank has shown. Returns whether this rank reaches it; `address` is then where
    /// kernels of this rank find it.
    [[nodiscard]] bool open(std::span<std::uint64_t const> told, descriptor const& shown,
                            void*& address) noexcept;
    /// Closes an address that open() gave; ignores others. Waits for the work of the space.
    void close(void* address) noexcept { memory_.close(address); }

private:
    exec::cuda_space space_;
    exec::cuda_shareable_memory memory_;
    std::optional<bool> usable_; ///< known once it was tried
};

} // namespace rhizome::comm::detail
