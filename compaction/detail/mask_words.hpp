// SPDX-License-Identifier: Apache-2.0
// How warps read a bit mask.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

/// Neighbouring mask words, or 16 bytes of elements.
struct [[gnu::may_alias]] alignas(16) four_words {
    std::uint32_t word[words_per_load];

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

/// Words `index` to `index` + 3 of the mask, as mask_word() gives them. `index` is a multiple of 4.
[[nodiscard]] RZ_HD inline four_words load_four_words(bit_mask const& mask, std::uint64_t index) {
    bool const inside = (index + words_per_load) * bits_per_word <= mask.bits;
    if (inside && reinterpret_cast<std::uintptr_t>(mask.words) % alignof(four_words) == 0)
        return *reinterpret_cast<four_words const*>(mask.words + index);
    four_words found;
    for (std::uint32_t i = 0; i < words_per_load; ++i)
        found.word[i] = mask_word(mask, index + i);
    return found;
}

} // namespace rhizome::compaction::detail
