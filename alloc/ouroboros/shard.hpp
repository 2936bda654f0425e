// SPDX-License-Identifier: Apache-2.0
// One of the shards of a size class: its own queue, its own list of chunks with marked pages, its own
// counters.
//
// A counter that all threads of a device update takes about 0.75 ns per update on an H200. With three of them
// and one update per warp, this would be most of the time of a million requests. So warps are spread over
// shards, and use another shard only when their own has nothing.
#pragma once

#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/spilled_pages.hpp>
#include <rhizome/alloc/ouroboros/uncut_chunk.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// 128 bytes: a cache line, so that no two shards share one.
struct shard_state {
    queue_state queue;
    spilled_pages_state spilled;
    std::uint64_t uncut; ///< the rest of fresh chunks (uncut_chunk.hpp)
};
static_assert(sizeof(shard_state) == 128);

/// The shard at which a thread begins, of `shards` (a power of two): consecutive warps begin at different
/// ones. Where threads take runs of items, an OS thread runs consecutive threads, and these begin at the same
/// one: OS threads then seldom share the cache lines of a shard.
template <class Thread>
[[nodiscard]] RZ_HD std::uint32_t own_shard(Thread const& thread, std::uint32_t shards) {
    auto const warp = thread.warp();
    auto const index = static_cast<std::uint32_t>(warp.index());
    if constexpr (Thread::prefers_runs)
        return static_cast<std::uint32_t>(std::uint64_t{index} * shards / warp.count());
    else
        return index & (shards - 1);
}

} // namespace rhizome::alloc
