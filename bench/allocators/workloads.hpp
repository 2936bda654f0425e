// SPDX-License-Identifier: Apache-2.0
// What is done to an allocator, and what is measured of it. Each checks the blocks that it was given, outside
// of the measured times; what is wrong is thrown as std::runtime_error.
#pragma once

#include <rhizome/bench/allocators/subject.hpp>
#include <rhizome/bench/harness/cell.hpp>

namespace rhizome::bench {

// The cell's values that they read: threads, size, mode, seed; warm-up and repetitions where there are any.

/// Allocates all, frees all, over and over on one heap. An allocator that reuses nothing gets a new heap each
/// time.
[[nodiscard]] cell_result run_cycle(subject& allocator, cell const& which);

/// The first allocations on a new heap, each repetition on another one.
[[nodiscard]] cell_result run_fresh(subject& allocator, cell const& which);

/// Allocates, launch by launch, until a request is refused; frees all, and does it again.
[[nodiscard]] cell_result run_capacity(subject& allocator, cell const& which);

/// From the lowest address to the highest end of as many blocks as there are requests, in bytes asked for.
[[nodiscard]] cell_result run_address_range(subject& allocator, cell const& which);

/// Allocates, frees every second of what it got, and so on until a request is refused.
[[nodiscard]] cell_result run_growth(subject& allocator, cell const& which);

/// Fills the heap with blocks of 16 KiB, frees every second, and asks for blocks in what is left: how long
/// that takes, and how many are served.
[[nodiscard]] cell_result run_extents(subject& allocator, cell const& which);

/// The first allocations on a new heap and how far they lie apart, then cycles on the same heap: Figure 3 of
/// the Ouroboros paper.
[[nodiscard]] cell_result run_fig3(subject& allocator, cell const& which);

/// "16" or "4-64" in bytes. Throws cli::usage_error.
struct size_range {
    std::uint64_t lowest_bytes = 0;
    std::uint64_t highest_bytes = 0;
};
[[nodiscard]] size_range parse_size_range(std::string const& option, std::string const& text);

} // namespace rhizome::bench
