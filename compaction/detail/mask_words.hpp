// How warps read a bit mask.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// The mask words that one lane holds.
struct [[gnu::may_alias]] alignas(16) lane_words {
    std::uint32_t word[words_per_lane];

    [[nodiscard]] RZ_HD std::uint32_t count() const {
        std::uint32_t total = 0;
        for (std::uint32_t const each : word)
            total += exec::popcount(each);
        return total;
    }
};

/// A word of the mask; 0 beyond its end. Bits beyond the end are 0.
[[nodiscard]] RZ_HD inline std::uint32_t mask_word(bit_mask const& mask, std::uint64_t index) {
    std::uint64_t const first = index * bits_per_word;
    if (first >= mask.bits) return 0;
    std::uint32_t const word = mask.words[index];
    std::uint64_t const left = mask.bits - first;
    return left >= bits_per_word ? word : word & ((std::uint32_t{1} << left) - 1);
}

/// The words of a lane in a unit, as mask_word() gives them. In order of lanes they are the words of the unit
/// in order.
[[nodiscard]] RZ_HD inline lane_words load_lane_words(bit_mask const& mask, std::uint64_t unit,
                                                      std::uint32_t lane) {
    std::uint64_t const first = unit * (unit_items / bits_per_word) + lane * words_per_lane;
    bool const inside = (first + words_per_lane) * bits_per_word <= mask.bits;
    if (inside && reinterpret_cast<std::uintptr_t>(mask.words) % alignof(lane_words) == 0)
        return *reinterpret_cast<lane_words const*>(mask.words + first);
    lane_words found;
    for (std::uint32_t i = 0; i < words_per_lane; ++i)
        found.word[i] = mask_word(mask, first + i);
    return found;
}

} // namespace rhizome::compaction::detail
