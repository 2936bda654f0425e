// SPDX-License-Identifier: Apache-2.0
// The options of the emulator.
#pragma once

#include <cstdint>
#include <optional>

namespace rhizome::exec {

/// How the next lane is chosen when lanes are switched.
enum class simt_policy : std::uint8_t {
    any_lane,   ///< any lane that can run
    in_step,    ///< the next lane of the same warp, then another warp: as hardware does mostly
    same_warp,  ///< mostly a lane of the same warp
    favourites, ///< some lanes run far more often than others
};
inline constexpr std::uint32_t simt_policies = 4;

/// The settings that a seed draws for each launch. A setting that has a value here is not drawn.
struct simt_tuning {
    std::optional<simt_policy> policy;
    std::optional<std::uint32_t> switch_every;    ///< operations between switches, on average; 1 to 64
    std::optional<std::uint32_t> resident_blocks; ///< blocks that run at a time; at least 1
    std::optional<std::uint32_t>
        stale_writes; ///< a write this many writes ago is seen by all; 0: no weak memory
    std::optional<std::uint32_t> stale_one_in; ///< a load that may be stale is so once in this many
};

struct simt_options {
    std::uint64_t seed = 1;
    std::uint64_t memory_limit_bytes = 0;      ///< 0: no limit
    std::uint64_t step_limit = 400'000'000;    ///< atomic operations and collectives per launch; some seconds
    std::uint32_t concurrency_threads = 512;   ///< small, so that kernels stride
    std::uint32_t max_block_threads = 128;     ///< of the cover functions; a launch may have up to 1024
    std::uint32_t max_resident_threads = 2048; ///< upper bound of lanes alive at a time (at least one block)
    simt_tuning tuning = {};
};

/// A report on the last launch. Equal seeds and kernels give equal reports.
struct simt_launch_report {
    std::uint64_t seed = 0;     ///< of this launch: from the base seed and the number of the launch
    std::uint64_t launch = 0;   ///< number of the launch, from 1
    std::uint64_t steps = 0;    ///< atomic operations, collectives and waits
    std::uint64_t switches = 0; ///< lane to lane
    std::uint64_t trace = 0;    ///< hash over the sequence of lanes that ran and the values they read
};

} // namespace rhizome::exec
