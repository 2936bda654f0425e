// SPDX-License-Identifier: Apache-2.0
// Constants of this module, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::graph::tuning {

/// Lanes that merge or walk a short row: most rows of real graphs have tens of neighbours or fewer.
inline constexpr std::uint32_t row_tile = 8;

/// Where a batch counts its arcs, one thread merges a row of at most so many neighbours and arcs: as many
/// windows of four ids as one pass of the thread is worth, and one window of arcs, or four in batches with
/// more arcs than sorting_share a row.
inline constexpr std::uint32_t short_degree = 32;
inline constexpr std::uint32_t short_arcs = 4;
inline constexpr std::uint32_t dense_short_arcs = 16;

/// Arcs of the longest row that a tile walks as a whole; longer ones are cut into pieces for warps.
inline constexpr std::uint64_t light_degree = 128;

/// Arcs in a piece of a row, so that several warps share a hub. A multiple of every tile width.
inline constexpr std::uint64_t piece_arcs = 512;

/// Rows with more neighbours are merged by a block, others by a warp or a tile, so that a long row does not
/// keep one warp busy after all others have ended.
inline constexpr std::uint32_t heavy_degree = 1024;

/// Where arcs are sorted, blocks merge rows of more neighbours or changes than tile_degree, in pieces of so
/// many. A row of several pieces gets a new page. Pieces are therefore smaller only in batches that cannot
/// touch many such rows.
inline constexpr std::uint32_t tile_degree = 256;
inline constexpr std::uint32_t piece_degree = 8192;
inline constexpr std::uint32_t small_piece_degree = 1024;
inline constexpr std::uint64_t small_piece_arcs = 1u << 18;

/// A row gets a new page for that alone only if it is longer than the batch divided by this. Shorter rows do
/// not delay the batch, and finding extents of chunks takes long.
inline constexpr std::uint64_t wish_share = 64;

/// A batch of fewer arcs than the concurrency of the space divided by spread_share is processed by blocks of
/// spread_block_threads, so that it uses the whole device.
inline constexpr std::uint32_t spread_share = 16;
inline constexpr std::uint32_t spread_block_threads = 64;

/// A batch of at most so many edges and arcs takes one launch. The edges travel with the launch.
inline constexpr std::uint32_t tiny_edges = 128;
inline constexpr std::uint32_t tiny_arcs = 256;
/// Threads of a block of that launch, and how many windows of neighbours (16 bytes each) a thread moves: what
/// the registers hold.
inline constexpr std::uint32_t tiny_block_threads = 512;
inline constexpr std::uint32_t tiny_windows = 4;
/// If a batch has more arcs than tiny_block_arcs, or more windows move than one block holds, the batch takes
/// all multiprocessors. Batches do so at once if one of the last tiny_narrow_batches needed it.
/// tiny_block_arcs: how many rows the tiles of a block load at a time. With four times as many, one block
/// took 34,000 cycles for the searches, and all blocks take 6,000 (H200).
inline constexpr std::uint32_t tiny_block_arcs = 64;
/// One block of tiny_block_threads for each multiprocessor, where that runs 2048 threads.
inline constexpr std::uint64_t tiny_share = 4;
/// So many batches in a row that one block could have applied, and the next one takes one block.
inline constexpr std::uint32_t tiny_narrow_batches = 8;
/// At most so many batches take the ordinary steps until one launch is tried again. A try in vain adds some
/// 30 us to a batch that takes hundreds.
inline constexpr std::uint32_t tiny_skipped_batches = 63;

/// Pages are brought for the next tiny insertions of at most tiny_block_arcs arcs after so many arcs: so many
/// that the launch for it counts little, and few enough that queues seldom run empty.
inline constexpr std::uint64_t tiny_restocked_arcs = 1024;

/// A query about at most so many edges or ids takes one launch, which has the query as its parameters.
inline constexpr std::uint32_t tiny_query = 128;
/// Its blocks are small, so that warps have multiprocessors for themselves.
inline constexpr std::uint32_t tiny_query_block_threads = 64;
/// Arcs per row of the graph from which on a batch is sorted and not counted: most rows then have more arcs
/// than fit into the registers of a tile.
inline constexpr std::uint32_t sorting_share = 2;
/// The same where single threads merge short rows with dense_short_arcs arcs, and rows have dense_degree
/// neighbours or fewer on average: most are short then.
inline constexpr std::uint32_t dense_sorting_share = 12;
inline constexpr std::uint32_t dense_degree = 16;
/// ... and where such batches may use bins of rows (below): grouping arcs by row then takes little time.
inline constexpr std::uint32_t binned_degree = 64;

