// SPDX-License-Identifier: Apache-2.0
// Constants of this module, each with its reason.
#pragma once

#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::algorithms::tuning {

/// Rows with more arcs are cut into pieces.
using graph::tuning::light_degree;

/// Consecutive rows that one thread sorts by length (Xeon). With fewer there are too few rows of one length;
/// with more they leave the first-level cache, and there is less to distribute over threads.
inline constexpr std::uint32_t strip_rows = 1024;

/// The longest row that is copied into a strip and summed by code for exactly its length, in neighbours.
inline constexpr std::uint32_t strip_short_degree = 32;

/// Iterations of PageRank that are launched before the host reads whether it has converged. A launch after
/// convergence costs 2 us, a read by the host 10 us.
inline constexpr unsigned iterations_per_look = 8;

/// The longest row, in neighbours, for counting triangles on the rows as they are.
inline constexpr std::uint32_t triangle_light_degree = 64;

/// Where one thread walks each row: vertices that it sorts at a time, and places for marks of the neighbours
/// of one vertex, 16 KiB of the first-level cache. With half as many places, more marks collide; with twice
/// as many, less cache is left for the rows.
inline constexpr std::uint32_t triangle_strip_rows = 512;
inline constexpr std::uint32_t triangle_marks = 4096;

/// Vertices around which single warps count triangles have at most so many higher neighbours, which go into a
/// table, and so many lower ones. With words for four times as many, the tables of eight warps take 16 KiB of
/// a block's shared memory.
inline constexpr std::uint32_t triangle_warp_higher = 128;
inline constexpr std::uint32_t triangle_warp_lower = 64;

/// Lower neighbours that a block takes at a time, so that several blocks share a hub; and words of its set:
/// 32 KiB, so that six blocks run side by side, or bits for 262,144 ranks.
inline constexpr std::uint32_t triangle_block_lower = 512;
inline constexpr std::uint32_t triangle_block_words = 8192;

/// Rows of a frontier with more than light_degree arcs go to a block or a part of one each, and those with
/// more than so many to all blocks, in parts of so many arcs.
inline constexpr std::uint64_t block_degree = 8192;

/// Delta PageRank lists at most so many of these in a round; the others go to a block each, or to a warp each
/// where vertices pull.
inline constexpr std::uint32_t listed_giants = 1024;

/// Where delta PageRank pushes along few rows for a block each, they are cut into so many parts at most, so
/// that a lane of 512 has two arcs of 8192.
inline constexpr std::uint64_t row_shares = 8;

/// The smallest part of a block that such a row goes to, in lanes. A row costs a group several accesses to
/// memory one after another, however few arcs it has, so that more and smaller groups get through more rows;
/// 8192 arcs take 64 rounds of so many lanes.
inline constexpr std::uint32_t heavy_lanes = 128;

/// Where a vertex looks for a parent, one lane looks at so many neighbours before the warp takes the row.
inline constexpr std::uint32_t bottom_up_lane_arcs = 64;

/// Shortest paths: the factor of the published rule for delta, which is the lanes of a warp; and how many
/// rows, and arcs of each, are sampled for the mean weight.
inline constexpr double delta_factor = 32;
/// While steps are small, delta grows to so many times that: 2^4. On a road grid of a million vertices
/// (H100), 35.0 ms with the rule, 29.2 with 4 times and 27.0 with 16 times as much.
inline constexpr std::uint32_t delta_doublings = 4;
inline constexpr std::uint64_t sampled_rows = 4096;
inline constexpr std::uint64_t sampled_arcs = 4;

/// One block looks through a pile of so many times as many vertices as it expands in a step.
inline constexpr std::uint32_t narrow_pile = 8;

/// Neighbours by which each vertex is joined before the largest component is looked for. The first makes the
/// first trees.
inline constexpr std::uint32_t sampled_neighbours = 2;

/// Warps of a block of 256 threads, the largest that is launched.
inline constexpr std::uint32_t warps_per_block = 8;

/// Where rows are dealt to ranks, a list of more higher neighbours is packed by a warp, others by a tile of 8
/// lanes. Not measured yet.
inline constexpr std::uint32_t packed_by_tile = 64;

/// The rows that a rank gathers in one round take at most 1/round_share of its memory: rows that it orients,
/// and that are dealt to it, take more.
inline constexpr std::uint64_t triangle_round_share = 4;

/// Neighbours that a warp looks up for a changed edge, if its row is not light. Rows of hubs then spread over
/// many warps, each of which waits for memory four times.
inline constexpr std::uint64_t triangle_piece = 128;

