// SPDX-License-Identifier: Apache-2.0
// Requests to a heap of which a given share is free, at random places: figures 4, 11, 13 and 14 of the
// random-walk paper.
#pragma once

#include <rhizome/bench/harness/cell.hpp>
#include <rhizome/runtime/any_allocator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace rhizome::bench {

/// What the threads of a launch do: "4100": each requests a block; "4-64": of a size that is drawn; "mixed":
/// 4 bytes to 8 KiB; "4096-freed": each requests a block, and a second launch frees all.
struct scenario {
    std::uint64_t lowest_bytes = 0;
    std::uint64_t highest_bytes = 0;
    bool frees = false;
};
/// Throws cli::usage_error for text that is none.
[[nodiscard]] scenario parse_scenario(std::string const& option, std::string const& text);

struct partly_free_options {
    std::uint64_t heap_bytes = 0;
    std::uint64_t block_bytes = 0; ///< of the blocks that are there before
    double free_share = 1;         ///< of such blocks that would fit; 1: the heap is new
    /// Whether the heap is filled, and that share then freed, drawn at random, anew for each heap. Otherwise
    /// it is filled up to that share, and the free part lies where the allocator leaves it.
    bool freed_at_random = false;
    std::uint64_t threads = 0;
    scenario what;
    std::uint64_t warm_up = 0;
    std::uint64_t repetitions = 1;
    std::uint64_t seed = 1;
    bool always_served = false; ///< a refusal is an error: blocks are pages of one size, and so many are free
};

/// Measures `alloc`, milliseconds of the launch, or of both launches if the scenario frees. Each repetition
/// has a heap in that state of its own, unless the scenario frees: then all have one, as in the paper. Not
/// served: more bytes than are free; a refusal (unless always_served); a heap that cannot be made anew.
/// Checks at the end that no block overlaps another, or one that was there before.
[[nodiscard]] cell_result
measure_partly_free(std::function<std::unique_ptr<runtime::any_allocator>()> const& open,
                    partly_free_options const& options);

} // namespace rhizome::bench
