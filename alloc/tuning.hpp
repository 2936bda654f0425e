// Constants of this room, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::alloc::tuning {

/// Chunks by which a heap grows at least.
inline constexpr std::uint32_t chunks_per_step = 8;

/// What exceeds the largest class takes whole chunks, and where these are many, multiples of an eighth to a
/// sixteenth of what it needs: 2^-extent_shift of the power of two below.
inline constexpr std::uint32_t extent_shift = 3;

/// Chunks in one word of the bitmap: what one atomic can take.
inline constexpr std::uint32_t chunks_per_word = 64;

/// How often a search for an extent is repeated, since other searches may have hidden from it what they gave
/// back.
inline constexpr std::uint32_t extent_looks = 16;

/// How often a search tries the runs of one window, which others take before it, until it passes on.
inline constexpr std::uint32_t extent_meetings = 64;

/// After so many words without what it wants, a search for an extent begins elsewhere, four times as far from
/// its neighbours as before: a lone lane that looks at a word waits some 2 us on an H200.
inline constexpr std::uint32_t extent_patience = 16;

/// Words that a claim of chunks looks at one after the other before it asks the tree for the next: while the
/// cursor is good, the tree costs nothing.
inline constexpr std::uint32_t words_in_a_row = 2;

/// Share of the heap that the queues' own memory takes, all classes together, unless heap_options says
/// otherwise: 1/32. Entries beyond it spill into the chunks' own bit masks, so this is about speed, not about
/// capacity.
inline constexpr std::uint64_t queue_share = 32;

/// Virtualized queues keep segments that are empty as long as all segments are no more than so many times
/// that share: adding one takes a few microseconds, for which everybody at that queue waits. Eight times, a
/// quarter of the heap: the entries of the smallest pages are half of their bytes.
inline constexpr std::uint64_t kept_segments = 8;

/// Pages up to this size are small: there may be so many that their queues need longer rings.
inline constexpr std::uint32_t small_page_bytes = 64;

/// requeue() puts free pages into queues while more than this share of the heap is free: 1/16. Where less
/// is, chunks are worth more than the time that marked pages cost.
inline constexpr std::uint64_t requeue_share = 16;

/// The last chunks of a heap are not for queues: 1/64 of them.
inline constexpr std::uint64_t queue_reserve_share = 64;

/// What a refill takes where groups share chunks: as many pages as serve the warps that wait meanwhile, at
/// least so many chunks; the share that it may take of the chunks that are free for each shard of each class;
/// and a few where that is less, as long as they are a small share of all.
inline constexpr std::uint32_t refill_pages = 2048;
inline constexpr std::uint32_t refill_chunks = 16;
inline constexpr std::uint32_t refill_share = 4;
inline constexpr std::uint64_t refill_few = 4;
inline constexpr std::uint64_t refill_few_share = 256;

/// Of the requests that restock() expects, each shard of a class has pages for this share, were they spread
/// evenly over shards: an eighth, since most graphs use some ten classes, and few of them most.
inline constexpr std::uint32_t restock_share = 8;
/// ... but no more than this: few large pages are asked for at once, and all classes' shards together must
/// not take the chunks that others need.
inline constexpr std::uint64_t restock_bytes = 32u << 10;

/// What an extension of a virtualized queue takes at most, of all free chunks at most this share.
inline constexpr std::uint32_t segments_at_once = 4;
inline constexpr std::uint32_t segment_share = 256;

/// How often a request waits for a refill of its shard before it looks elsewhere: some 20 us on an H200.
inline constexpr std::uint32_t refill_patience = 64;

/// How often whoever gives back waits for segments that somebody else adds, before the pages are spilled:
/// longer than the longest extension takes. Spilled pages cost their next holder more.
inline constexpr std::uint32_t room_patience = 1024;

/// How often it asks for room again where others have taken what was added: an extension serves some hundred
/// warps.
inline constexpr std::uint32_t room_tries = 16;

/// How often a requester looks at a class whose pages are all on the move before it is refused: about a
/// millisecond on an H200. Pages come to rest long before, unless others take and return them without end.
inline constexpr std::uint32_t refusal_looks = 1024;

/// Shards of a size class: enough that a million requests meet on no counter; a power of two.
inline constexpr std::uint32_t shards_at_most = 32;

/// Chunks of the heap for each shard and class: smaller heaps have fewer shards, so that what each shard may
/// hold for itself (two or three segments of a queue, the rest of a fresh chunk) is a small part of them.
inline constexpr std::uint64_t chunks_per_shard = 32;

/// ... but a shard for every so many chunks, up to a few: in a small heap often few classes are used at all,
/// and a whole device asks for pages of one size. Where all classes are, their shards hold much of it.
inline constexpr std::uint64_t few_shards = 4;
inline constexpr std::uint64_t chunks_per_few = 128;

/// Threads in a row that begin at the same shard: about a warp.
inline constexpr std::uint32_t shard_threads = 32;

} // namespace rhizome::alloc::tuning