/// A large batch that counts its arcs goes through all rows of the graph to find those that it touches, if it
/// has at least 1/sweeping_share as many arcs: a record is half a sector of memory, and neighbouring records
/// and pages are then read together.
inline constexpr std::uint64_t sweeping_share = 4;

/// Such a batch first brings its arcs into bins of neighbouring rows, whose words a block then holds in its
/// shared memory: at most most_bins of them, with least_bin_rows to most_bin_rows rows each, powers of two.
inline constexpr std::uint32_t most_bins = 1024;
inline constexpr std::uint32_t least_bin_rows = 64;
inline constexpr std::uint32_t most_bin_rows = 4096;
/// A bin with more than large_bin_arcs arcs, and more than bin_skew times the average, would keep one block
/// working after all others. Such a batch is tried again without bins, and the next unbinned_batches batches
/// do not try bins: a try in vain adds some 50 us.
inline constexpr std::uint32_t large_bin_arcs = 8192;
inline constexpr std::uint32_t bin_skew = 4;
inline constexpr std::uint32_t unbinned_batches = 31;

/// A row moves to a smaller page once that page has room for 1/kept_share more than the row needs. Rows that
/// grow and shrink in turns therefore keep their page.
inline constexpr std::uint32_t kept_share = 4;

/// A heap that is too small grows by at least 1/growth_share of its size. Growth is then rare, and at most so
/// much memory is unused.
inline constexpr std::uint64_t growth_share = 4;

/// A heap that grows for a batch gets so much more than the pages: chunks of many sizes are not all full.
inline constexpr std::uint64_t spare_share = 8;
/// The same of a heap that is loaded in order, where of each size few chunks are not full. It grows to the
/// share above when a batch follows.
inline constexpr std::uint64_t loaded_spare_share = 32;
inline constexpr std::uint64_t loaded_spare_bytes = 512u << 10;

/// After a small batch that took chunks, a heap grows by 1/spare_share if fewer than 1/few_chunks_share of
/// its chunks are free, and fewer than alloc::tuning::ample_chunks.
inline constexpr std::uint64_t few_chunks_share = 16;

/// It grows by at least 1/table_growth_share of the vertex table, but does not more than double: if most rows
/// lie in the table, the heap is small compared with what a batch may need.
inline constexpr std::uint64_t table_growth_share = 8;

/// Pages of one size are requested in bulk if they have at least so many bytes: several chunks of the default
/// allocator (8 KiB each). Fewer lie close together anyhow, and each request is a search by one warp.
inline constexpr std::uint64_t least_run_bytes = 32u << 10;

/// Rows that a warp ranks by their sizes, one after the other. The counts to scan are then an eighth of the
/// rows.
inline constexpr std::uint32_t ranked_rows = 256;

/// If pages of more than 1/spilled_share of the heap came back and are slow to obtain, they are put back into
/// the queues. If that has not helped before, the heap grows.
inline constexpr std::uint64_t spilled_share = 16;

/// If fewer batches than these lie between two that had to trim the heap, the heap grows.
inline constexpr std::uint64_t trims_apart = 8;

/// A heap that only lacks room to queue its free pages grows while the memory that is left is at least so
/// many times the growth.
inline constexpr std::uint64_t spared_growths = 4;

/// A batch is refused once the heap is more than so many times as large as before the batch plus what the
/// batch needs. More than once, since free pages may have the wrong sizes; limited, since an allocator may
/// refuse pages for ever.
inline constexpr std::uint64_t growth_at_most = 4;

