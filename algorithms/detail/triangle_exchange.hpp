// SPDX-License-Identifier: Apache-2.0
// What ranks that count triangles send to each other, computed on the host from what each has told.
#pragma once

#include <rhizome/algorithms/detail/triangle_dealing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace rhizome::algorithms::detail {

/// What each rank tells all others about the rows that it deals: for each rank the ids in rows for it, for
/// each rank the higher ones of these, and the bytes that a round may take.
class dealt_counts {
public:
    dealt_counts(std::vector<std::uint64_t> words, std::size_t ranks)
        : words_(std::move(words)), ranks_(ranks) {}
    [[nodiscard]] static std::size_t words_of_each(std::size_t ranks) { return 2 * ranks + 1; }

    [[nodiscard]] std::uint64_t ids(std::size_t from, std::size_t to) const { return word(from, to); }
    [[nodiscard]] std::uint64_t higher(std::size_t from, std::size_t to) const {
        return word(from, ranks_ + to);
    }
    [[nodiscard]] std::uint64_t least_round_bytes() const {
        std::uint64_t least = word(0, 2 * ranks_);
        for (std::size_t rank = 1; rank < ranks_; ++rank)
            least = std::min(least, word(rank, 2 * ranks_));
        return least;
    }

private:
    [[nodiscard]] std::uint64_t word(std::size_t rank, std::size_t i) const {
        return words_[rank * words_of_each(ranks_) + i];
    }

    std::vector<std::uint64_t> words_;
    std::size_t ranks_;
};

/// How the rows of all ranks are dealt, as rank `me` sees it.
struct deal_plan {
    std::vector<std::uint64_t> sent_rows; ///< to each rank
    std::vector<std::uint64_t> sent_ids;
    std::vector<std::uint64_t> got_rows; ///< from each rank
    std::vector<std::uint64_t> got_ids;
    std::vector<std::uint64_t> first_rows; ///< that come from each rank
    std::vector<std::uint64_t> shifts;     ///< what their begins grow by, from there to here; may wrap
    std::uint64_t ids = 0;                 ///< that this rank gets
    std::vector<std::uint64_t> dealt;      ///< rows that each rank gets
    std::vector<std::uint64_t> higher;     ///< higher ids in these

    /// dealings: of each owner.
    deal_plan(std::vector<row_dealing> const& dealings, dealt_counts const& counts, std::size_t me)
        : dealt(dealings.size(), 0), higher(dealings.size(), 0) {
        std::uint64_t row = 0;
        for (std::size_t rank = 0; rank < dealings.size(); ++rank) {
            sent_rows.push_back(dealings[me].count(static_cast<std::uint32_t>(rank)));
            sent_ids.push_back(counts.ids(me, rank));
            got_rows.push_back(dealings[rank].count(static_cast<std::uint32_t>(me)));
            got_ids.push_back(counts.ids(rank, me));
            first_rows.push_back(row);
            row += got_rows.back();
            std::uint64_t there = 0; // where the ids for this rank begin at `rank`
            for (std::size_t other = 0; other < me; ++other)
                there += counts.ids(rank, other);
            shifts.push_back(ids - there);
            ids += got_ids.back();
            for (std::size_t receiver = 0; receiver < dealings.size(); ++receiver) {
                dealt[receiver] += dealings[rank].count(static_cast<std::uint32_t>(receiver));
                higher[receiver] += counts.higher(rank, receiver);
            }
        }
    }
};

/// In which rounds rows are gathered: in each those of the ranks from one entry of `firsts` to the next.
struct gather_rounds {
    std::vector<std::size_t> firsts;
    std::uint64_t most_rows = 0; ///< of a round
    std::uint64_t most_higher = 0;

    [[nodiscard]] std::size_t count() const { return firsts.size() - 1; }

    /// As few rounds of at most so many bytes as possible, if no rank has more for itself.
    gather_rounds(deal_plan const& plan, std::uint64_t most_bytes) {
        constexpr std::uint64_t row_bytes = 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t);
        std::uint64_t rows = 0;
        std::uint64_t higher = 0;
        for (std::size_t rank = 0; rank < plan.dealt.size(); ++rank) {
            std::uint64_t const bytes =
                (rows + plan.dealt[rank]) * row_bytes + (higher + plan.higher[rank]) * sizeof(degree_rank);
            if (rank == 0 || bytes > most_bytes) {
                firsts.push_back(rank);
                rows = higher = 0;
            }
            rows += plan.dealt[rank];
            higher += plan.higher[rank];
            most_rows = std::max(most_rows, rows);
            most_higher = std::max(most_higher, higher);
        }
        firsts.push_back(plan.dealt.size());
    }
    /// Counts of each rank, 0 for those that are not in the round.
    [[nodiscard]] std::vector<std::uint64_t> in_round(std::size_t round,
                                                      std::vector<std::uint64_t> counts) const {
        for (std::size_t rank = 0; rank < counts.size(); ++rank)
            if (rank < firsts[round] || rank >= firsts[round + 1]) counts[rank] = 0;
        return counts;
    }
};

} // namespace rhizome::algorithms::detail
