// The second pass: each warp writes the selected items of its units.
#pragma once

#include <rhizome/compaction/detail/emit.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// Warps take units in turn, so that a cluster of selected items is spread over all of them. A warp passes
/// over units without selected items without reading their mask. Of other units it lists the positions of the
/// selected items in shared memory, 1024 at a time; then neighbouring lanes load the elements at neighbouring
/// positions and store them side by side. Sectors of the input without a selected item are not read.
template <class Source, class Element>
struct write_kernel {
    static constexpr std::uint32_t block_threads = most_block_threads;
    static constexpr std::uint32_t blocks_side_by_side = write_blocks_side_by_side;
    static constexpr bool overlaps_launch = true;
    struct warp_storage {
        alignas(lane_words) std::uint32_t words[unit_items / bits_per_word]; ///< the mask of a unit
        std::uint16_t
            list[listed_items]; ///< positions of selected items, from the first item of the unit or row
    };
    struct shared {
        warp_storage warps[most_block_threads / warp_lanes];
    };

    Source source;
    bit_mask mask;
    std::uint64_t units;
    std::uint64_t const* offsets; ///< of count_kernel
    Element* output;
    std::uint64_t* cleared; ///< words that are 0 when the next call starts: this pass sets them
    std::uint64_t cleared_words;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, cleared_words, [&](std::uint64_t i) { cleared[i] = 0; });
        auto const warp = thread.warp();
        auto const block = thread.block();
        warp_storage& storage = block.storage().warps[block.rank() / warp.size()];
        std::uint64_t const warps = warp.count();
        // Each lane looks up one of the next units of the warp.
        for (std::uint64_t first = warp.index(); first < units; first += warps * warp.size()) {
            std::uint64_t const own = first + warp.rank() * warps;
            std::uint64_t begin = 0;
            std::uint32_t items = 0;
            if (own < units) {
                begin = offsets[own];
                items = static_cast<std::uint32_t>(offsets[own + 1] - begin);
            }
            std::uint32_t left = warp.ballot(items != 0);
            lane_words next{};
            if (left != 0) next = load_lane_words(mask, first + exec::countr_zero(left) * warps, warp.rank());
            while (left != 0) {
                std::uint32_t const turn = exec::countr_zero(left);
                left &= left - 1;
                lane_words const words = next;
                // The mask of the next unit is under way while this one is written.
                if (left != 0)
                    next = load_lane_words(mask, first + exec::countr_zero(left) * warps, warp.rank());
                write_unit(warp, storage, words, (first + turn * warps) * unit_items,
                           warp.broadcast(items, turn), output + warp.broadcast(begin, turn));
            }
        }
    }

private:
    /// Writes the `items` selected items of the unit that begins at item `base`: a full unit, or one with few
    /// items, at once, others in rows of 1024 items.
    template <class Warp>
    RZ_HD void write_unit(Warp const& warp, warp_storage& own, lane_words const& words, std::uint64_t base,
                          std::uint32_t items, Element* out) const {
        bool const in_rows = items > listed_items && items != unit_items;
        if (in_rows) {
            *reinterpret_cast<lane_words*>(own.words + warp.rank() * words_per_lane) = words;
            warp.sync();
        } else if (items != unit_items) {
            list_own_words(warp, own.list, words);
            warp.sync(); // the list is complete
        }
        std::uint32_t row = 0;
        RZ_NO_UNROLL
        for (std::uint32_t left = items; left != 0; ++row) {
            std::uint32_t count = left;
            if (in_rows) {
                count = list_row(warp, own, row);
                warp.sync(); // the list is complete
            }
            bool const all = count == (in_rows ? listed_items : unit_items); // needs no list
            emit(warp, count, out, [&](std::uint32_t j) { return source(base + (all ? j : own.list[j])); });
            warp.sync(); // the list may be overwritten
            out += count;
            left -= count;
            base += listed_items;
        }
    }

    /// For a unit with few items: each lane lists the items of its own words.
    template <class Warp>
    RZ_HD void list_own_words(Warp const& warp, std::uint16_t* list, lane_words const& words) const {
        std::uint32_t next = warp.exclusive_scan(words.count());
        for (std::uint32_t i = 0; i < words_per_lane; ++i) {
            std::uint32_t const first = (warp.rank() * words_per_lane + i) * bits_per_word;
            RZ_NO_UNROLL
            for (std::uint32_t bits = words.word[i]; bits != 0; bits &= bits - 1)
                list[next++] = static_cast<std::uint16_t>(first + exec::countr_zero(bits));
        }
    }

    /// For a unit with many items, row by row: each lane lists the item of its own bit of each word, so that
    /// the lanes store to neighbouring places. Returns the number of items.
    template <class Warp>
    RZ_HD std::uint32_t list_row(Warp const& warp, warp_storage& own, std::uint32_t row) const {
        constexpr std::uint32_t row_words = listed_items / bits_per_word;
        std::uint32_t const lower_bits = (std::uint32_t{1} << warp.rank()) - 1;
        std::uint32_t next = 0;
        RZ_NO_UNROLL
        for (std::uint32_t first = 0; first < row_words; first += words_per_lane) {
            lane_words const four = *reinterpret_cast<lane_words const*>(own.words + row * row_words + first);
            for (std::uint32_t i = 0; i < words_per_lane; ++i) {
                std::uint32_t const word = four.word[i];
                if ((word >> warp.rank() & 1) != 0)
                    own.list[next + exec::popcount(word & lower_bits)] =
                        static_cast<std::uint16_t>((first + i) * bits_per_word + warp.rank());
                next += exec::popcount(word);
            }
        }
        return next;
    }
};

} // namespace rhizome::compaction::detail
