// SPDX-License-Identifier: Apache-2.0
// Constants of random walks, each with its reason.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::alloc::random_walk_tuning {

/// Pages that a walk looks at before it sweeps, in a store that has as many. With 1 in 200 pages free a walk
/// from page to page fails after this many looks once in 10^8 requests.
inline constexpr std::uint32_t walk_pages = 4096;

/// Windows that a warp of `claim` looks at, after the one at its home, before it sweeps. Where four do not
/// serve it, a sweep finds more: its lanes look at 16 words each at a time.
inline constexpr std::uint32_t walk_windows = 4;
/// The parts of the store where a search for a run looks, before it sweeps. With 1 in 100 pages free, in
/// large pieces, ten of them together have none in 400,000.
inline constexpr std::uint32_t walk_parts = 16;

/// The windows at which the lanes of `own_segments` look before they sweep. With 1 in 200 pages free, in
/// pieces of 32 pages, a window has one of them in three on average, and a warp that wants 32 looks at 100
/// windows.
inline constexpr std::uint32_t segment_windows = 256;

/// Words that each lane of `claim` looks at in a window, but for the first: 4096 pages for a warp. With 1 in
/// 200 pages free, a window has 20 of them.
/// A search for a run looks at as many random words at a time.
inline constexpr std::uint32_t walk_loads = 4;
/// How often the lanes of a warp take pages in one window.
inline constexpr std::uint32_t window_takes = 4;

/// How often a search for a run tries those of one window that other threads take first, before it moves on.
inline constexpr std::uint32_t run_collisions = 16;
/// ... and how often it relies on what it has seen above the window.
inline constexpr std::uint32_t aligned_collisions = 4;

/// How often a sweep passes over the marks before the request is refused without a proof: as often as a
/// request for a page of ouroboros looks (refusal_looks). A pass takes each page that it sees, unless another
/// thread is first.
inline constexpr std::uint32_t sweep_passes = 1024;
/// How often the lanes of a warp try to take pages of the lines that they look at together, before they go on
/// to other lines: for 32 pages, and as often again where other threads are first.
inline constexpr std::uint32_t line_takes = 64;

/// Words that each lane of a sweep loads at the same time: a sweep mostly waits for memory. With more,
/// kernels that request pages need more than 40 registers, and fewer threads run side by side.
inline constexpr std::uint32_t sweep_loads = 8;
/// The same for the atomics that prove a refusal, of which the memory system takes fewer at a time.
inline constexpr std::uint32_t proof_updates = 4;

/// How often a request for a run searches a whole store of so many words and is disturbed by other threads,
/// before it is refused without a proof: as often as a search for an extent (extent_looks), and as often more
/// as reads 1024 words. Each search reads all words, so more would take seconds in a large heap. On the
/// emulator, where four threads moved four runs between far places, one search of a larger store missed a
/// free run once in 4800 times (10 of 48,000 requests). Where 32 threads took and gave back the 32 pages of
/// one word, which look used while a thread splits or joins it, 16 searches missed a free page in 3 of 700
/// runs.
[[nodiscard]] RZ_HD constexpr std::uint32_t run_proof_tries(std::uint64_t words) {
    constexpr std::uint64_t few_words = 1024;
    return 16 + static_cast<std::uint32_t>(few_words / words);
}
/// A request waits for so many proofs of other threads that do not refuse it, before it makes one beside
/// theirs. One proof at a time is faster: threads that wait disturb none. Most requests are refused by a
/// proof about a shorter run long before; this number bounds the wait of the others.
inline constexpr std::uint32_t run_proof_waits = 1024;

/// A lane gives back so many groups of its block by itself; the lanes of a warp share those of longer blocks.
inline constexpr std::uint64_t groups_of_one_lane = 4;

/// The most threads that have a hint of their own. An H200 runs 270,336 threads at a time.
inline constexpr std::uint64_t hints_at_most = std::uint64_t{1} << 18;

} // namespace rhizome::alloc::random_walk_tuning
