// SPDX-License-Identifier: Apache-2.0
// random_walk_malloc: what it promises beyond the conformance suite.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class random_walk_malloc_heap : public space_test {};
using random_walk_malloc_cases =
    cross_types<allocator_on,
                type_list<catalogued::random_walk_malloc, random_walk_malloc_256, random_walk_segments_256>,
                space_list>;
TYPED_TEST_SUITE(random_walk_malloc_heap, random_walk_malloc_cases, named_types);

/// Requests until one is refused, in launches of many; the bytes asked for and served.
template <class Case>
[[nodiscard]] std::uint64_t served_bytes(heap<Case>& tested, std::uint64_t bytes,
                                         std::vector<block_set>& held) {
    std::uint64_t served = 0;
    for (;;) {
        held.push_back(tested.take(tested.owner().heap_bytes() / bytes / 4 + 1, bytes));
        served += held.back().served();
        if (held.back().served() != held.back().at.size()) return served * bytes;
    }
}

TYPED_TEST(random_walk_malloc_heap, nearly_the_whole_heap_is_handed_out_at_every_size) {
    std::uint64_t const page_bytes = TypeParam::traits::smallest_bytes;
    std::mt19937_64 random(5);
    for (std::uint64_t const bytes : {16u, 256u, 272u, 1024u, 1050u, 3000u, 4100u, 8000u, 8192u}) {
        SCOPED_TRACE(bytes);
        heap<TypeParam> tested(work<typename TypeParam::space>(4u << 20, 1u << 20));
        std::uint64_t const usable = tested.owner().ref().usable_bytes(bytes);
        // Of what the blocks take; a request that is no multiple of the page wastes the rest of its last
        // page.
        std::uint64_t const most = tested.owner().heap_bytes() / usable * bytes;
        if (page_bytes == 256 && bytes < 256) continue;
        for (int round = 0; round < 2; ++round) {
            std::vector<block_set> held;
            // Threads that collide may leave a gap: in a small heap, one block is more than 2 %.
            EXPECT_GE(served_bytes(tested, bytes, held), std::min(most * 98 / 100, most - bytes))
                << "round " << round;
            block_set all;
            for (block_set const& set : held) {
                all.bytes.insert(all.bytes.end(), set.bytes.begin(), set.bytes.end());
                all.at.insert(all.at.end(), set.at.begin(), set.at.end());
            }
            std::shuffle(all.at.begin(), all.at.end(), random);
            tested.give_back(all);
            expect_sound(tested);
            expect_live_bytes(tested, 0);
        }
    }
}

TYPED_TEST(random_walk_malloc_heap, blocks_of_a_warp_are_given_back_one_by_one) {
    heap<TypeParam> tested(1u << 20);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < 96; ++i) // some within a page, some of many words
        sizes.push_back(1 + i * i % 1000 * (i % 7 == 0 ? 20 : 1));
    block_set const set = tested.take(sizes);
    EXPECT_EQ(set.served(), sizes.size());
    tested.fill(set);
    expect_apart(tested, set);
    expect_live_bytes(tested, tested.usable_bytes(set));
    auto const [returned, kept] = split(set, [](std::size_t i) { return i % 3 != 1; });
    tested.give_back(returned);
    expect_live_bytes(tested, tested.usable_bytes(kept));
    block_set const again = tested.take(returned.bytes);
    EXPECT_EQ(again.served(), returned.at.size());
    tested.fill(again);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    EXPECT_EQ(tested.wrong_words(again), 0u);
    expect_sound(tested);
}

/// So large that walks look at random words, and so full that most of these are used up.
TYPED_TEST(random_walk_malloc_heap, the_last_free_runs_of_a_large_heap_are_all_found) {
    std::uint64_t const run_bytes = 32 * TypeParam::traits::smallest_bytes;
    constexpr std::uint64_t runs = 1300;
    heap<TypeParam> tested(runs * run_bytes);
    block_set all;
    while (all.at.size() < tested.owner().heap_bytes() / run_bytes) { // a warp at a time leaves no gaps
        block_set const more = tested.take(4, run_bytes);
        ASSERT_EQ(more.served(), 4u);
        all.at.insert(all.at.end(), more.at.begin(), more.at.end());
        all.bytes.insert(all.bytes.end(), more.bytes.begin(), more.bytes.end());
        all.owners.insert(all.owners.end(), more.owners.begin(), more.owners.end());
    }
    std::mt19937_64 random(11);
    auto const [returned, kept] = split(all, [&](std::size_t) { return random() % 50 == 0; });
    tested.fill(kept);
    tested.give_back(returned);
    for (std::uint64_t const bytes : {run_bytes, run_bytes / 2}) {
        std::uint64_t const fit = returned.at.size() * (run_bytes / bytes);
        block_set const again = tested.take(fit + 1, bytes);
        EXPECT_LE(again.served(), fit);
        EXPECT_GE(again.served() + fit / 50 + 1, fit); // threads that collide may leave gaps
        tested.fill(again);
        EXPECT_EQ(tested.wrong_words(again), 0u);
        expect_sound(tested);
        tested.give_back(again);
    }
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    expect_live_bytes(tested, kept.served() * run_bytes);
}

TYPED_TEST(random_walk_malloc_heap, the_whole_heap_is_one_block_and_all_of_it_comes_back) {
    heap<TypeParam> tested(1u << 20, {}, 4u << 20);
    for (int round = 0; round < 3; ++round) {
        std::uint64_t const bytes = tested.owner().heap_bytes();
        block_set const whole = tested.take(1, bytes);
        ASSERT_EQ(whole.served(), 1u);
        EXPECT_EQ(tested.take(40, 1).served(), 0u);
        EXPECT_EQ(tested.take(1, bytes + 1).served(), 0u);
        tested.fill(whole);
        EXPECT_EQ(tested.wrong_words(whole), 0u);
        tested.give_back(whole);
        block_set const small = tested.take(1, 1);
        EXPECT_EQ(tested.take(1, bytes).served(), 0u) << "a page is used";
        tested.give_back(small);
        tested.owner().grow_to(bytes + 1);
        expect_sound(tested);
    }
}

} // namespace
} // namespace rhizome::tests
