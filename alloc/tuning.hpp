// SPDX-License-Identifier: Apache-2.0
// Constants of the allocators, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::alloc::tuning {

/// The least number of chunks by which a heap grows.
inline constexpr std::uint32_t chunks_per_step = 8;

/// A request that exceeds the largest class takes whole chunks (an extent). The size of a large extent is
/// rounded up to a multiple of p / 2^extent_shift, where p is the largest power of two that is not above the
/// request. This step is an eighth to a sixteenth of the request.
inline constexpr std::uint32_t extent_shift = 3;

/// Chunks per word of the bit mask of free chunks: the most that one atomic operation can take.
inline constexpr std::uint32_t chunks_per_word = 64;

/// How often a search for an extent is repeated. A concurrent search may take chunks and then give them
/// back; in between, other searches do not find these chunks.
inline constexpr std::uint32_t extent_looks = 16;

/// How often a search tries the runs of one window that other threads take first, before it moves on.
inline constexpr std::uint32_t extent_meetings = 64;

/// After this many words without a suitable run, a search for an extent begins elsewhere, four times as far
/// from its neighbours as before: a single lane that looks at a word waits about 2 us on an H200.
inline constexpr std::uint32_t extent_patience = 16;

/// Words that a claim of chunks looks at in sequence before it asks the tree for the next: while the cursor
/// is good, the tree costs nothing.
inline constexpr std::uint32_t words_in_a_row = 2;

/// Share of the heap that the queues' own memory takes, all classes together, unless heap_options sets
/// another: 1/32. Entries beyond it spill into the bit masks of the chunks, so this affects speed, not
/// capacity.
inline constexpr std::uint64_t queue_share = 32;

/// Virtualized queues keep empty segments as long as all segments together are no more than this many times
/// that share. Adding a segment takes a few microseconds, for which all threads at that queue wait. Eight
/// times is a quarter of the heap: the entries of the smallest pages are half as large as the pages.
inline constexpr std::uint64_t kept_segments = 8;

/// Pages up to this size are small: there may be so many that their queues need longer rings.
inline constexpr std::uint32_t small_page_bytes = 64;

/// requeue() puts free pages into queues while more than this share of the heap is free: 1/16. If less is
/// free, it keeps the chunks for requests of other sizes, although requests find marked pages more slowly.
inline constexpr std::uint64_t requeue_share = 16;

/// This share of the chunks, at the end of the heap, is never used for queues: 1/64.
inline constexpr std::uint64_t queue_reserve_share = 64;

/// A packed heap keeps free chunks, for this share of the chunks in use, so that queues can get chunks.
inline constexpr std::uint64_t packed_free_share = queue_reserve_share;

/// What a refill takes where groups share chunks. It takes enough pages for the warps that wait meanwhile,
/// and at least refill_chunks chunks, but only a limited share of the free chunks for each shard of each
/// class. Where that share is less than refill_few chunks, it takes that many, as long as they are a small
/// share of all.
inline constexpr std::uint32_t refill_pages = 2048;
inline constexpr std::uint32_t refill_chunks = 16;
inline constexpr std::uint32_t refill_share = 4;
inline constexpr std::uint64_t refill_few = 4;
inline constexpr std::uint64_t refill_few_share = 256;
/// With so many free chunks, a refill takes refill_few of them in any case.
inline constexpr std::uint64_t ample_chunks = refill_few * refill_few_share;

/// Lanes that want pages of classes with up to so many pages per chunk take whole chunks together
/// (ouroboros/joint_claim.hpp), while more than this share of the chunks is free: 1/8.
inline constexpr std::uint32_t joint_pages = 4;
inline constexpr std::uint64_t joint_share = 8;

/// For each shard of a class, restock() prepares pages for this share of the expected requests, as if these
/// were spread evenly over the shards. The share is an eighth: most graphs use about ten classes, and most
/// requests are for a few of them.
inline constexpr std::uint32_t restock_share = 8;
/// ... but no more bytes than this. Few large pages are requested at once, and the shards of all classes
/// together must leave chunks for other classes.
inline constexpr std::uint64_t restock_bytes = 32u << 10;

/// The most segments that an extension of a virtualized queue takes, and the largest share of all free
/// chunks.
inline constexpr std::uint32_t segments_at_once = 4;
inline constexpr std::uint32_t segment_share = 256;

/// How often a request waits for a refill of its shard before it looks elsewhere: about 20 us on an H200.
inline constexpr std::uint32_t refill_patience = 64;

/// How often a thread that gives pages back waits for segments that another thread adds, before it spills the
/// pages: longer than the longest extension takes. Spilled pages cost the threads that get them next more.
inline constexpr std::uint32_t room_patience = 1024;

/// If a queue has no room, a thread adds some, but other threads may use all of it first. This is how many
/// times the thread asks again. One extension serves some hundred warps.
inline constexpr std::uint32_t room_tries = 16;

/// How often a request searches a class in which other threads are taking or returning all free pages,
/// before it is refused: about a millisecond on an H200. These operations end long before, unless other
/// threads keep taking and returning pages without end.
inline constexpr std::uint32_t refusal_looks = 1024;

/// Shards of a size class, a power of two: enough that a million requests do not contend for one counter.
inline constexpr std::uint32_t shards_at_most = 32;

/// Chunks of the heap for each shard and class. Smaller heaps have fewer shards, so that what each shard may
/// keep to itself (two or three segments of a queue, the rest of a fresh chunk) is a small part of the heap.
inline constexpr std::uint64_t chunks_per_shard = 32;

/// ... but one shard for every chunks_per_few chunks, up to few_shards. A program with a small heap often
/// uses few classes, and all threads of a device request pages of one size. If it uses all classes, their
/// shards hold much of the heap.
inline constexpr std::uint64_t few_shards = 4;
inline constexpr std::uint64_t chunks_per_few = 128;

/// Consecutive threads that begin at the same shard: about a warp.
inline constexpr std::uint32_t shard_threads = 32;

} // namespace rhizome::alloc::tuning
