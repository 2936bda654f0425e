// SPDX-License-Identifier: Apache-2.0
// What the header-only part of the emulator knows of a lane, and the functions of the compiled part.
#pragma once

#include <rhizome/exec/simt/call_site.hpp>

#include <cstdint>

namespace rhizome::exec::emulator {

/// The operations at which the lanes of a group meet.
enum class collective : std::uint8_t {
    sync,
    any,
    all,
    ballot,
    broadcast,
    shuffle,
    exclusive_scan,
    inclusive_scan,
    sum,
    min,
    max,
    match
};

inline constexpr std::uint32_t warp_lanes = 32;

/// What fences of this OS thread's emulators order by.
inline constinit thread_local std::uint32_t fence_word = 0;

/// One emulated thread: its place in the grid.
struct lane {
    std::uint32_t block = 0;
    std::uint32_t blocks = 0;
    std::uint32_t thread = 0; ///< within its block
    std::uint32_t block_threads = 0;
    void* storage = nullptr; ///< of its block

    [[nodiscard]] std::uint32_t lane_in_warp() const { return thread % warp_lanes; }
};

/// Waits until all lanes of `mask` have called the same collective. Returns their values, indexed by their
/// place in the warp. Valid until the caller's next operation.
std::uint64_t const* meet(lane& caller, collective what, std::uint32_t mask, std::uint64_t value,
                          call_site at);

/// Ends the launch with a report that the group of `mask` has no lane of that rank. Returns only to a lane
/// that is being unwound already.
void report_rank(lane& caller, collective what, std::uint32_t mask, std::uint32_t rank, call_site at);

/// Waits for a seeded choice among the lanes of the warp at this call site; the returned mask includes the
/// caller.
[[nodiscard]] std::uint32_t gather(lane& caller, call_site at);

void sync_block(lane& caller, call_site at);
void relax(lane& caller, call_site at);
void pause(lane& caller);

} // namespace rhizome::exec::emulator
