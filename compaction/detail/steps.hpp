// SPDX-License-Identifier: Apache-2.0
// What a warp reads and writes at a time, where more than a few items of a chunk are selected.
//
// A step is a group of 2, 4, ..., 32 neighbouring rows of a chunk, the first of which is a multiple of their
// number, or a row, or a part of a row whose elements fill more than one stage. All groups of a chunk have
// the same number of rows: the largest with which each group has at most as many selected items as a warp can
// hold in registers, or 1. Groups and rows without selected items are not listed. The list is in order.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/held.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/compaction/detail/source.hpp>
#include <rhizome/compaction/detail/stage.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

inline constexpr std::uint32_t rows_log2_bits = 3;
inline constexpr std::uint32_t part_bits = 2;
static_assert(most_row_parts == 1u << part_bits);

struct alignas(16) listed_step {
    std::uint64_t what;  ///< number of the first row, part of the row, log2 of the number of rows
    std::uint64_t begin; ///< selected items before the first row

    [[nodiscard]] RZ_HD std::uint64_t row() const { return what >> (part_bits + rows_log2_bits); }
    [[nodiscard]] RZ_HD std::uint32_t part() const {
        return static_cast<std::uint32_t>(what >> rows_log2_bits) & ((1u << part_bits) - 1);
    }
    [[nodiscard]] RZ_HD std::uint32_t rows_log2() const {
        return static_cast<std::uint32_t>(what) & ((1u << rows_log2_bits) - 1);
    }
};
[[nodiscard]] RZ_HD constexpr std::uint64_t packed_step(std::uint64_t row, std::uint32_t part,
                                                        std::uint32_t rows_log2) {
    return (row << part_bits | part) << rows_log2_bits | rows_log2;
}

struct row_group {
    std::uint32_t rows_log2;
    bool leads; ///< whether the lane's row is the first of a group with selected items
};

/// The group to which the row of a lane belongs. Called by all lanes of a warp, each with the count of its
/// row of one chunk.
template <class Warp>
[[nodiscard]] RZ_HD row_group group_rows(Warp const& warp, std::uint32_t count, std::uint32_t most_items) {
    row_group group{0, false};
    RZ_NO_UNROLL
    for (; std::uint32_t{1} << group.rows_log2 < chunk_rows; ++group.rows_log2) {
        std::uint32_t const both =
            count + warp.shuffle(count, warp.rank() ^ std::uint32_t{1} << group.rows_log2);
        if (!warp.all(both <= most_items)) break;
        count = both;
    }
    group.leads = count != 0 && warp.rank() % (std::uint32_t{1} << group.rows_log2) == 0;
    return group;
}

/// Lists the selected items of a group: positions from its first item on. `first`: the words that the lane
/// has loaded with load_step_words(). Returns their number.
template <class Warp>
[[nodiscard]] RZ_HD std::uint32_t list_group(Warp const& warp, bit_mask const& mask, listed_step const& step,
                                             four_words words, std::uint16_t* list) {
    constexpr std::uint32_t warp_words = warp_lanes * words_per_load;
    std::uint32_t listed = 0;
    RZ_NO_UNROLL
    for (std::uint32_t first = 0; first < row_words << step.rows_log2(); first += warp_words) {
        std::uint32_t const own = first + warp.rank() * words_per_load;
        if (first != 0) words = load_four_words(mask, step.row() * row_words + own);
        std::uint32_t const count = words.count();
        std::uint32_t const through = warp.inclusive_scan(count);
        std::uint32_t next = listed + through - count;
        RZ_UNROLL
        for (std::uint32_t i = 0; i < words_per_load; ++i) {
            RZ_NO_UNROLL
            for (std::uint32_t bits = words.word[i]; bits != 0; bits &= bits - 1)
                list[next++] =
                    static_cast<std::uint16_t>((own + i) * bits_per_word + exec::countr_zero(bits));
        }
        listed += warp.broadcast(through, warp_lanes - 1);
    }
    return listed;
}

/// The first words of a step, 4 per lane; 0 beyond its end.
[[nodiscard]] RZ_HD inline four_words load_step_words(bit_mask const& mask, listed_step const& step,
                                                      std::uint32_t lane) {
    if (lane * words_per_load >= row_words << step.rows_log2()) return {};
    return load_four_words(mask, step.row() * row_words + lane * words_per_load);
}

/// Reads the selected items of a step, calls ready(place of the first, number), and writes them from output +
/// that place on. `words`: of load_step_words(). Called by all lanes of a warp.
template <class Warp, class Source, class Element, class Ready>
RZ_HD void execute_step(Warp const& warp, warp_stage& stage, Source const& source, bit_mask const& mask,
                        listed_step const& step, four_words const& words, Element* output,
                        Ready const& ready) {
    std::uint64_t const base = step.row() * row_items;
    if (step.rows_log2() == 0) {
        std::uint32_t const part = step.part();
        place_words(warp, stage.placed, words);
        warp.sync(); // all words are there
        std::uint32_t const first = stage.placed[part * part_words<Element>].before;
        std::uint32_t const count = stage.placed[(part + 1) * part_words<Element>].before - first;
        Element* const out = output + step.begin + first;
        std::uint32_t const skew = skew_of(out);
        if (load_elements<Element> == 1 && count == part_items<Element>)
            stage_full_part<Element>(warp, stage, source, base + part * part_items<Element>, skew);
        else
            stage_part<Element>(warp, stage, source, mask, base, part, first, skew);
        warp.sync(); // all elements are there
        ready(step.begin + first, count);
        write_staged(warp, stage, skew, count, out);
    } else {
        std::uint32_t const count = list_group(warp, mask, step, words, stage.list());
        warp.sync(); // the list is complete
        held_elements<Element> held{};
        gather(warp, source.from(base), stage.list(), count, held);
        ready(step.begin, count);
        scatter(warp, held, count, output + step.begin);
    }
    warp.sync(); // the stage may be overwritten
}

} // namespace rhizome::compaction::detail
