// Constants of this room, each with its reason.
#pragma once

#include <cstdint>

namespace rhizome::graph::tuning {

/// Lanes that merge or walk a short row: most rows of real graphs have tens of neighbours or fewer.
inline constexpr std::uint32_t row_tile = 8;

/// Arcs of the longest row that a tile walks as a whole; longer ones are cut into pieces for warps.
inline constexpr std::uint64_t light_degree = 128;

/// Arcs in a piece of a row, so that no warp walks a hub alone. A multiple of every tile width.
inline constexpr std::uint64_t piece_arcs = 512;

/// Rows with more neighbours are merged by a block, others by a warp or a tile: so that nobody walks a hub
/// alone.
inline constexpr std::uint32_t heavy_degree = 1024;

/// Where arcs are sorted: rows with more neighbours or changes are merged by blocks, in pieces of so many.
/// Rows of several pieces get a new page, so pieces are smaller only in batches that cannot touch many such
/// rows.
inline constexpr std::uint32_t tile_degree = 256;
inline constexpr std::uint32_t piece_degree = 8192;
inline constexpr std::uint32_t small_piece_degree = 1024;
inline constexpr std::uint64_t small_piece_arcs = 1u << 18;

/// ... and rows get a new page for that alone only where they are longer than this share of the batch:
/// shorter ones do not keep it waiting, and extents of chunks take long to find.
inline constexpr std::uint64_t wish_share = 64;

/// A batch of fewer than concurrency / so many arcs is looked at by blocks of so many threads: it is then
/// spread over the whole device.
inline constexpr std::uint32_t spread_share = 16;
inline constexpr std::uint32_t spread_block_threads = 64;

/// Arcs for each row of the graph from which on a batch is sorted rather than counted: most rows then have
/// more arcs than fit into the registers of a tile.
inline constexpr std::uint32_t sorting_share = 2;

/// A row gives its page up for a smaller one once that has room for this share more than the row needs: rows
/// that grow and shrink by turns keep theirs.
inline constexpr std::uint32_t kept_share = 4;

/// A heap that has become too small grows by this share of itself at least, so that growth is rare, and at
/// most so much is held in vain.
inline constexpr std::uint64_t growth_share = 4;

/// ... or by this share of the vertex table, though it does not more than double: where most rows lie there,
/// the heap is small beside what a batch may need.
inline constexpr std::uint64_t table_growth_share = 8;

/// Free pages are queued anew, and where that does not last the heap grows ahead of need, when so large a
/// share of it came back and is slow to get: 1/16.
inline constexpr std::uint64_t spilled_share = 16;

/// A heap that is merely too full to queue its free pages grows only while so many times as much memory as it
/// grows by is left.
inline constexpr std::uint64_t spared_growths = 4;

/// How often a heap may hold what it held before a batch and what that needs, until the batch is refused.
/// More than once, since free pages may be of the wrong sizes; not for ever, since an allocator may be at its
/// end otherwise.
inline constexpr std::uint64_t growth_at_most = 4;

/// A batch that memory is too scarce for is cut into so many pieces, and each of them again, until a piece
/// has no more edges than memory has bytes / this: its scratch takes some 170 bytes an edge, so about a
/// hundredth of the memory.
inline constexpr std::uint32_t piece_parts = 4;
inline constexpr std::uint64_t piece_memory_share = 16384;
/// ... but no fewer, since each piece costs the launches of a batch; and no more, since a hundredth of a
/// large memory is enough for many.
inline constexpr std::uint64_t least_piece_edges = 64;
inline constexpr std::uint64_t most_least_piece_edges = 16384;
/// Rows are moved to empty chunks where that frees at least this share of the heap: a pass over all rows
/// should be worth more than a few pieces.
inline constexpr std::uint64_t moving_share = 64;
/// ... unless it is scratch that is lacking: a number of pieces that no batch reaches before they have one
/// edge.
inline constexpr std::uint32_t most_pieces = 1u << 28;
/// Of the memory that is left, what is held back while pieces are applied, so that they can be undone: the
/// scratch of some hundred to some thousand edges.
inline constexpr std::uint64_t undo_share = 8;
inline constexpr std::uint64_t least_undo_bytes = 4u << 10;
inline constexpr std::uint64_t most_undo_bytes = 512u << 10;
/// Memory that a growing heap or vertex table leaves to scratch. The smallest piece that inserts edges takes
/// about 20 KiB: the arrays of `least_piece_edges` edges, what sort and scan work in, and what undoing needs.
inline constexpr std::uint64_t least_scratch_bytes = 32u << 10;

/// Bytes of arcs of one row that a block sorts in its shared storage. Rows with more send the whole batch
/// through the device-wide sort: ten thousand arcs take a block .25 ms on an H200, and the device .06.
inline constexpr std::uint32_t block_sort_bytes = 16u << 10;

/// Arcs that a copy of unsorted rows sorts at a time, or one row where that has more: the scratch for it is
/// then at most 6 GiB (10 GiB where ids have 64 bits), whatever the graph.
inline constexpr std::uint64_t sorted_copy_arcs = 1u << 28;

/// Asked for an edge: rows with more neighbours are left alone where the other end has fewer. Up to here a
/// row is a few cache lines, and searching it costs no more than loading the other end's record.
inline constexpr std::uint32_t one_sided_degree = 64;

/// Edges of a batch from two columns in host memory that are copied at a time: 8 or 16 MiB, so that the copy
/// of a part takes many times as long as its launch.
inline constexpr std::uint64_t column_edges = 1u << 20;

} // namespace rhizome::graph::tuning