/// A batch that does not fit in memory is cut into so many pieces, and each piece again, until a piece has at
/// most (bytes of memory) / piece_memory_share edges. Its scratch takes about 120 bytes per edge, less than a
/// hundredth of the memory.
inline constexpr std::uint32_t piece_parts = 4;
inline constexpr std::uint64_t piece_memory_share = 16384;
/// Where pages are lacking, a piece has at least so many edges, since each piece costs the launches of a
/// batch; and the lower limit above is at most this one, since a hundredth of a large memory is enough for
/// many edges. Where scratch is lacking, pieces are cut until they have at most least_piece_edges (erasing:
/// one).
inline constexpr std::uint64_t least_piece_edges = 64;
inline constexpr std::uint64_t most_least_piece_edges = 16384;
/// Rows are moved to empty chunks if that frees at least 1/moving_share of the heap, so that a pass over all
/// rows saves more than a few pieces.
inline constexpr std::uint64_t moving_share = 64;
/// A compacted heap takes the bytes of its pages, a 1/compacted_spare_share of them, and
/// compacted_spare_bytes: chunks are not quite filled, 1/64 of them stay free, and each of some forty page
/// sizes has a chunk that is partly free.
inline constexpr std::uint64_t compacted_spare_share = 32;
inline constexpr std::uint64_t compacted_spare_bytes = 256u << 10;
/// A graph compacts itself after a batch once heap and vertex table take more than so many times the bytes of
/// compressed sparse rows, and the heap has more than least_compacted_heap_bytes and twice its initial size.
inline constexpr std::uint64_t compacted_times = 2;
inline constexpr std::uint64_t least_compacted_heap_bytes = 8u << 20;
/// It waits until the batches since the last compaction had arcs of 1/compaction_work_share of the heap's
/// bytes: a batch reads and writes the bytes of its arcs some ten times, a compaction those of the heap once.
inline constexpr std::uint64_t compaction_work_share = 16;
/// compact() leaves a heap alone of which at most 1/packed_heap_share is free: a packed heap keeps so much.
inline constexpr std::uint64_t packed_heap_share = 64;
/// A compaction was in vain if the heap was too large again within so many batches, or if it gave back less
/// than 1/least_compaction_gain of the heap. Each such compaction doubles the number of batches before the
/// next one, up to most_compaction_wait; each other one halves it.
inline constexpr std::uint64_t compaction_batches = 16;
inline constexpr std::uint64_t least_compaction_gain = 16;
inline constexpr std::uint64_t most_compaction_wait = 256;
/// A graph gives scratch back after so many batches in a row that had at most 1/small_batch_share of the
/// edges of the largest one. If a large batch follows soon, it waits twice as long the next time, up to
/// most_small_batches: the large batches of a stream seldom allocate their scratch anew.
inline constexpr std::uint64_t small_batches = 32;
inline constexpr std::uint64_t small_batch_share = 4;
inline constexpr std::uint64_t most_small_batches = 1024;
/// The most pieces where scratch is lacking: no batch reaches it before its pieces have one edge.
inline constexpr std::uint32_t most_pieces = 1u << 28;
/// While pieces are applied, 1/undo_share of the memory that is left is set aside, so that the pieces can be
/// undone. It is the scratch of some hundred to some thousand edges.
inline constexpr std::uint64_t undo_share = 8;
inline constexpr std::uint64_t least_undo_bytes = 4u << 10;
inline constexpr std::uint64_t most_undo_bytes = 512u << 10;
/// Memory that a growing heap or vertex table leaves to scratch. The smallest piece that inserts edges takes
/// about 20 KiB: the arrays of `least_piece_edges` edges, the working memory of sort and scan, and the memory
/// for undoing.
inline constexpr std::uint64_t least_scratch_bytes = 32u << 10;

/// Bytes of arcs of one row that a block sorts in its shared memory. If a row has more, the batch goes
/// through the device-wide sort: 10,000 arcs take a block 0.25 ms on an H200, and the device 0.06 ms.
inline constexpr std::uint32_t block_sort_bytes = 16u << 10;

/// Arcs that a copy of unsorted rows sorts at a time, or one row if that has more. The scratch for it is then
/// at most 6 GiB (10 GiB with 64-bit ids) for every graph.
inline constexpr std::uint64_t sorted_copy_arcs = 1u << 28;

/// In queries for an edge, a row with more neighbours is not searched if the other end has fewer. Up to here
/// a row is a few cache lines, and searching it costs no more than loading the record of the other end.
inline constexpr std::uint32_t one_sided_degree = 64;

/// Edges that are copied at a time from two columns in host memory: 8 or 16 MiB, so that the copy of a part
/// takes many times as long as its launch.
inline constexpr std::uint64_t column_edges = 1u << 20;

/// Arcs per rank that validate() of a partitioned graph exchanges at a time: they and their sort take some
/// 200 MB.
inline constexpr std::uint64_t mirror_arcs = 1u << 22;

} // namespace rhizome::graph::tuning
