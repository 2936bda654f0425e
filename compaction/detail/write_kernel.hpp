// SPDX-License-Identifier: Apache-2.0
// The second pass: executes the listed steps.
#pragma once

#include <rhizome/compaction/detail/steps.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// Warps take steps in turn, so that a cluster of selected items is spread over all of them.
template <class Source, class Element>
struct write_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = write_blocks_side_by_side;
    static constexpr bool overlaps_launch = true;
    struct shared {
        warp_stage stages[most_block_warps];
    };

    Source source;
    bit_mask mask;
    listed_step const* steps; ///< of scan_kernel
    std::uint64_t const* step_count;
    Element* output;
    std::uint64_t* cleared; ///< words that are 0 when the next call starts: this pass sets them
    std::uint64_t cleared_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, cleared_words, [&](std::uint64_t i) { cleared[i] = 0; });
        auto const warp = thread.warp();
        auto const block = thread.block();
        warp_stage& stage = block.storage().stages[block.rank() / warp.size()];
        std::uint64_t const warps = warp.count();
        std::uint64_t const end = *step_count;
        // Each lane looks up one of the next steps of the warp.
        for (std::uint64_t first = warp.index(); first < end; first += warps * warp.size()) {
            std::uint64_t const own = first + warp.rank() * warps;
            listed_step found{};
            if (own < end) found = steps[own];
            std::uint32_t const turns = exec::popcount(warp.ballot(own < end));
            auto const step_of = [&](std::uint32_t turn) {
                return listed_step{warp.broadcast(found.what, turn), warp.broadcast(found.begin, turn)};
            };
            listed_step next = step_of(0);
            four_words next_words = load_step_words(mask, next, warp.rank());
            for (std::uint32_t turn = 0; turn < turns; ++turn) {
                listed_step const step = next;
                four_words const words = next_words;
                if (turn + 1 < turns) { // the mask of the next step is under way while this one is executed
                    next = step_of(turn + 1);
                    next_words = load_step_words(mask, next, warp.rank());
                }
                execute_step(warp, stage, source, mask, step, words, output,
                             [](std::uint64_t, std::uint32_t) {});
            }
        }
    }
};

} // namespace rhizome::compaction::detail
