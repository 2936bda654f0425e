// SPDX-License-Identifier: Apache-2.0
// Every collective of the backend `threads`, against answers computed from all ranks' data.
#include "every_collective.hpp"
#include "ranks.hpp"

#include <rhizome/comm/decorator.hpp>
#include <rhizome/exec/buffer.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

using comm::communicator;
using counts = std::vector<std::uint64_t>;

/// Twelve bytes that lie at multiples of four.
struct triple {
    std::uint32_t from, to, number;
    friend bool operator==(triple const&, triple const&) = default;
};

/// How many elements one rank sends to another: uneven, and often none. Rank 2 sends nothing, and rank 1 gets
/// nothing.
std::uint64_t sent(int from, int to) {
    if (from == 2 || to == 1) return 0;
    return static_cast<std::uint64_t>((from * 7 + to * 5) % 4) * 37 + static_cast<std::uint64_t>(from == to);
}

template <class Space>
class comm_collectives : public space_test {};
TYPED_TEST_SUITE(comm_collectives, all_spaces, space_names);

TYPED_TEST(comm_collectives, all_to_all_moves_each_element_to_its_rank) {
    for (int ranks = 1; ranks <= 8; ++ranks)
        on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
            counts out, in;
            std::vector<triple> mine, expected;
            for (int other = 0; other < ranks; ++other) {
                out.push_back(sent(self.rank(), other));
                in.push_back(sent(other, self.rank()));
                for (std::uint32_t i = 0; i < out.back(); ++i)
                    mine.push_back(
                        {static_cast<std::uint32_t>(self.rank()), static_cast<std::uint32_t>(other), i});
                for (std::uint32_t i = 0; i < in.back(); ++i)
                    expected.push_back(
                        {static_cast<std::uint32_t>(other), static_cast<std::uint32_t>(self.rank()), i});
            }
            auto const asked = self.exchange_counts(out);
            ASSERT_TRUE(asked.ok()) << asked.result.why();
            ASSERT_EQ(asked.value, in);
            exec::buffer<TypeParam, triple> const from(self.space(), std::span<triple const>(mine));
            exec::buffer<TypeParam, triple> to(self.space(), expected.size());
            auto const result = self.all_to_all(from.data(), out, to.data(), in);
            ASSERT_TRUE(result.ok()) << result.why();
            ASSERT_TRUE(self.wait().ok());
            EXPECT_EQ(to.to_host(), expected) << "rank " << self.rank() << " of " << ranks;
        });
}

TYPED_TEST(comm_collectives, all_gather_gives_each_rank_all_elements) {
    for (int ranks = 1; ranks <= 8; ++ranks)
        on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
            counts sizes;
            std::vector<std::uint16_t> uneven, even;
            auto const at = [](int rank) { return static_cast<std::uint64_t>(rank); };
            for (int rank = 0; rank < ranks; ++rank) {
                sizes.push_back(rank % 3 == 1 ? 0 : 100 + at(rank));
                auto const values = random_values<std::uint16_t>(sizes.back(), at(rank));
                uneven.insert(uneven.end(), values.begin(), values.end());
                auto const more = random_values<std::uint16_t>(50, at(rank) + 100);
                even.insert(even.end(), more.begin(), more.end());
            }
            auto const uneven_mine = random_values<std::uint16_t>(sizes[at(self.rank())], at(self.rank()));
            auto const even_mine = random_values<std::uint16_t>(50, at(self.rank()) + 100);
            exec::buffer<TypeParam, std::uint16_t> const from(self.space(),
                                                              std::span<std::uint16_t const>(uneven_mine));
            exec::buffer<TypeParam, std::uint16_t> to(self.space(), uneven.size());
            ASSERT_TRUE(self.all_gather(from.data(), to.data(), std::span<std::uint64_t const>(sizes)).ok());
            EXPECT_EQ(to.to_host(), uneven);
            exec::buffer<TypeParam, std::uint16_t> const from_even(self.space(),
                                                                   std::span<std::uint16_t const>(even_mine));
            exec::buffer<TypeParam, std::uint16_t> to_even(self.space(), even.size());
            ASSERT_TRUE(self.all_gather(from_even.data(), 50, to_even.data()).ok());
            EXPECT_EQ(to_even.to_host(), even);
        });
}

