// SPDX-License-Identifier: Apache-2.0
// Groups of lanes whose width is chosen while the kernel runs.
#pragma once

#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Neighbouring lanes that share a row: what for_each() of a row needs of a group, and no collectives.
class lane_group {
public:
    RZ_HD lane_group(std::uint32_t rank, std::uint32_t size) : rank_(rank), size_(size) {}
    [[nodiscard]] RZ_HD std::uint32_t rank() const { return rank_; }
    [[nodiscard]] RZ_HD std::uint32_t size() const { return size_; }

private:
    std::uint32_t rank_;
    std::uint32_t size_;
};

/// How many lanes share a row: a power of two up to 32. Rows of mean length `mean` get a quarter as many
/// lanes, and as many as the mean where there are lanes left over.
[[nodiscard]] RZ_HD inline std::uint32_t lanes_per_row(std::uint64_t rows, std::uint64_t mean,
                                                       std::uint64_t lanes) {
    std::uint32_t width = 1;
    while (width < 32 && (width * 4 <= mean || (width < mean && rows * width * 2 <= lanes)))
        width *= 2;
    return width;
}

/// Calls work(group, i) for each of `rows` rows. The lanes of the grid share them, or those of the block that
/// calls this if `one_block`. Rows go to the blocks in turn, so that few rows keep many blocks busy.
template <class Thread, class Work>
RZ_HD void for_each_short_row(Thread const& thread, bool one_block, std::uint64_t rows, std::uint64_t arcs,
                              Work&& work) {
    if constexpr (Thread::prefers_runs) {
        exec::for_each_item_of(thread, one_block ? 0 : thread.rank(), one_block ? 1 : thread.size(), rows,
                               [&](std::uint64_t i) { work(lane_group(0, 1), i); });
    } else {
        auto const block = thread.block();
        std::uint64_t const blocks = one_block ? 1 : block.count();
        std::uint64_t const mean = rows == 0 ? 0 : arcs / rows;
        std::uint32_t const width = lanes_per_row(rows, mean, blocks * block.size());
        lane_group const group(block.rank() % width, width);
        std::uint64_t const first = block.rank() / width * blocks + (one_block ? 0 : block.index());
        for (std::uint64_t i = first; i < rows; i += blocks * (block.size() / width))
            work(group, i);
    }
}

/// Calls work(group, i) for each of `rows` rows that are too long for a warp. Groups of lanes of the grid
/// share them: whole blocks if the rows are few, else parts of blocks of at least tuning::heavy_lanes lanes.
template <class Thread, class Work>
RZ_HD void for_each_heavy_row(Thread const& thread, std::uint64_t rows, Work&& work) {
    auto const block = thread.block();
    if constexpr (Thread::prefers_runs) {
        exec::for_each_group_item(block, rows, [&](std::uint64_t i) { work(lane_group(0, 1), i); });
    } else {
        std::uint32_t width = block.size();
        while (width >= 2 * tuning::heavy_lanes &&
               rows > std::uint64_t{block.count()} * (block.size() / width))
            width /= 2;
        std::uint32_t const groups = block.size() / width;
        if (block.rank() / width >= groups) return;
        lane_group const group(block.rank() % width, width);
        for (std::uint64_t i = block.rank() / width * block.count() + block.index(); i < rows;
             i += std::uint64_t{block.count()} * groups)
            work(group, i);
    }
}

/// Calls work(group, i) for each of `rows` long rows. The lanes of the block that calls this share them, at
/// least a warp per row.
template <class Thread, class Work>
RZ_HD void for_each_long_row_of_block(Thread const& thread, std::uint64_t rows, Work&& work) {
    if constexpr (Thread::prefers_runs) {
        for (std::uint64_t i = 0; i < rows; ++i)
            work(lane_group(0, 1), i);
    } else {
        auto const block = thread.block();
        std::uint32_t width = block.size();
        while (width >= 2 * thread.warp().size() && block.size() / width < rows)
            width /= 2;
        std::uint32_t const groups = block.size() / width;
        if (block.rank() / width >= groups) return;
        lane_group const group(block.rank() % width, width);
        for (std::uint64_t i = block.rank() / width; i < rows; i += groups)
            work(group, i);
    }
}

/// Adds one to words[which] and returns what it was, with one atomic for all lanes that arrive together and
/// have the same `which`. `access(word)` is the atomic access to a 32-bit word. `array`: a number for `words`
/// that differs from those of other arrays with which lanes may count at the same time, since calls for
/// several arrays may come together at one place in the code. Precondition: which < 4.
template <class Thread, class Access>
[[nodiscard]] RZ_HD std::uint32_t take_place(Thread const& thread, std::uint32_t* words, std::uint32_t which,
                                             Access const& access, std::uint32_t array = 0) {
    auto const group = thread.coalesced().match(4 * array + which);
    std::uint32_t first = 0;
    // Relaxed: the places are disjoint, and a barrier publishes what is written there.
    if (group.is_leader()) first = access(words[which]).fetch_add(group.size(), exec::order::relaxed);
    return group.broadcast(first, 0) + group.rank();
}

} // namespace rhizome::algorithms::detail
