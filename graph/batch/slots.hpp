// SPDX-License-Identifier: Apache-2.0
// One word per row, in which a batch counts arcs.
#pragma once

#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// The words of adjacent rows are far apart. If a batch has many arcs of few adjacent rows, their atomic
/// operations would otherwise meet in a few cache lines, which serve one at a time. Invariant: all words are
/// 0 between batches.
class row_slots {
public:
    /// `words`: nullptr if no batch runs and the graph has given them back.
    row_slots(std::uint32_t* words, std::uint64_t rows) : words_(words), lines_((rows + apart - 1) / apart) {}

    [[nodiscard]] RZ_HD bool exist() const { return words_ != nullptr; }

    /// Two words per bin of rows (row_bins.hpp), for batches that do not count the arcs of rows here.
    [[nodiscard]] RZ_HD std::uint32_t* bin_words() const { return words_; }
    /// How many words so many rows have.
    [[nodiscard]] static constexpr std::uint64_t words_for(std::uint64_t rows) {
        return (rows + apart - 1) / apart * apart;
    }
    /// Which of a block's consecutive rows thread number `rank` of `threads` reads, so that threads side by
    /// side read words, and records of rows, that lie side by side.
    [[nodiscard]] static RZ_HD std::uint32_t swept_by(std::uint32_t rank, std::uint32_t threads) {
        if (threads % apart != 0) return rank;
        std::uint32_t const lines = threads / static_cast<std::uint32_t>(apart);
        return rank % lines * static_cast<std::uint32_t>(apart) + rank / lines;
    }
    [[nodiscard]] RZ_HD std::uint32_t& operator[](std::uint64_t row) const {
        return words_[row % apart * lines_ + row / apart];
    }

private:
    static constexpr std::uint64_t apart = 32; // words in a cache line

    std::uint32_t* words_;
    std::uint64_t lines_;
};

} // namespace rhizome::graph::batch
