// SPDX-License-Identifier: Apache-2.0
// What a tile or a coalesced group is asked by each of its lanes, and what the answers have to be.
#pragma once

#include <rhizome/exec/config.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::exec_test {

/// The value that a thread brings: not monotonic, some equal, some negative where T has a sign, and beyond 32
/// bits where T has 64. Sums of 32 of them are exact in float.
template <class T>
RZ_HD constexpr T value_of(std::uint64_t thread) {
    auto const small = static_cast<std::int64_t>(thread * 7 % 11) - (std::is_signed_v<T> ? 4 : 0);
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        return static_cast<T>(small * 0x2'0000'0001);
    } else {
        return static_cast<T>(small);
    }
}
/// What it votes.
RZ_HD constexpr bool vote_of(std::uint64_t thread) { return thread * 7 % 11 % 2 != 0; }

struct two_words {
    std::uint32_t first, second;
    bool operator==(two_words const&) const = default;
};
RZ_HD constexpr two_words words_of(std::uint64_t thread) {
    return {static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(~thread)};
}

/// What tiles and coalesced groups alike were asked by one of their lanes.
template <class T>
struct group_answers {
    std::uint64_t leader;       ///< rank in the grid of the group's first lane
    std::uint64_t match_leader; ///< ... of the first lane that has the same value
    T broadcast;                ///< from the last lane
    T shuffle;                  ///< from the third next, round the end
    T exclusive, sum;
    two_words words;     ///< from the lane before, round the start
    std::uint8_t narrow; ///< from the last lane
    std::uint32_t rank, size, ballot;
    std::uint32_t match_rank, match_size, match_ballot, match_of_odd_ranks;
    bool is_leader, any, all, any_of_none, all_of_all;

    bool operator==(group_answers const&) const = default;
};

/// All lanes of the group call it.
template <class T, class Thread, class Group>
RZ_HD group_answers<T> ask(Thread const& thread, Group const& group) {
    T const mine = value_of<T>(thread.rank());
    bool const vote = vote_of(thread.rank());
    group_answers<T> a{};
    a.rank = group.rank();
    a.size = group.size();
    a.is_leader = group.is_leader();
    a.leader = group.broadcast(thread.rank(), 0);
    a.broadcast = group.broadcast(mine, group.size() - 1);
    a.shuffle = group.shuffle(mine, (group.rank() + 3) % group.size());
    a.words = group.shuffle(words_of(thread.rank()), (group.rank() + group.size() - 1) % group.size());
    a.narrow = group.broadcast(static_cast<std::uint8_t>(thread.rank() * 3), group.size() - 1);
    a.exclusive = group.exclusive_scan(mine);
    a.sum = group.sum(mine);
    a.ballot = group.ballot(vote);
    a.any = group.any(vote);
    a.all = group.all(vote);
    a.any_of_none = group.any(false);
    a.all_of_all = group.all(true);
    auto const same = group.match(mine);
    a.match_rank = same.rank();
    a.match_size = same.size();
    a.match_leader = same.broadcast(thread.rank(), 0);
    a.match_ballot = same.ballot(vote);
    a.match_of_odd_ranks = same.match(same.rank() % 2).size();
    same.sync();
    group.sync();
    return a;
}

/// What lane `rank` of the group of these threads has to be told. `members` ascend.
template <class T>
group_answers<T> answers_for(std::vector<std::uint64_t> const& members, std::uint32_t rank) {
    std::uint64_t const self = members[rank];
    auto const size = static_cast<std::uint32_t>(members.size());
    group_answers<T> a{};
    a.rank = rank;
    a.size = size;
    a.is_leader = rank == 0;
    a.leader = members.front();
    a.broadcast = value_of<T>(members.back());
    a.shuffle = value_of<T>(members[(rank + 3) % size]);
    a.words = words_of(members[(rank + size - 1) % size]);
    a.narrow = static_cast<std::uint8_t>(members.back() * 3);
    a.all = a.all_of_all = true;
    std::vector<std::uint64_t> same;
    for (std::uint32_t i = 0; i < size; ++i) {
        T const value = value_of<T>(members[i]);
        bool const vote = vote_of(members[i]);
        if (i < rank) a.exclusive = static_cast<T>(a.exclusive + value);
        a.sum = static_cast<T>(a.sum + value);
        a.ballot |= vote ? 1u << i : 0u;
        a.any = a.any || vote;
        a.all = a.all && vote;
        if (value != value_of<T>(self)) continue;
        if (members[i] < self) ++a.match_rank;
        a.match_ballot |= vote ? 1u << same.size() : 0u;
        same.push_back(members[i]);
    }
    a.match_size = static_cast<std::uint32_t>(same.size());
    a.match_leader = same.front();
    a.match_of_odd_ranks = (a.match_size + 1 - a.match_rank % 2) / 2;
    return a;
}

template <class T>
void expect_answers(group_answers<T> const& got, std::vector<std::uint64_t> const& members,
                    std::uint32_t rank) {
    group_answers<T> const wanted = answers_for<T>(members, rank);
    if (got == wanted) return;
    SCOPED_TRACE("lane " + std::to_string(rank) + " of " + std::to_string(members.size()) + ", thread " +
                 std::to_string(members[rank]));
    EXPECT_EQ(got.rank, wanted.rank);
    EXPECT_EQ(got.size, wanted.size);
    EXPECT_EQ(got.is_leader, wanted.is_leader);
    EXPECT_EQ(got.leader, wanted.leader);
    EXPECT_EQ(got.broadcast, wanted.broadcast);
    EXPECT_EQ(got.shuffle, wanted.shuffle);
    EXPECT_EQ(got.words.first, wanted.words.first);
    EXPECT_EQ(got.words.second, wanted.words.second);
    EXPECT_EQ(got.narrow, wanted.narrow);
    EXPECT_EQ(got.exclusive, wanted.exclusive);
    EXPECT_EQ(got.sum, wanted.sum);
    EXPECT_EQ(got.ballot, wanted.ballot);
    EXPECT_EQ(got.any, wanted.any);
    EXPECT_EQ(got.all, wanted.all);
    EXPECT_EQ(got.any_of_none, wanted.any_of_none);
    EXPECT_EQ(got.all_of_all, wanted.all_of_all);
    EXPECT_EQ(got.match_rank, wanted.match_rank);
    EXPECT_EQ(got.match_size, wanted.match_size);
    EXPECT_EQ(got.match_leader, wanted.match_leader);
    EXPECT_EQ(got.match_ballot, wanted.match_ballot);
    EXPECT_EQ(got.match_of_odd_ranks, wanted.match_of_odd_ranks);
}

} // namespace rhizome::exec_test
