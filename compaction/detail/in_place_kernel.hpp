// SPDX-License-Identifier: Apache-2.0
// The second pass of a compaction in place.
//
// An element moves to an equal or lower place, which may be the place of a selected element that another warp
// has not read yet. So a warp reads all elements of a step, publishes that it has read them, waits for the
// steps in whose places it is going to write, and writes.
//
// Invariants: bit i of `progress` is set if the selected elements among items [i, i + 1) * part_items have
// been read, or are none, or do not move; bits are only set. A step writes no more elements than a part has
// places, so it waits for at most two bits. Both belong to the same or to earlier steps. Blocks take steps in
// order by ticket, so all earlier steps belong to blocks that have started. Reading never waits, and warps
// wait only for reading: all waiting ends.
#pragma once

#include <rhizome/compaction/detail/steps.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

template <class Element>
struct in_place_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = move_blocks_side_by_side;
    static constexpr bool overlaps_launch = true;
    static_assert(held_elements<Element>::capacity <= part_items<Element>);
    struct shared {
        warp_stage stages[most_block_warps];
        std::uint64_t first_step;
    };

    Element* data;
    bit_mask mask;
    listed_step const* steps; ///< of scan_kernel
    std::uint64_t const* step_count;
    std::uint64_t* ticket; ///< the first step that moves elements
    std::uint32_t* progress;
    std::uint64_t* cleared; ///< words that are 0 when the next call starts: this pass sets them
    std::uint64_t cleared_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, cleared_words, [&](std::uint64_t i) { cleared[i] = 0; });
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const warps = block.size() / warp.size();
        std::uint64_t const end = *step_count;
        while (true) {
            // relaxed: the ticket only numbers steps
            if (block.rank() == 0)
                block.storage().first_step = thread.device(*ticket).fetch_add(warps, exec::order::relaxed);
            block.sync();
            std::uint64_t const first = block.storage().first_step;
            block.sync(); // all have read it
            if (first >= end) return;
            std::uint64_t const own = first + block.rank() / warp.size();
            if (own < end) {
                listed_step const step = steps[own]; // a copy: the compiler would load a reference again
                move(thread, step);
            }
        }
    }

private:
    template <class Thread>
    RZ_HD void move(Thread const& thread, listed_step const& step) const {
        auto const warp = thread.warp();
        auto const block = thread.block();
        warp_stage& stage = block.storage().stages[block.rank() / warp.size()];
        four_words const words = load_step_words(mask, step, warp.rank());
        execute_step(warp, stage, array_source<Element>{data}, mask, step, words, data,
                     [&](std::uint64_t place, std::uint32_t items) {
                         warp.sync(); // all lanes have read
                         if (warp.rank() == 0) publish_read(thread, step);
                         if (warp.rank() < 2 && items != 0)
                             await_read(thread, warp.rank() == 0 ? place : place + items - 1);
                         warp.sync(); // hands what two lanes have acquired to all lanes
                     });
    }

    template <class Thread>
    RZ_HD void publish_read(Thread const& thread, listed_step const& step) const {
        std::uint64_t const first = step.row() * row_parts<Element> + step.part();
        std::uint32_t const bits = step.rows_log2() == 0 ? 1 : row_parts<Element> << step.rows_log2();
        std::uint32_t const set = bits >= bits_per_word ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
        // release: a warp that acquires this overwrites what was read
        RZ_NO_UNROLL
        for (std::uint32_t done = 0; done < bits; done += bits_per_word)
            thread.device(progress[(first + done) / bits_per_word])
                .fetch_or(set << first % bits_per_word, exec::order::release);
    }

    /// Waits until the selected elements of the part to which this place belongs have been read.
    template <class Thread>
    RZ_HD void await_read(Thread const& thread, std::uint64_t place) const {
        std::uint64_t const part = place / part_items<Element>;
        auto const bits = thread.device(progress[part / bits_per_word]);
        // acquire: the writes that follow come after the reads before the release
        while ((bits.load(exec::order::acquire) >> part % bits_per_word & 1) == 0)
            thread.relax();
    }
};

} // namespace rhizome::compaction::detail
