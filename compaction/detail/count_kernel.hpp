// The first pass: where the selected items of each unit go.
#pragma once

#include <rhizome/compaction/detail/look_back.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// Reads the mask once. Writes for each unit of 4096 items how many items are selected before it, and the
/// total behind the last unit and to `count`. A block takes spans of neighbouring units by ticket, counts
/// them, and looks back once per span.
struct count_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = count_blocks_side_by_side;
    static constexpr bool overlaps_launch = true;
    struct shared {
        std::uint32_t counts[most_block_threads];
        exec::block_sum_storage<std::uint32_t> sums;
        std::uint64_t span;
        std::uint64_t before;
    };

    bit_mask mask;
    std::uint64_t units;
    std::uint32_t span_units; ///< at most the threads of a block
    std::uint64_t spans;
    std::uint64_t* ticket;  ///< 0 at the beginning
    std::uint64_t* words;   ///< of look_back(), one per span, 0 at the beginning
    std::uint64_t* offsets; ///< units + 1
    std::uint64_t* count;
    std::uint32_t* cleared; ///< words that are 0 when the second pass starts: this pass sets them
    std::uint64_t cleared_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, cleared_words, [&](std::uint64_t i) { cleared[i] = 0; });
        auto const block = thread.block();
        auto& storage = block.storage();
        while (true) {
            // relaxed: the ticket only numbers spans
            if (block.rank() == 0) storage.span = thread.device(*ticket).fetch_add(1, exec::order::relaxed);
            block.sync();
            std::uint64_t const span = storage.span;
            if (span >= spans) return;
            count_span(thread, span);
        }
    }

private:
    template <class Thread>
    RZ_HD void count_span(Thread const& thread, std::uint64_t span) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        std::uint64_t const first = span * span_units;
        auto const own_units =
            static_cast<std::uint32_t>(units - first < span_units ? units - first : span_units);
        count_units(thread, first, own_units);
        block.sync();
        bool const has_unit = block.rank() < own_units;
        auto const sum =
            exec::block_exclusive_sum(thread, storage.sums, has_unit ? storage.counts[block.rank()] : 0u);
        if (block.rank() < warp_lanes) {
            std::uint64_t const before = look_back(thread, words, span, sum.total);
            if (block.rank() == 0) storage.before = before;
        }
        block.sync();
        std::uint64_t const before = storage.before;
        if (has_unit) offsets[first + block.rank()] = before + sum.before;
        if (span + 1 == spans && block.rank() == 0) {
            offsets[units] = before + sum.total;
            *count = before + sum.total;
        }
    }

    /// Each warp counts units of the span, two at a time so that two loads of a lane are under way.
    template <class Thread>
    RZ_HD void count_units(Thread const& thread, std::uint64_t first, std::uint32_t own_units) const {
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const warps = block.size() / warp.size();
        for (std::uint32_t unit = block.rank() / warp.size(); unit < own_units; unit += 2 * warps) {
            std::uint32_t const other = unit + warps;
            lane_words const one = load_lane_words(mask, first + unit, warp.rank());
            lane_words two{};
            if (other < own_units) two = load_lane_words(mask, first + other, warp.rank());
            // A unit has 4096 items at most: two counts fit in one word.
            std::uint32_t const both = warp.sum(one.count() | two.count() << 16);
            if (warp.rank() == 0) {
                block.storage().counts[unit] = both & 0xffff;
                if (other < own_units) block.storage().counts[other] = both >> 16;
            }
        }
    }
};

} // namespace rhizome::compaction::detail
