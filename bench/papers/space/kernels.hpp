// SPDX-License-Identifier: Apache-2.0
// Masks and checks for measurements of compactions.
#pragma once

#include <rhizome/compaction/bit_mask.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/random.hpp>

#include <cstdint>

namespace rhizome::bench {

/// A hash of an item's number.
[[nodiscard]] RZ_HD inline std::uint64_t item_hash(std::uint64_t item, std::uint64_t seed) {
    return exec::scramble((item + 1) * 0x9e37'79b9'7f4a'7c15u + seed * 0xd6e8'feb8'6659'fd93u);
}

template <class Word>
[[nodiscard]] RZ_HD Word input_of(std::uint64_t item) {
    return static_cast<Word>(item_hash(item, 0));
}

template <class Word>
struct fill_input {
    Word* input;
    std::uint64_t items;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, items, [&](std::uint64_t i) { input[i] = input_of<Word>(i); });
    }
};

/// Bits as mask_shape asks for; adds up the sectors that hold a selected item.
struct draw_mask {
    std::uint32_t* words;
    std::uint64_t items;
    std::uint64_t clusters; ///< 0: at random
    std::uint64_t below;    ///< at random: an item whose hash is less; clusters: selected items of each
    std::uint64_t seed;
    std::uint32_t sector_items;
    std::uint64_t* sectors;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t found = 0;
        std::uint64_t const period = clusters == 0 ? 1 : (items + clusters - 1) / clusters;
        exec::for_each_item(thread, compaction::words_for(items), [&](std::uint64_t word) {
            std::uint32_t bits = 0;
            for (std::uint32_t bit = 0; bit < 32; ++bit) {
                std::uint64_t const item = word * 32 + bit;
                if (item >= items) break;
                // A cluster lies in the middle of its period.
                bool const selected = clusters == 0 ? item_hash(item, seed) < below
                                                    : item % period - (period - below) / 2 < below;
                bits |= std::uint32_t{selected} << bit;
            }
            words[word] = bits;
            for (std::uint32_t first = 0; first < 32; first += sector_items) {
                std::uint32_t const ones = ~std::uint32_t{0} >> (32 - sector_items) << first;
                found += (bits & ones) != 0 ? 1 : 0;
            }
        });
        exec::add_to_total(thread, *sectors, found);
    }
};

struct count_words {
    std::uint32_t const* words;
    std::uint64_t count;
    std::uint32_t* counts; ///< one more, which is 0
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count + 1,
                            [&](std::uint64_t i) { counts[i] = i < count ? exec::popcount(words[i]) : 0; });
    }
};

/// Counts elements of the output that are not what the mask says.
template <class Word>
struct count_wrong_elements {
    std::uint32_t const* words;
    std::uint64_t count;
    std::uint64_t const* before; ///< selected items before each word
    Word const* output;
    std::uint64_t* differences;
    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t found = 0;
        exec::for_each_item(thread, count, [&](std::uint64_t word) {
            std::uint64_t place = before[word];
            for (std::uint32_t bits = words[word]; bits != 0; bits &= bits - 1)
                found += output[place++] != input_of<Word>(word * 32 + exec::countr_zero(bits)) ? 1 : 0;
        });
        exec::add_to_total(thread, *differences, found);
    }
};

} // namespace rhizome::bench
