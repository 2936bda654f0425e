// SPDX-License-Identifier: Apache-2.0
// One call of every collective, with uneven counts, on any communicator.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
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

/// An array that share_memory() can show, of `count` numbers.
template <class Space>
class shareable_array {
public:
    shareable_array(comm::communicator<Space>& self, std::uint64_t count)
        : space_(self.space()), count_(count), memory_(self.space(), self.shareable_memory()) {
        space_.fill(data(), 0xff, count * sizeof(std::uint32_t));
        space_.synchronize();
    }
    [[nodiscard]] std::uint32_t* data() { return memory_.template at_least_of<std::uint32_t>(count_); }
    [[nodiscard]] std::vector<std::uint32_t> to_host() {
        std::vector<std::uint32_t> copy(count_);
        space_.copy_out(copy.data(), data(), count_ * sizeof(std::uint32_t));
        return copy;
    }

private:
    Space space_;
    std::uint64_t count_;
    exec::workspace<Space> memory_;
};

/// Writes the number `first` + 10 * rank + r into the array of each rank r, at this rank's place.
template <class Space>
void write_to_all(comm::communicator<Space>& self, std::span<void* const> addresses, std::uint32_t first) {
    auto const rank = static_cast<std::uint32_t>(self.rank());
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t to = 0; to < addresses.size(); ++to)
        numbers.push_back(first + 10 * rank + to);
    auto const written = in_space(self.space(), numbers);
    for (std::uint32_t to = 0; to < addresses.size(); ++to)
        if (addresses[to] != nullptr)
            self.space().copy(static_cast<std::uint32_t*>(addresses[to]) + rank, written.data() + to,
                              sizeof(std::uint32_t));
    ASSERT_TRUE(self.follow_all().ok());
}

/// Each rank writes numbers into the array of each rank, if they reach each other's memory. Returns whether
/// they do.
template <class Space>
bool expect_shared_memory(comm::communicator<Space>& self) {
    auto const rank = static_cast<std::uint32_t>(self.rank());
    auto const ranks = static_cast<std::uint32_t>(self.size());
    std::vector<void*> addresses(ranks);
    shareable_array<Space> mine(self, ranks);
    for (std::uint32_t refusing = 0; refusing < ranks; ++refusing) {
        auto const refused = self.share_memory(mine.data(), rank != refusing, addresses);
        EXPECT_TRUE(refused.ok()) << refused.result.why();
        EXPECT_FALSE(refused.value);
        EXPECT_EQ(addresses, std::vector<void*>(ranks, nullptr));
    }
    auto const shared = self.share_memory(mine.data(), true, addresses);
    EXPECT_TRUE(shared.ok()) << shared.result.why();
    EXPECT_TRUE(self.may_share_memory() || !shared.value);
    if (shared.value) {
        EXPECT_EQ(addresses[rank], mine.data());
    }
    auto const expect_written = [&](shareable_array<Space>& array, std::uint32_t first) {
        if (!shared.value) return;
        auto const found = array.to_host();
        for (std::uint32_t from = 0; from < ranks; ++from)
            EXPECT_EQ(found[from], first + 10 * from + rank) << "rank " << rank;
    };
    for (std::uint32_t round = 0; round < 3; ++round) {
        write_to_all(self, addresses, 1000 * round);
        expect_written(mine, 1000 * round);
        EXPECT_TRUE(self.barrier().ok()); // read before they are written again
    }
    { // another array of some ranks, and none of others; the addresses are shown anew
        shareable_array<Space> next(self, ranks);
        bool const has_one = rank % 2 == 0;
        auto const again = self.share_memory(has_one ? next.data() : nullptr, true, addresses);
        EXPECT_TRUE(again.ok()) << again.result.why();
        EXPECT_EQ(again.value, shared.value);
        for (std::uint32_t other = 0; shared.value && other < ranks; ++other)
            EXPECT_EQ(addresses[other] != nullptr, other % 2 == 0);
        write_to_all(self, addresses, 5000);
        if (has_one) expect_written(next, 5000);
        expect_written(mine, 2000);
        EXPECT_TRUE(self.barrier().ok());
        self.forget_memory(addresses);
        EXPECT_EQ(addresses, std::vector<void*>(ranks, nullptr));
        EXPECT_TRUE(self.barrier().ok()); // no rank writes what is freed
    }
    std::vector<void*> too_few(ranks - 1);
    EXPECT_THROW(static_cast<void>(self.share_memory(mine.data(), true, too_few)), std::invalid_argument);
    return shared.value;
}

/// Where memory that was shown lives until all have forgotten it: its owner frees it, and others write it all
/// the same. Precondition: expect_shared_memory() has returned true.
template <class Space>
void expect_freed_memory_lives(comm::communicator<Space>& self) {
    if (self.shareable_memory() == nullptr) return;
    auto const rank = static_cast<std::uint32_t>(self.rank());
    auto const ranks = static_cast<std::uint32_t>(self.size());
    std::vector<void*> addresses(ranks);
    constexpr std::uint64_t count = 1u << 16;
    for (bool const all_free : {false, true}) { // rank 0 frees its own, or all do
        bool const frees = all_free || rank == 0;
        std::optional<shareable_array<Space>> first(std::in_place, self, count);
        auto const shared = self.share_memory(first->data(), true, addresses);
        ASSERT_TRUE(shared.ok() && shared.value) << shared.result.why();
        if (frees) {
            addresses[rank] = nullptr; // its own address is gone with its array
            first.reset();
        }
        // What is made next does not lie where others write.
        shareable_array<Space> next(self, count);
        ASSERT_TRUE(self.barrier().ok());
        write_to_all(self, addresses, 100);
        ASSERT_TRUE(self.barrier().ok());
        EXPECT_EQ(next.to_host(), std::vector<std::uint32_t>(count, ~0u)) << "rank " << rank;
        if (!frees) {
            EXPECT_EQ(first->to_host()[(rank + 1) % ranks], 100 + 10 * ((rank + 1) % ranks) + rank);
        }
        auto const again = self.share_memory(next.data(), true, addresses);
        ASSERT_TRUE(again.ok() && again.value) << again.result.why();
        write_to_all(self, addresses, 200);
        for (std::uint32_t from = 0; from < ranks; ++from)
            EXPECT_EQ(next.to_host()[from], 200 + 10 * from + rank);
        ASSERT_TRUE(self.barrier().ok());
        self.forget_memory(addresses);
    }
}

template <class Space>
void expect_every_collective(comm::communicator<Space>& self) {
    for (int const in_place : {0, 1, 2})
        expect_all_to_all(self, in_place);
    expect_all_gather(self);
    if (expect_shared_memory(self)) expect_freed_memory_lives(self);
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
