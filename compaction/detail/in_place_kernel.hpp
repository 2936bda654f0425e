// The second pass of a compaction in place.
//
// An element moves to an equal or lower place, which may be the place of a selected element that another warp
// has not read yet. So a warp works in steps: it copies the selected elements of a step to shared memory,
// publishes that it has read them, waits for the steps in whose places it is going to write, and writes.
//
// Invariants: progress[unit] = steps of the unit whose elements have been read; it only rises.
// A step writes into the places of at most two steps, since it writes no more elements than a step has
// places. Both belong to the same or to lower units. Blocks take units in order by ticket, so those units
// have been taken by blocks that have started, and reading never waits: the warp with the lowest unit can
// always go on.
#pragma once

#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>

#include <cstddef>
#include <cstdint>

namespace rhizome::compaction::detail {

/// Places of a step: as many elements as are staged, a power of two.
[[nodiscard]] constexpr std::uint32_t step_items_of(std::size_t element_bytes) {
    std::uint32_t items = unit_items;
    while (items * element_bytes > staged_bytes)
        items /= 2;
    return items;
}

template <class Element>
struct in_place_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr bool overlaps_launch = true;
    static constexpr std::uint32_t step_items = step_items_of(sizeof(Element));
    static constexpr std::uint32_t steps = unit_items / step_items;
    static constexpr std::uint32_t step_lanes = step_items / (words_per_lane * bits_per_word);
    struct shared {
        Element staged[most_block_threads / warp_lanes][step_items];
        std::uint64_t first_unit;
    };

    Element* data;
    bit_mask mask;
    std::uint64_t units;
    std::uint64_t const* offsets; ///< of count_kernel
    std::uint64_t* ticket;        ///< 0 at the beginning
    std::uint32_t* progress;      ///< one per unit, 0 at the beginning
    std::uint64_t* cleared;       ///< words that are 0 when the next call starts: this pass sets them
    std::uint64_t cleared_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, cleared_words, [&](std::uint64_t i) { cleared[i] = 0; });
        auto const block = thread.block();
        auto const warp = thread.warp();
        std::uint32_t const warps = block.size() / warp.size();
        while (true) {
            // relaxed: the ticket only numbers units
            if (block.rank() == 0)
                block.storage().first_unit =
                    warps * thread.device(*ticket).fetch_add(1, exec::order::relaxed);
            block.sync();
            std::uint64_t const first = block.storage().first_unit;
            block.sync(); // all have read it
            if (first >= units) return;
            std::uint64_t const unit = first + block.rank() / warp.size();
            if (unit < units) move_unit(thread, unit);
        }
    }

private:
    template <class Thread>
    RZ_HD void move_unit(Thread const& thread, std::uint64_t unit) const {
        auto const warp = thread.warp();
        auto const block = thread.block();
        Element* const staged = block.storage().staged[block.rank() / warp.size()];
        std::uint64_t const begin = offsets[unit];
        auto const items = static_cast<std::uint32_t>(offsets[unit + 1] - begin);
        std::uint64_t const base = unit * unit_items;
        if (items == 0 || (items == unit_items && begin == base)) { // nothing to read
            if (warp.rank() == 0) thread.device(progress[unit]).store(steps, exec::order::relaxed);
            return;
        }
        lane_words const words = load_lane_words(mask, unit, warp.rank());
        std::uint32_t const before = warp.exclusive_scan(words.count());
        for (std::uint32_t step = 0; step < steps; ++step) {
            std::uint32_t const step_begin = warp.broadcast(before, step * step_lanes);
            std::uint32_t const step_count = stage(warp, staged, words, step, base);
            warp.sync(); // all lanes have read
            // release: a warp that acquires this overwrites what was read
            if (warp.rank() == 0) thread.device(progress[unit]).store(step + 1, exec::order::release);
            if (step_count == 0) continue;
            std::uint64_t const to = begin + step_begin;
            if (warp.rank() == 0) {
                await_read(thread, to);
                await_read(thread, to + step_count - 1);
            }
            warp.sync(); // hands what lane 0 has acquired to all lanes
            for (std::uint32_t j = warp.rank(); j < step_count; j += warp.size())
                data[to + j] = staged[j];
            warp.sync(); // the stage may be overwritten
        }
    }

    /// Copies the selected elements of a step to the stage; returns how many. A lane copies the element of
    /// its own bit of each word.
    template <class Warp>
    RZ_HD std::uint32_t stage(Warp const& warp, Element* staged, lane_words const& words, std::uint32_t step,
                              std::uint64_t base) const {
        std::uint32_t const lower_bits = (std::uint32_t{1} << warp.rank()) - 1;
        std::uint32_t next = 0;
        for (std::uint32_t lane = step * step_lanes; lane < (step + 1) * step_lanes; ++lane) {
            for (std::uint32_t i = 0; i < words_per_lane; ++i) {
                std::uint32_t const word = warp.broadcast(words.word[i], lane);
                if ((word >> warp.rank() & 1) != 0)
                    staged[next + exec::popcount(word & lower_bits)] =
                        data[base + (lane * words_per_lane + i) * bits_per_word + warp.rank()];
                next += exec::popcount(word);
            }
        }
        return next;
    }

    /// Waits until the step to which this place belongs has been read.
    template <class Thread>
    RZ_HD void await_read(Thread const& thread, std::uint64_t place) const {
        auto const needed = static_cast<std::uint32_t>(place % unit_items / step_items + 1);
        // acquire: the writes that follow come after the reads before the release
        while (thread.device(progress[place / unit_items]).load(exec::order::acquire) < needed)
            thread.relax();
    }
};

} // namespace rhizome::compaction::detail
