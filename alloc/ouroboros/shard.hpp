// One of the shards of a size class: its own queue, its own list of chunks with marked pages, its own
// counters.
//
// A counter that a whole device updates takes about 0.75 ns an update on an H200: three of them, one update a
// warp, are most of what a million requests take. So warps are spread over shards, and meet in another's only
// when their own has nothing.
#pragma once

#include <rhizome/alloc/ouroboros/queue_state.hpp>
#include <rhizome/alloc/ouroboros/spilled_pages.hpp>
#include <rhizome/alloc/ouroboros/uncut_chunk.hpp>
#include <rhizome/alloc/tuning.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc {

/// 128 bytes: a cache line, so that shards do not meet in one.
struct shard_state {
    queue_state queue;
    spilled_pages_state spilled;
    std::uint64_t uncut; ///< the rest of fresh chunks (uncut_chunk.hpp)
};
static_assert(sizeof(shard_state) == 128);

/// Where a thread begins, of `shards` (a power of two): warps in a row begin at different ones.
template <class Thread>
[[nodiscard]] RZ_HD std::uint32_t own_shard(Thread const& thread, std::uint32_t shards) {
    return static_cast<std::uint32_t>(thread.warp().index()) & (shards - 1);
}

} // namespace rhizome::alloc