/// Assumptions of maintained results: the launches and waits of an update take as long as looking at so many
/// vertices or arcs (on a GPU it is nearer a million, on a host some thousands), and so many are looked at
/// per millisecond, until that is measured.
inline constexpr double update_work = 200'000;
inline constexpr double first_work_per_ms = 10'000'000;

/// The share of the time of computing anew by which all repairs of a kind together may exceed it, and as much
/// again for first repairs after computing anew. A repair that takes twice as long is then tried in every
/// fiftieth update.
inline constexpr double excess_share = 0.02;
/// So many times what computing anew takes may the first repair after it take.
inline constexpr double most_restart = 3;
/// Time that repairs have saved allows later ones to exceed computing anew, up to so many times what that
/// takes. With more, repairs go on for longer after they have become expensive; with less, they stop because
/// of single expensive ones.
inline constexpr double most_saved = 4;

/// All blocks meet after each step of maintained_core_numbers, which takes as long as looking at so many arcs
/// and vertices.
inline constexpr std::uint64_t core_step_work = 20'000;

/// Where paths are repaired, a vertex looks at so many ancestors in a step that finds out whether it has lost
/// its path. A step costs a barrier and a pass over the vertices; ancestors are random accesses.
inline constexpr std::uint32_t climbed_ancestors = 4;

/// A step of such a repair takes as long as looking at so many vertices and arcs: by all blocks that meet
/// behind it, and where each step is a launch on the host. Not measured yet.
inline constexpr std::uint64_t path_step_work = 20'000;
inline constexpr std::uint64_t path_step_work_on_host = 1000;

/// Where maintained_pagerank pulls along rows that are not light, each warp takes parts of rows of so many
/// in-arcs; each core parts of so many, of which it adds light_degree at a time.
inline constexpr std::uint64_t pulled_part = 1024;
inline constexpr std::uint64_t pulled_part_alone = 8192;
/// Such parts that a warp takes at a time. What precedes and follows the sum, several accesses to memory one
/// after another, is done for all of them side by side.
inline constexpr std::uint32_t pulled_parts = 4;

/// What a round that pulls is expected to leave of the sum of residuals, and what one that pushes takes off
/// for each residual that it passes on, before the first rounds of an update show it (maintained_pagerank).
inline constexpr double first_left = 0.4;
inline constexpr double first_pushed_off = 0.5;
/// Where a round that pulls leaves more of the sum of residuals than this share, pushing may pay again: what
/// is left has gathered at few vertices.
inline constexpr double slow_pull = 0.35;
/// Vertices around a vertex that give to it alone, of which maintained_pagerank solves the equations at once.
inline constexpr std::uint64_t star_leaves = 8;

/// An atomic addition to the residual of a vertex is taken to be as long as so many arcs of a pull
/// (maintained_pagerank): on a GPU (H200: 8 and 16 take as long as 24 on R-MAT, but 3.1 ms instead of 2.2
/// after 10,000 random edges of a mesh), and where one thread walks each row (Xeon, graphs of 65,000 to
/// 260,000 vertices: 8 and 16 are better than 4 and 32).
inline constexpr std::uint64_t rank_push_cost = 24;
inline constexpr std::uint64_t rank_push_cost_alone = 12;

/// A round that pushes takes as long as pulling along so many arcs for each thread that runs at once, beside
/// its own arcs: two barriers and accesses to memory one after another. One that pulls passes over the
/// vertices so many times, each as long as an arc. Estimated from profiles on an H200.
inline constexpr std::uint64_t rank_round_work = 8;
inline constexpr std::uint64_t rank_round_work_on_host = 1000;
inline constexpr std::uint64_t rank_passes = 4;

/// Where a round pushes along more arcs than this share of the vertices, 1 / rank_settle_share, the vertices
/// for the next round are found by a look at all of them. Else threads that push find them.
inline constexpr std::uint64_t rank_settle_share = 4;
/// Without in-arcs, all vertices are looked at after so many rounds at least: the sum of residuals may be
/// small enough.
inline constexpr std::uint32_t rank_look_rounds = 8;

/// maintained_pagerank passes residuals on that are larger than so many times the mean of those that the
/// tolerance allows. Most of the others are much smaller.
inline constexpr double rank_limit_factor = 4;

/// The share of the tolerance that rounding errors of kept residuals may take, before these are computed
/// anew.
inline constexpr double rank_rounding_share = 0.25;

} // namespace rhizome::algorithms::tuning
