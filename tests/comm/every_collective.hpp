// SPDX-License-Identifier: Apache-2.0
// One call of every collective, with uneven counts, on any communicator.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/buffer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {

template <class Space, class T>
exec::buffer<Space, T> in_space(Space const& space, std::vector<T> const& values) {
    return exec::buffer<Space, T>(space, std::span<T const>(values));
}

/// Rank r sends r + 2 s elements to rank s, but rank 1 sends and gets none. Ranks whose numbers are divisible
/// by `in_place` have their own elements in place; 0: none has.
template <class Space>
void expect_all_to_all(comm::communicator<Space>& self, int in_place) {
    bool const own_is_there = in_place != 0 && self.rank() % in_place == 0;
    auto const rank = static_cast<std::uint64_t>(self.rank());
    auto const ranks = static_cast<std::uint64_t>(self.size());
    std::vector<std::uint64_t> out, in;
    std::vector<std::uint32_t> mine, expected, there;
    for (std::uint64_t other = 0; other < ranks; ++other) {
        bool const none = rank == 1 || other == 1;
        out.push_back(none ? 0 : rank + 2 * other);
        in.push_back(none ? 0 : other + 2 * rank);
        bool const sent = other != rank || !own_is_there;
        mine.insert(mine.end(), sent ? out.back() : 0, static_cast<std::uint32_t>(100 * rank + other));
        expected.insert(expected.end(), in.back(), static_cast<std::uint32_t>(100 * other + rank));
        there.insert(there.end(), in.back(), sent ? 0 : static_cast<std::uint32_t>(101 * rank));
    }
    auto const asked = self.exchange_counts(out);
    ASSERT_TRUE(asked.ok()) << asked.result.why();
    EXPECT_EQ(asked.value, in);
    auto const from = in_space(self.space(), mine);
    auto to = in_space(self.space(), there);
    if (own_is_there) out[rank] = 0;
    auto const result = self.all_to_all(from.data(), out, to.data(), in,
                                        own_is_there ? comm::own_part::in_place : comm::own_part::copied);
    ASSERT_TRUE(result.ok()) << result.why();
    ASSERT_TRUE(self.wait().ok());
    EXPECT_EQ(to.to_host(), expected);
}

/// As many elements of each rank, and then as many as its number.
template <class Space>
void expect_all_gather(comm::communicator<Space>& self) {
    auto const rank = static_cast<std::uint64_t>(self.rank());
    auto const ranks = static_cast<std::uint64_t>(self.size());
    std::vector<std::uint16_t> expected_even, expected_uneven;
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t other = 0; other < ranks; ++other) {
        sizes.push_back(other);
        expected_even.insert(expected_even.end(), 3, static_cast<std::uint16_t>(other));
        expected_uneven.insert(expected_uneven.end(), other, static_cast<std::uint16_t>(other));
    }
    auto const mine = in_space(self.space(), std::vector<std::uint16_t>(std::max<std::size_t>(3, rank),
                                                                        static_cast<std::uint16_t>(rank)));
    exec::buffer<Space, std::uint16_t> even(self.space(), expected_even.size());
    exec::buffer<Space, std::uint16_t> uneven(self.space(), expected_uneven.size());
    ASSERT_TRUE(self.all_gather(mine.data(), 3, even.data()).ok());
    ASSERT_TRUE(self.all_gather(mine.data(), uneven.data(), std::span<std::uint64_t const>(sizes)).ok());
    ASSERT_TRUE(self.wait().ok());
    EXPECT_EQ(even.to_host(), expected_even);
    EXPECT_EQ(uneven.to_host(), expected_uneven);
}

template <class T, class Space>
void expect_all_reduce(comm::communicator<Space>& self, comm::reduction how, T mine, T expected) {
    auto values = in_space(self.space(), std::vector<T>(1000, mine));
    ASSERT_TRUE(self.all_reduce(static_cast<T const*>(values.data()), values.data(), 1000, how).ok());
    ASSERT_TRUE(self.wait().ok());
    EXPECT_EQ(values.to_host(), std::vector<T>(1000, expected));
}

