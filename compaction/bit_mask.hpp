// SPDX-License-Identifier: Apache-2.0
// Which items of an array are selected: one bit per item.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::compaction {

inline constexpr std::uint32_t bits_per_word = 32;

/// The number of words that hold this many bits.
[[nodiscard]] RZ_HD constexpr std::uint64_t words_for(std::uint64_t bits) {
    return (bits + bits_per_word - 1) / bits_per_word;
}

/// A view of a bit mask in the memory of a space. Bit i % 32 of word i / 32, counted from the lowest bit,
/// says whether item i is selected. Bits of the last word beyond `bits` are ignored. The words may begin at
/// any multiple of 4 bytes; reading is faster from a multiple of 16.
struct bit_mask {
    std::uint32_t const* words; ///< words_for(bits) words
    std::uint64_t bits;         ///< the number of items
};

} // namespace rhizome::compaction
