// SPDX-License-Identifier: Apache-2.0
// Numbers of vertices, mapped to ids from 0 on in the order of the numbers.
#pragma once

#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace rhizome::io {

/// A set of numbers below a bound, and the rank of each in it. Memory: 3/16 byte per number below the bound.
/// Several threads may insert, and several may ask for ranks.
class number_ranks {
public:
    explicit number_ranks(std::uint64_t bound) : words_(bound / 64 + 1) {}

    /// Returns the bytes that a set with this bound takes.
    [[nodiscard]] static std::uint64_t bytes(std::uint64_t bound) { return (bound / 64 + 1) * 12; }

    void insert(std::uint64_t number);

    /// Counts the numbers; call it between the last insert() and the first rank(). Returns how many there
    /// are.
    std::uint64_t count();

    /// Returns how many of the numbers are smaller. Precondition: the number is in the set.
    [[nodiscard]] graph::vertex_id rank(std::uint64_t number) const {
        std::uint64_t const below = words_[number / 64] & ((std::uint64_t{1} << number % 64) - 1);
        return ranks_[number / 64] + static_cast<graph::vertex_id>(std::popcount(below));
    }

    [[nodiscard]] bool contains(std::uint64_t number) const {
        return (words_[number / 64] >> number % 64 & 1) != 0;
    }

    /// Returns the numbers, ascending.
    [[nodiscard]] std::vector<std::uint64_t> numbers() const;

private:
    std::vector<std::uint64_t> words_;
    std::vector<graph::vertex_id> ranks_; ///< of the first number of each word
};

} // namespace rhizome::io
