// SPDX-License-Identifier: Apache-2.0
// page_sharing: small blocks that share pages.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests::of_page_sharing {
namespace {

/// It and its base, by sizes of pages.
template <std::uint32_t PageBytes>
struct shared_pages {
    static std::string name_of() { return "page_sharing_" + std::to_string(PageBytes); }
    template <class Space>
    using owner = alloc::page_sharing<alloc::random_walk_malloc<Space, PageBytes, alloc::own_segments>>;
};

template <class Allocator>
struct counted_sharing {
    static std::string name_of() { return "counting_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::counting<typename Allocator::template owner<Space>>;
};

template <class Case>
class page_sharing_heap : public space_test {};
using page_sharing_cases =
    cross_types<allocator_on, type_list<catalogued::random_walk_segments, shared_pages<1024>>, space_list>;
TYPED_TEST_SUITE(page_sharing_heap, page_sharing_cases, named_types);

template <class Case>
inline constexpr std::uint64_t page_bytes =
    Case::owner::ref_type::slots_per_page* Case::traits::smallest_bytes;

/// Sizes from a slot to somewhat more than a page.
template <class Case>
[[nodiscard]] std::vector<std::uint64_t> small_sizes(std::uint64_t count) {
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t i = 0; i < count; ++i)
        sizes.push_back(1 + i * 37 % (page_bytes<Case> + page_bytes<Case> / 8));
    return sizes;
}

TYPED_TEST(page_sharing_heap, blocks_of_a_warp_lie_side_by_side) {
    using space_type = typename TypeParam::space;
    constexpr std::uint64_t blocks = 1024;
    heap<TypeParam> tested(4u << 20);
    block_set const set = tested.take(blocks, TypeParam::traits::smallest_bytes * 3);
    EXPECT_EQ(set.served(), blocks);
    std::uint64_t const pages = tested.owner().audit().live_bytes / page_bytes<TypeParam>;
    if (!is_gpu<space_type> && !is_emulated<space_type>) {
        EXPECT_EQ(pages, blocks) << "a lane that asks alone shares with none";
    } else {
        EXPECT_LT(pages, is_gpu<space_type> ? blocks / 4 : blocks * 2 / 3); // the emulator splits warps
        EXPECT_GE(pages * 16, blocks * 3);
    }
    tested.fill(set);
    expect_apart(tested, set);
    EXPECT_EQ(tested.wrong_words(set), 0u);
    tested.give_back(set);
    expect_live_bytes(tested, 0);
    expect_sound(tested);
}

TYPED_TEST(page_sharing_heap, a_page_is_used_as_long_as_one_of_its_blocks) {
    heap<TypeParam> tested(4u << 20);
    std::mt19937_64 random(3);
    block_set kept = tested.take(small_sizes<TypeParam>(1000));
    EXPECT_EQ(kept.served(), 1000u);
    tested.fill(kept);
    expect_apart(tested, kept);
    while (!kept.at.empty()) {
        auto const [given, left] = split(kept, [&](std::size_t) { return random() % 3 == 0; });
        std::uint64_t const before = tested.owner().audit().live_bytes;
        tested.give_back(given);
        kept = left;
        EXPECT_LE(tested.owner().audit().live_bytes, before);
        block_set const others = tested.take(small_sizes<TypeParam>(200)); // what was given back, and more
        EXPECT_EQ(others.served(), 200u);
        tested.fill(others);
        EXPECT_EQ(tested.wrong_words(kept), 0u);
        EXPECT_EQ(tested.wrong_words(others), 0u);
        tested.give_back(others);
        expect_sound(tested);
    }
    expect_live_bytes(tested, 0);
}

TYPED_TEST(page_sharing_heap, pages_apart_serve_small_requests_that_find_no_room_together) {
    constexpr std::uint64_t pages = 512;
    heap<TypeParam> tested(pages * page_bytes<TypeParam>);
    block_set const all = tested.take(pages, page_bytes<TypeParam>);
    ASSERT_EQ(all.served(), pages);
    auto const place = [&](void* block) {
        return (reinterpret_cast<std::uintptr_t>(block) / page_bytes<TypeParam>) % 2;
    };
    auto const [given, kept] = split(all, [&](std::size_t i) { return place(all.at[i]) == 0; });
    ASSERT_EQ(given.at.size(), pages / 2);
    tested.give_back(given);
    block_set const small = tested.take(pages / 2, page_bytes<TypeParam> * 7 / 8);
    EXPECT_EQ(small.served(), pages / 2);
    tested.fill(small);
    expect_apart(tested, small);
    EXPECT_EQ(tested.take(1, 1).served(), 0u) << "every page is used";
    tested.give_back(small);
    tested.give_back(kept);
    expect_live_bytes(tested, 0);
    expect_sound(tested);
}

TYPED_TEST(page_sharing_heap, blocks_know_their_bytes) {
    using counted_case =
        allocator_on<counted_sharing<typename TypeParam::allocator>, typename TypeParam::space>;
    heap<counted_case> tested(4u << 20);
    block_set const set = tested.take(small_sizes<TypeParam>(700));
    EXPECT_EQ(tested.owner().counts().live_bytes, tested.usable_bytes(set));
    auto const [given, kept] = split(set, [](std::size_t i) { return i % 5 < 2; });
    tested.give_back(given); // counts what bytes_of() says
    EXPECT_EQ(tested.owner().counts().live_bytes, tested.usable_bytes(kept));
    tested.give_back(kept);
    EXPECT_EQ(tested.owner().counts().live_bytes, 0u);
}

TYPED_TEST(page_sharing_heap, audit_notices_a_free_page_with_blocks) {
    heap<TypeParam> tested(1u << 20);
    block_set const one = tested.take(1, 1);
    expect_sound(tested);
    auto const ref = tested.owner().ref();
    // Gives the page back behind the back of the decorator.
    exec::buffer<typename TypeParam::space, void*> const block(tested.space(), one.at);
    launch(tested.space(), cover_threads(tested.space(), 1),
           return_blocks<typename std::decay_t<decltype(ref.base())>>{ref.base(), block.data(), 1});
    EXPECT_FALSE(tested.owner().audit().violations.empty());
}

} // namespace
} // namespace rhizome::tests::of_page_sharing
