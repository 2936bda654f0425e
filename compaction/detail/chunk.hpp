// SPDX-License-Identifier: Apache-2.0
// A chunk of the mask in shared memory: a warp loads it, each lane counts a row.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/detail/mask_words.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

struct chunk_storage {
    alignas(four_words) std::uint32_t words[chunk_words]; ///< word w of row r at chunk_place(r, w)
    std::uint16_t list[listed_items];                     ///< positions of selected items in the chunk
};

/// Where the chunk's word number `word` of row `row` lies. Lanes that read words of the same number from
/// neighbouring rows, 16 bytes at a time, hit different banks.
[[nodiscard]] RZ_HD constexpr std::uint32_t chunk_place(std::uint32_t row, std::uint32_t word) {
    return row * row_words + (word ^ row % 8 * words_per_load);
}

/// Copies the mask of a chunk to shared memory: the loads of a lane are all under way at once.
template <class Warp>
RZ_HD void load_chunk(Warp const& warp, bit_mask const& mask, std::uint64_t chunk, std::uint32_t* words) {
    constexpr std::uint32_t loads = chunk_words / words_per_load / warp_lanes;
    constexpr std::uint32_t row_loads = row_words / words_per_load;
    std::uint64_t const first = chunk * chunk_words + warp.rank() * words_per_load;
    auto const place = [&](std::uint32_t i) {
        std::uint32_t const row = i * (warp_lanes / row_loads) + warp.rank() / row_loads;
        return reinterpret_cast<four_words*>(words +
                                             chunk_place(row, warp.rank() % row_loads * words_per_load));
    };
    bool const inside = (chunk + 1) * chunk_items <= mask.bits;
    if (inside && reinterpret_cast<std::uintptr_t>(mask.words) % alignof(four_words) == 0) {
        auto const* const from = reinterpret_cast<four_words const*>(mask.words + first);
        four_words found[loads];
        RZ_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            found[i] = from[i * warp_lanes];
        RZ_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            *place(i) = found[i];
    } else {
        RZ_NO_UNROLL
        for (std::uint32_t i = 0; i < loads; ++i)
            *place(i) = load_four_words(mask, first + i * warp_lanes * words_per_load);
    }
}

struct row_summary {
    std::uint32_t count;  ///< selected items
    std::uint32_t filled; ///< bit w: word w has a selected item
};

[[nodiscard]] RZ_HD inline row_summary summarise_row(std::uint32_t const* words, std::uint32_t row) {
    row_summary found{0, 0};
    RZ_UNROLL
    for (std::uint32_t first = 0; first < row_words; first += words_per_load) {
        four_words const four = *reinterpret_cast<four_words const*>(words + chunk_place(row, first));
        RZ_UNROLL
        for (std::uint32_t i = 0; i < words_per_load; ++i)
            if (four.word[i] != 0) found.filled |= std::uint32_t{1} << (first + i);
        found.count += four.count();
    }
    return found;
}

/// Writes the positions of a row's selected items in its chunk to `list`, ascending.
RZ_HD inline void list_row(std::uint32_t const* words, std::uint32_t row, row_summary const& summary,
                           std::uint16_t* list) {
    std::uint32_t filled = summary.filled;
    std::uint32_t bits = 0;
    std::uint32_t first = 0;
    RZ_NO_UNROLL
    for (std::uint32_t i = 0; i < summary.count; ++i) {
        if (bits == 0) {
            std::uint32_t const word = exec::countr_zero(filled);
            filled &= filled - 1;
            bits = words[chunk_place(row, word)];
            first = row * row_items + word * bits_per_word;
        }
        list[i] = static_cast<std::uint16_t>(first + exec::countr_zero(bits));
        bits &= bits - 1;
    }
}

} // namespace rhizome::compaction::detail
