// SPDX-License-Identifier: Apache-2.0
// Policies that divide vertices among ranks: every id has one owner and one row, and the two give the id
// back.
#include <rhizome/graph/partition/owners.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <stdexcept>
#include <vector>

namespace rhizome::tests {
namespace {

using graph::hash_owners;
using graph::modulo_owners;
using graph::range_owners;

template <class Owners>
void expect_sound(Owners const& owners, std::uint64_t ids) {
    std::vector<std::vector<bool>> taken;
    for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank)
        taken.emplace_back(owners.rows(rank, ids), false);
    for (std::uint64_t id = 0; id < ids; ++id) {
        std::uint32_t const rank = owners.owner(id);
        std::uint64_t const row = owners.row(id);
        ASSERT_LT(rank, owners.ranks()) << id;
        ASSERT_LT(row, taken[rank].size()) << "id " << id << " of " << ids << ", rank " << rank;
        ASSERT_FALSE(taken[rank][row]) << id;
        taken[rank][row] = true;
        ASSERT_EQ(owners.global(rank, row), id);
        ASSERT_EQ(owners.ids(rank)(row), id);
    }
}

template <class Owners>
void expect_no_spare_rows(Owners const& owners, std::uint64_t ids) {
    std::uint64_t rows = 0;
    for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank)
        rows += owners.rows(rank, ids);
    EXPECT_EQ(rows, ids);
}

TEST(partition_owners, each_id_has_one_owner_and_one_row) {
    for (std::uint32_t const ranks : {1u, 2u, 3u, 8u, 17u})
        for (std::uint64_t const ids : {0u, 1u, 7u, 8u, 4095u, 4096u, 4097u, 20'000u}) {
            expect_sound(modulo_owners(ranks), ids);
            expect_no_spare_rows(modulo_owners(ranks), ids);
            expect_sound(range_owners::of(ranks, ids), ids);
            expect_no_spare_rows(range_owners::of(ranks, ids), ids);
            expect_sound(range_owners(ranks, 100), ids);
            expect_no_spare_rows(range_owners(ranks, 100), ids);
            expect_sound(hash_owners(ranks), ids);
            expect_sound(hash_owners(ranks, 12345), ids);
        }
}

TEST(partition_owners, those_that_keep_the_order_put_the_rows_of_all_ranks_in_the_order_of_ids) {
    static_assert(graph::keeps_order<range_owners> && !graph::keeps_order<modulo_owners> &&
                  !graph::keeps_order<hash_owners>);
    for (std::uint64_t const ids : {0u, 1u, 99u, 100u, 301u, 1000u}) {
        range_owners const owners(4, 100);
        std::uint64_t id = 0;
        for (std::uint32_t rank = 0; rank < owners.ranks(); ++rank)
            for (std::uint64_t row = 0; row < owners.rows(rank, ids); ++row)
                EXPECT_EQ(owners.global(rank, row), id++);
        EXPECT_EQ(id, ids);
    }
}

TEST(partition_owners, large_ids_come_back) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 10'000; ++i) {
        std::uint64_t const id = random() >> 29; // below 2^35, as ids of wide graphs are
        auto const comes_back = [&](auto const& owners) {
            ASSERT_EQ(owners.global(owners.owner(id), owners.row(id)), id);
            ASSERT_LT(owners.row(id), owners.rows(owners.owner(id), id + 1));
        };
        comes_back(modulo_owners(7));
        comes_back(range_owners(7, 1u << 30));
        comes_back(hash_owners(7, 3));
    }
}

TEST(partition_owners, no_vertex_moves_when_ids_are_added) {
    // Owners and rows do not depend on the number of ids; the rows of a rank only become more.
    for (std::uint32_t rank = 0; rank < 3; ++rank)
        for (std::uint64_t ids = 0; ids < 9000; ++ids) {
            ASSERT_LE(modulo_owners(3).rows(rank, ids), modulo_owners(3).rows(rank, ids + 1));
            ASSERT_LE(range_owners(3, 2500).rows(rank, ids), range_owners(3, 2500).rows(rank, ids + 1));
            ASSERT_LE(hash_owners(3).rows(rank, ids), hash_owners(3).rows(rank, ids + 1));
        }
}

TEST(partition_owners, what_each_policy_is_for) {
    EXPECT_EQ(modulo_owners(4).owner(6), 2u);
    EXPECT_EQ(range_owners::of(4, 100).owner(24), 0u);
    EXPECT_EQ(range_owners::of(4, 100).owner(25), 1u);
    EXPECT_EQ(range_owners::of(4, 100).owner(1000), 3u);
    // Ids with a pattern: modulo gives all multiples of 8 to one rank of 8, hash about an eighth to each.
    std::vector<std::uint64_t> owned(8, 0);
    std::set<std::uint32_t> by_modulo;
    for (std::uint64_t id = 0; id < 80'000; id += 8) {
        ++owned[hash_owners(8).owner(id)];
        by_modulo.insert(modulo_owners(8).owner(id));
    }
    EXPECT_EQ(by_modulo.size(), 1u);
    EXPECT_GT(*std::ranges::min_element(owned), 1000u);
    EXPECT_LT(*std::ranges::max_element(owned), 1500u);
    // Another seed divides in another way.
    std::uint64_t equal = 0;
    for (std::uint64_t id = 0; id < 8000; ++id)
        equal += hash_owners(8, 1).owner(id) == hash_owners(8, 2).owner(id) ? 1 : 0;
    EXPECT_LT(equal, 2000u);
}

TEST(partition_owners, refuse_what_makes_no_sense) {
    EXPECT_THROW(modulo_owners(0), std::invalid_argument);
    EXPECT_THROW(hash_owners(0), std::invalid_argument);
    EXPECT_THROW(range_owners(0, 1), std::invalid_argument);
    EXPECT_THROW(range_owners(1, 0), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(range_owners::of(0, 10)), std::invalid_argument);
    EXPECT_THROW(range_owners(5, std::uint64_t{1} << 62), std::invalid_argument) << "rank 4 begins at 2^64";
    EXPECT_EQ(range_owners(4, std::uint64_t{1} << 62).global(3, 0), std::uint64_t{3} << 62);
    std::uint64_t const most = ~std::uint64_t{0};
    EXPECT_EQ(range_owners::of(2, most).owner(most / 2), 0u);
    EXPECT_EQ(range_owners::of(2, most).owner(most / 2 + 1), 1u);
}

/// A policy without rows() is none.
struct without_rows {
    std::uint32_t ranks() const;
    std::uint32_t owner(std::uint64_t) const;
    std::uint64_t row(std::uint64_t) const;
    std::uint64_t global(std::uint32_t, std::uint64_t) const;
};
static_assert(!graph::owner_policy<without_rows>);

} // namespace
} // namespace rhizome::tests
