// SPDX-License-Identifier: Apache-2.0
// A bit per arc of a batch, and the number of set bits before each: a quarter of a byte per arc.
#pragma once

#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Written by set_arc_bits(); count() may be called once `sums` has been scanned, which takes a 32nd of the
/// time that a scan of a number per arc takes.
struct arc_bits {
    std::uint32_t* words;
    std::uint32_t* sums; ///< of each word: its set bits; once scanned: the set bits of all words before it

    [[nodiscard]] static constexpr std::uint64_t words_of(std::uint64_t bits) { return (bits + 31) / 32; }

    [[nodiscard]] RZ_HD bool test(std::uint64_t i) const { return (words[i / 32] >> i % 32 & 1) != 0; }
    /// How many of the bits before bit i are set.
    [[nodiscard]] RZ_HD std::uint32_t count(std::uint64_t i) const {
        return sums[i / 32] + exec::popcount(words[i / 32] & ((1u << i % 32) - 1));
    }
};

/// Bit i becomes function(i), for all i < `count`. Called by all threads.
template <class Thread, class Function>
RZ_HD void set_arc_bits(Thread const& thread, arc_bits const& bits, std::uint64_t count,
                        Function&& function) {
    std::uint64_t const words = (count + 31) / 32;
    if constexpr (Thread::prefers_runs) {
        exec::for_each_item(thread, words, [&](std::uint64_t word) {
            std::uint64_t const left = count - word * 32;
            std::uint32_t const used = left < 32 ? static_cast<std::uint32_t>(left) : 32;
            std::uint32_t set = 0;
            for (std::uint32_t k = 0; k < used; ++k)
                set |= (function(word * 32 + k) ? 1u : 0u) << k;
            bits.words[word] = set;
            bits.sums[word] = exec::popcount(set);
        });
    } else {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, words, [&](std::uint64_t word) {
            std::uint64_t const i = word * 32 + warp.rank();
            std::uint32_t const set = warp.ballot(i < count && function(i));
            if (warp.rank() != 0) return;
            bits.words[word] = set;
            bits.sums[word] = exec::popcount(set);
        });
    }
}

} // namespace rhizome::graph::batch