/// Each rank writes a number into the array of each rank, if they reach each other's memory.
template <class Space>
void expect_shared_memory(comm::communicator<Space>& self) {
    auto const rank = static_cast<std::uint32_t>(self.rank());
    auto const ranks = static_cast<std::uint32_t>(self.size());
    std::vector<void*> addresses(ranks);
    exec::buffer<Space, std::uint32_t> mine(self.space(), ranks);
    for (std::uint32_t refusing = 0; refusing < ranks; ++refusing) {
        auto const refused = self.share_memory(mine.data(), rank != refusing, addresses);
        ASSERT_TRUE(refused.ok()) << refused.result.why();
        EXPECT_FALSE(refused.value);
    }
    auto const shared = self.share_memory(mine.data(), true, addresses);
    ASSERT_TRUE(shared.ok()) << shared.result.why();
    EXPECT_TRUE(self.may_share_memory() || !shared.value);
    for (std::uint32_t round = 0; round < 3; ++round) {
        std::vector<std::uint32_t> numbers;
        for (std::uint32_t to = 0; to < ranks; ++to)
            numbers.push_back(100 * round + 10 * rank + to);
        auto const written = in_space(self.space(), numbers);
        for (std::uint32_t to = 0; shared.value && to < ranks; ++to)
            self.space().copy(static_cast<std::uint32_t*>(addresses[to]) + rank, written.data() + to,
                              sizeof(std::uint32_t));
        ASSERT_TRUE(self.follow_all().ok());
        auto const found = mine.to_host();
        for (std::uint32_t from = 0; shared.value && from < ranks; ++from)
            EXPECT_EQ(found[from], 100 * round + 10 * from + rank);
        ASSERT_TRUE(self.barrier().ok()); // read before they are written again
    }
    std::vector<void*> too_few(ranks - 1);
    EXPECT_THROW(static_cast<void>(self.share_memory(mine.data(), true, too_few)), std::invalid_argument);
}

template <class Space>
void expect_every_collective(comm::communicator<Space>& self) {
    for (int const in_place : {0, 1, 2})
        expect_all_to_all(self, in_place);
    expect_all_gather(self);
    expect_shared_memory(self);
    int const rank = self.rank();
    int const ranks = self.size();
    using comm::reduction;
    expect_all_reduce<double>(self, reduction::sum, rank + 0.5, ranks * ranks / 2.0);
    expect_all_reduce<float>(self, reduction::max, -1.5f * static_cast<float>(rank), 0);
    expect_all_reduce<std::int32_t>(self, reduction::min, 5 - rank, 6 - ranks);
    expect_all_reduce<std::int64_t>(self, reduction::sum, -rank, -ranks * (ranks - 1) / 2);
    expect_all_reduce<std::uint32_t>(self, reduction::max, static_cast<std::uint32_t>(rank),
                                     static_cast<std::uint32_t>(ranks - 1));
    expect_all_reduce<std::uint64_t>(self, reduction::min, static_cast<std::uint64_t>(rank) + (1ull << 40),
                                     1ull << 40);
    for (int root = 0; root < ranks; ++root) {
        auto values =
            in_space(self.space(), std::vector<std::uint64_t>(50, static_cast<std::uint64_t>(rank) + 7));
        ASSERT_TRUE(self.broadcast(values.data(), 50, root).ok());
        ASSERT_TRUE(self.wait().ok());
        EXPECT_EQ(values.to_host(), std::vector<std::uint64_t>(50, static_cast<std::uint64_t>(root) + 7));
    }
    EXPECT_TRUE(self.barrier().ok());
    EXPECT_TRUE(self.vote(true).value);
    EXPECT_FALSE(self.vote(rank != ranks - 1).value);
    EXPECT_TRUE(self.state().ok());
}

} // namespace rhizome::tests