template <class Space, class T>
void reduces(communicator<Space>& self, std::uint64_t count, comm::reduction how, bool in_place) {
    auto const values_of = [&](int rank) {
        return random_values<T>(count, static_cast<std::uint64_t>(rank) * 31 + count);
    };
    std::vector<T> expected = values_of(0);
    for (int rank = 1; rank < self.size(); ++rank) {
        auto const values = values_of(rank);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (how == comm::reduction::sum) expected[i] = static_cast<T>(expected[i] + values[i]);
            if (how == comm::reduction::min) expected[i] = std::min(expected[i], values[i]);
            if (how == comm::reduction::max) expected[i] = std::max(expected[i], values[i]);
        }
    }
    auto const mine = values_of(self.rank());
    exec::buffer<Space, T> from(self.space(), std::span<T const>(mine));
    exec::buffer<Space, T> to(self.space(), in_place ? 0 : count);
    T* const out = in_place ? from.data() : to.data();
    ASSERT_TRUE(self.all_reduce(static_cast<T const*>(from.data()), out, count, how).ok());
    EXPECT_EQ((in_place ? from : to).to_host(), expected) << "rank " << self.rank() << " of " << self.size();
    if (!in_place) {
        EXPECT_EQ(from.to_host(), mine);
    }
}

template <class Space, class T>
void reduces_in_every_way(communicator<Space>& self) {
    for (auto const how : {comm::reduction::sum, comm::reduction::min, comm::reduction::max})
        for (std::uint64_t const count : {0u, 1u, 777u})
            reduces<Space, T>(self, count, how, how == comm::reduction::min);
}

TYPED_TEST(comm_collectives, all_reduce_combines_each_type_in_each_way) {
    for (int const ranks : also_all_devices<int>({1, 2, 3, 8}))
        on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
            reduces_in_every_way<TypeParam, std::uint32_t>(self);
            reduces_in_every_way<TypeParam, std::uint64_t>(self);
            reduces_in_every_way<TypeParam, std::int32_t>(self);
            reduces_in_every_way<TypeParam, std::int64_t>(self);
            reduces_in_every_way<TypeParam, float>(self);
            reduces_in_every_way<TypeParam, double>(self);
        });
}

TYPED_TEST(comm_collectives, all_reduce_of_a_long_array_works_in_pieces) {
    on_ranks<TypeParam>(3, [&](communicator<TypeParam>& self) {
        reduces<TypeParam, std::uint64_t>(self, 70'001, comm::reduction::sum, true);
        reduces<TypeParam, std::int32_t>(self, 65'536, comm::reduction::max, false);
    });
}

TYPED_TEST(comm_collectives, all_ranks_get_the_same_bits_of_a_floating_point_sum) {
    std::array<std::vector<float>, 8> results;
    on_ranks<TypeParam>(8, [&](communicator<TypeParam>& self) {
        std::vector<float> mine(500);
        for (std::size_t i = 0; i < mine.size(); ++i)
            mine[i] = 1.0f / static_cast<float>(i + 3 * static_cast<std::size_t>(self.rank()) + 1);
        exec::buffer<TypeParam, float> values(self.space(), std::span<float const>(mine));
        ASSERT_TRUE(self.all_reduce(values.data(), values.data(), mine.size(), comm::reduction::sum).ok());
        results[static_cast<std::size_t>(self.rank())] = values.to_host();
    });
    for (auto const& each : results)
        EXPECT_EQ(each, results[0]);
    EXPECT_NEAR(results[0][0], 1.0 + 1. / 4 + 1. / 7 + 1. / 10 + 1. / 13 + 1. / 16 + 1. / 19 + 1. / 22, 1e-5);
}

TYPED_TEST(comm_collectives, broadcast_gives_each_rank_the_elements_of_the_root) {
    for (int ranks = 1; ranks <= 8; ++ranks)
        on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
            for (int root = 0; root < ranks; ++root) {
                auto const values = random_values<std::int64_t>(333, static_cast<std::uint64_t>(root));
                exec::buffer<TypeParam, std::int64_t> data(self.space(), 333);
                data.fill_bytes(0xab);
                if (self.rank() == root) self.space().copy_in(data.data(), values.data(), 333 * 8);
                ASSERT_TRUE(self.broadcast(data.data(), 333, root).ok());
                EXPECT_EQ(data.to_host(), values);
                ASSERT_TRUE(self.broadcast(data.data(), 0, root).ok());
            }
        });
}

TYPED_TEST(comm_collectives, later_work_of_a_rank_does_not_change_what_others_receive) {
    on_ranks<TypeParam>(4, [&](communicator<TypeParam>& self) {
        exec::buffer<TypeParam, std::uint32_t> data(self.space(), 1000);
        exec::buffer<TypeParam, std::uint32_t> all(self.space(), 4000);
        for (std::uint8_t round = 0; round < 20; ++round) {
            data.fill_bytes(static_cast<std::uint8_t>(round * 4 + self.rank()));
            ASSERT_TRUE(self.all_gather(data.data(), 1000, all.data()).ok());
            data.fill_bytes(0xff);
            auto const got = all.to_host();
            for (std::size_t i = 0; i < got.size(); ++i)
                ASSERT_EQ(got[i], 0x01010101u * (round * 4u + i / 1000))
                    << "round " << int(round) << ", element " << i;
        }
    });
}

