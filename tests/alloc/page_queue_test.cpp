// SPDX-License-Identifier: Apache-2.0
// The page queue: what it promises beyond the conformance suite, damage that its audit must notice, and tiny
// heaps under many interleavings.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class page_queue_heap : public space_test {};
using page_queue_cases = cross_types<allocator_on, type_list<catalogued::page_queue>, space_list>;
TYPED_TEST_SUITE(page_queue_heap, page_queue_cases, named_types);

TYPED_TEST(page_queue_heap, the_last_page_is_handed_out_and_the_first_one_freed_is_the_next) {
    heap<TypeParam> tested(256u << 10);
    std::uint64_t const pages = (256u << 10) / 128;
    block_set const all = tested.take(pages, 128);
    EXPECT_EQ(all.served(), pages);
    EXPECT_EQ(tested.take(3000, 1).served(), 0u);
    for (std::size_t page : {0u, 1234u, 2047u}) {
        auto const [one, others] = split(all, [&](std::size_t i) { return i == page; });
        tested.give_back(one);
        block_set const again = tested.take(100, 128);
        EXPECT_EQ(again.served(), 1u) << "from whatever shard";
        EXPECT_EQ(std::count(again.at.begin(), again.at.end(), one.at[0]), 1);
    }
    expect_sound(tested);
    expect_live_bytes(tested, 256u << 10);
}

TYPED_TEST(page_queue_heap, pages_in_the_queue_outlive_growth_and_trims) {
    heap<TypeParam> tested(64u << 10, {}, 16u << 20);
    block_set const first = tested.take(512, 128);
    tested.fill(first);
    auto const [returned, kept] = split(first, [](std::size_t i) { return i % 3 == 0; });
    tested.give_back(returned);
    std::uint64_t held = kept.at.size();
    for (std::uint64_t bytes = 68u << 10; bytes < (4u << 20); bytes = bytes * 3 / 2 / 4096 * 4096) {
        SCOPED_TRACE(bytes);
        tested.owner().grow_to(bytes);
        expect_sound(tested);
        expect_live_bytes(tested, held * 128);
        tested.owner().trim();
        expect_sound(tested);
        expect_live_bytes(tested, held * 128);
    }
    std::uint64_t const pages = tested.owner().heap_bytes() / 128;
    block_set const rest = tested.take(pages, 128);
    EXPECT_EQ(rest.served(), pages - held);
    tested.fill(rest);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    EXPECT_EQ(tested.wrong_words(rest), 0u);
    expect_sound(tested);
}

TYPED_TEST(page_queue_heap, growth_after_refusals_gives_every_new_page) {
    heap<TypeParam> tested(64u << 10, {}, 16u << 20);
    EXPECT_EQ(tested.take(700, 128).served(), 512u); // fresh counters are asked for more than there is
    tested.owner().grow_to(68u << 10);
    EXPECT_EQ(tested.take(700, 128).served(), 32u);
    tested.owner().grow_to(512u << 10);
    EXPECT_EQ(tested.take(5000, 128).served(), (512u - 68u) * 8);
    expect_sound(tested);
}

TYPED_TEST(page_queue_heap, rings_that_wrap_lose_nothing_whoever_frees_what) {
    heap<TypeParam> tested(128u << 10);
    std::uint64_t const pages = (128u << 10) / 128;
    for (std::uint64_t round = 0; round < 20; ++round) {
        block_set all = tested.take(pages, 128);
        ASSERT_EQ(all.served(), pages);
        std::vector<void*> mixed(pages);
        for (std::size_t i = 0; i < pages; ++i) // lanes of a warp free pages of many shards
            mixed[i] = all.at[i * 37 % pages];
        all.at = mixed;
        tested.give_back(all);
        expect_sound(tested);
        expect_live_bytes(tested, 0);
    }
}

} // namespace
} // namespace rhizome::tests
