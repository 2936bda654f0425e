// SPDX-License-Identifier: Apache-2.0
// Copies from the host into a space, concurrently with the work of the space.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace rhizome::exec {

/// Writes one part of the data of a copy to host memory: `bytes` bytes, from byte `first` of the data on, to
/// the address `to`. `to` is aligned to 256 bytes, and `first` is a multiple of 256.
using part_writer = std::function<void(std::byte* to, std::uint64_t first, std::uint64_t bytes)>;

/// A queue of copies into a space, with an order of its own. Copies do not wait for kernels of the space,
/// and kernels do not wait for copies, except where work_awaits() or copies_await() says so. Move-only. This
/// version is for spaces on which every call has finished its work when it returns, so there is nothing to
/// wait for. `cuda/copy_lane.hpp` has a version with its own stream.
///
/// One thread may give copies to the lane while another gives work to the space, unless the space is the
/// emulator.
template <class Space>
class copy_lane {
public:
    /// A point in the order of the lane, or of the space. A point that was never recorded counts as reached.
    struct point {};

    explicit copy_lane(Space space) : space_(std::move(space)) {}
    copy_lane(copy_lane&&) noexcept = default;
    copy_lane& operator=(copy_lane&&) = delete;

    /// Copies from the host into the space, in the order of the lane. The caller may reuse `from` on return.
    /// The first call throws out_of_memory if the host has no memory for the lane's buffers.
    void copy(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    /// As copy(), for data that `write` produces: calls `write` once for each part, in ascending order,
    /// before it returns. `to` is aligned to 256 bytes. If the space shares the host's memory, there is one
    /// part, which `write` writes in place. Throws what copy() and `write` throw.
    void copy_written(void* to, std::uint64_t bytes, part_writer const& write) {
        auto* const begin = static_cast<std::byte*>(to);
        if (bytes == 0) return;
        if constexpr (requires { Space::shares_host_memory; }) {
            write(begin, 0, bytes);
        } else {
            struct alignas(256) block {
                std::byte bytes[256];
            };
            std::vector<block> part(16);
            std::uint64_t const most = part.size() * sizeof(block);
            for (std::uint64_t first = 0; first < bytes; first += most) {
                std::uint64_t const count = std::min(most, bytes - first);
                write(part.data()->bytes, first, count);
                space_.copy_in(begin + first, part.data(), count);
            }
        }
    }

    /// Copies from the host into the space, in the order of the space. The caller must not change `from`
    /// until the space has read it.
    void lend(void* to, void const* from, std::uint64_t bytes) { space_.copy_in(to, from, bytes); }

    void record_copies(point&) {}      ///< marks the point after all copies given so far
    void record_work(point&) {}        ///< marks the point after all work given so far
    void work_awaits(point const&) {}  ///< later work of the space comes after the point
    void copies_await(point const&) {} ///< later copies come after the point
    void synchronize() {}              ///< waits for the copies given so far

private:
    Space space_;
};

} // namespace rhizome::exec