TYPED_TEST(comm_collectives, vote_agrees_only_if_all_ranks_do) {
    for (int const ranks : also_all_devices<int>({1, 2, 3, 8}))
        on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
            auto const all = self.vote(true);
            EXPECT_TRUE(all.ok());
            EXPECT_TRUE(all.value);
            for (int against = 0; against < ranks; ++against) {
                auto const some = self.vote(self.rank() != against);
                EXPECT_TRUE(some.ok());
                EXPECT_FALSE(some.value);
            }
        });
}

TYPED_TEST(comm_collectives, gather_words_gives_each_rank_all_words) {
    on_ranks<TypeParam>(5, [&](communicator<TypeParam>& self) {
        auto const rank = static_cast<std::uint64_t>(self.rank());
        for (std::uint64_t round = 0; round < 50; ++round) {
            std::array<std::uint64_t, 2> const mine{rank + round, rank * rank};
            std::vector<std::uint64_t> all(10);
            ASSERT_TRUE(self.gather_words(mine, all).ok());
            for (std::uint64_t other = 0; other < 5; ++other) {
                EXPECT_EQ(all[2 * other], other + round);
                EXPECT_EQ(all[2 * other + 1], other * other);
            }
        }
    });
}

TYPED_TEST(comm_collectives, no_rank_passes_a_barrier_before_all_have_come) {
    constexpr int ranks = 4;
    std::atomic<int> arrived{0};
    on_ranks<TypeParam>(ranks, [&](communicator<TypeParam>& self) {
        for (int round = 1; round <= 20; ++round) {
            arrived.fetch_add(1);
            ASSERT_TRUE(self.barrier().ok());
            EXPECT_GE(arrived.load(), ranks * round);
            ASSERT_TRUE(self.barrier().ok());
        }
    });
}

/// On host and emulator always; on GPUs, where they reach each other.
TYPED_TEST(comm_collectives, ranks_write_into_each_others_memory) {
    for (int const ranks : also_all_devices<int>({1, 2, 3, 8}))
        on_ranks<TypeParam>(ranks, [](communicator<TypeParam>& self) {
            EXPECT_TRUE(self.may_share_memory());
            EXPECT_EQ(self.shareable_memory(), nullptr) << "any memory of the space";
            bool const shared = expect_shared_memory(self);
            EXPECT_TRUE(shared || is_gpu<TypeParam>);
            comm::communicator_decorator<TypeParam> decorated(self);
            EXPECT_EQ(decorated.shareable_memory(), nullptr);
            EXPECT_EQ(expect_shared_memory(decorated), shared);
            expect_every_collective(self);
        });
}

TYPED_TEST(comm_collectives, wrong_arguments_throw_and_leave_the_group_usable) {
    on_ranks<TypeParam>(2, [&](communicator<TypeParam>& self) {
        counts const one{0}, two{0, 0};
        std::uint32_t* const none = nullptr;
        EXPECT_THROW(static_cast<void>(self.all_to_all(none, one, none, two)), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(self.all_to_all(none, two, none, one)), std::invalid_argument);
        counts own{0, 0};
        own[static_cast<std::size_t>(self.rank())] = 1; // in place, and sent all the same
        EXPECT_THROW(static_cast<void>(self.all_to_all(none, own, none, own, comm::own_part::in_place)),
                     std::invalid_argument);
        EXPECT_THROW(static_cast<void>(self.broadcast(none, 0, 2)), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(self.broadcast(none, 0, -1)), std::invalid_argument);
        EXPECT_THROW(static_cast<void>(self.gather_words(two, std::span<std::uint64_t>())),
                     std::invalid_argument);
        EXPECT_TRUE(self.barrier().ok());
        EXPECT_TRUE(self.all_to_all(none, two, none, two).ok());
    });
}

TYPED_TEST(comm_collectives, a_group_has_only_the_ranks_below_its_size) {
    EXPECT_THROW(comm::thread_group<TypeParam>(0), std::invalid_argument);
    comm::thread_group<TypeParam> group(2);
    EXPECT_THROW(static_cast<void>(group.join(2, make_space<TypeParam>())), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(group.join(-1, make_space<TypeParam>())), std::invalid_argument);
    using std::chrono::milliseconds;
    comm::thread_group<TypeParam> hasty(2, {.time_limit = milliseconds(0)});
    EXPECT_THROW(static_cast<void>(hasty.join(0, make_space<TypeParam>())), std::invalid_argument);
}

} // namespace
} // namespace rhizome::tests
