// SPDX-License-Identifier: Apache-2.0
// Sets of ranks in shared memory: one bit per rank if the ranks are small, else a hash table of words.
#pragma once

#include <rhizome/algorithms/detail/triangle_orientation.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Greater than any rank; no set contains it.
inline constexpr degree_rank nobody = ~degree_rank{0};

/// Ranks less than a bound, in words for one rank more.
class rank_bits {
public:
    RZ_HD rank_bits(std::uint32_t* words, degree_rank bound) : words_(words), bound_(bound) {}

    /// Called by all lanes of a group, which then synchronises.
    template <class Group>
    RZ_HD void clear(Group const& group) const {
        for (std::uint32_t i = group.rank(); i <= bound_ / 32; i += group.size())
            words_[i] = 0;
    }
    template <class Thread>
    RZ_HD void insert(Thread const& thread, degree_rank rank) const {
        thread.shared(words_[rank / 32]).fetch_or(1u << rank % 32, exec::order::relaxed);
    }
    /// Valid once all ranks are inserted and the group has synchronised.
    [[nodiscard]] RZ_HD bool contains(degree_rank rank) const {
        degree_rank const within = rank < bound_ ? rank : bound_; // without a branch, so that lanes stay
                                                                  // together
        return (words_[within / 32] >> within % 32 & 1) != 0;
    }

private:
    std::uint32_t* words_;
    degree_rank bound_;
};

/// Open addressing over a power of two of words, if possible eight times the number of ranks: lanes that
/// search together continue until the last lane has reached an end.
class rank_table {
public:
    /// For so many ranks, at most half of `most_words`.
    RZ_HD rank_table(std::uint32_t* words, std::uint32_t most_words, std::uint32_t count)
        : words_(words), shift_(31) {
        for (std::uint32_t size = 2; size < 8 * count && size < most_words; size *= 2)
            --shift_;
    }

    template <class Group>
    RZ_HD void clear(Group const& group) const {
        for (std::uint32_t i = group.rank(); i <= mask(); i += group.size())
            words_[i] = nobody;
    }
    /// Precondition: the rank is not in the set yet.
    template <class Thread>
    RZ_HD void insert(Thread const& thread, degree_rank rank) const {
        for (std::uint32_t place = home(rank);; place = (place + 1) & mask()) {
            degree_rank held = nobody;
            if (thread.shared(words_[place]).compare_exchange(held, rank, exec::order::relaxed)) return;
        }
    }
    [[nodiscard]] RZ_HD bool contains(degree_rank rank) const {
        for (std::uint32_t place = home(rank);; place = (place + 1) & mask()) {
            degree_rank const held = words_[place];
            if (held == nobody) return false;
            if (held == rank) return true;
        }
    }

private:
    [[nodiscard]] RZ_HD std::uint32_t mask() const { return ~std::uint32_t{0} >> shift_; }
    [[nodiscard]] RZ_HD std::uint32_t home(degree_rank rank) const {
        return rank * 0x9e37'79b1u >> shift_; // golden ratio
    }

    std::uint32_t* words_;
    std::uint32_t shift_; ///< 32 - log2 of the number of words
};

} // namespace rhizome::algorithms::detail
