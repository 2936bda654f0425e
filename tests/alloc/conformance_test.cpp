// SPDX-License-Identifier: Apache-2.0
// What every allocator promises, in every space.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Case>
class allocator_conformance : public space_test {};
TYPED_TEST_SUITE(allocator_conformance, conformance_cases, named_types);

template <class Case>
class bounded_allocator : public space_test {};
TYPED_TEST_SUITE(bounded_allocator, bounded_conformance_cases, named_types);

template <class Case>
class recycling_allocator : public space_test {};
TYPED_TEST_SUITE(recycling_allocator, recycling_conformance_cases, named_types);

/// Mixed sizes, some of them larger than any size class; none larger than `largest_bytes`.
std::vector<std::uint64_t> mixed_sizes(std::uint64_t total_bytes, std::uint64_t seed,
                                       std::uint64_t largest_bytes) {
    std::mt19937_64 random(seed);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t sum = 0; sum < total_bytes; sum += sizes.back()) {
        std::uint64_t const octave = random() % 18; // 1 B to 256 KiB, each octave as likely as the next
        std::uint64_t const wished = (std::uint64_t{1} << octave) + random() % (std::uint64_t{1} << octave);
        sizes.push_back(std::min(wished, largest_bytes));
    }
    return sizes;
}

TYPED_TEST(allocator_conformance, blocks_of_mixed_sizes_are_disjoint_and_aligned) {
    std::uint64_t const heap_bytes = work<typename TypeParam::space>(128u << 20, 32u << 20) & ~0xffffull;
    heap<TypeParam> tested(heap_bytes);
    std::vector<block_set> held;
    for (std::uint64_t round = 0; round < 3; ++round) {
        held.push_back(tested.take(mixed_sizes(heap_bytes / 16, round, TypeParam::traits::largest_bytes)));
        EXPECT_EQ(held.back().served(), held.back().at.size()) << "round " << round;
        tested.fill(held.back());
        expect_sound(tested);
    }
    block_set all;
    for (block_set const& set : held) {
        EXPECT_EQ(tested.wrong_words(set), 0u);
        all.bytes.insert(all.bytes.end(), set.bytes.begin(), set.bytes.end());
        all.at.insert(all.at.end(), set.at.begin(), set.at.end());
    }
    expect_apart(tested, all);
    expect_live_bytes(tested, tested.usable_bytes(all));
    for (block_set const& set : held)
        tested.give_back(set);
    if (TypeParam::traits::reuses) expect_live_bytes(tested, 0);
    expect_sound(tested);
}

TYPED_TEST(allocator_conformance, usable_bytes_is_at_least_what_was_asked_and_grows) {
    heap<TypeParam> tested(2u << 20);
    auto const ref = tested.owner().ref();
    std::uint64_t before = ref.usable_bytes(1);
    EXPECT_GE(before, TypeParam::traits::smallest_bytes);
    for (std::uint64_t bytes = 1; bytes < 200'000 && serves<TypeParam>(bytes); ++bytes) {
        std::uint64_t const usable = ref.usable_bytes(bytes);
        ASSERT_GE(usable, bytes);
        ASSERT_GE(usable, before);
        ASSERT_EQ(usable % TypeParam::traits::alignment_bytes, 0u);
        ASSERT_EQ(ref.usable_bytes(usable), usable) << "what a block has can be asked for again: " << bytes;
        before = usable;
    }
}

TYPED_TEST(bounded_allocator, every_size_uses_the_heap_up_and_is_refused) {
    for (std::uint64_t const bytes : {16u, 48u, 100u, 1000u, 4096u, 8192u, 8193u, 100'000u}) {
        SCOPED_TRACE(bytes);
        if (!serves<TypeParam>(bytes)) continue;
        heap<TypeParam> tested(2u << 20);
        std::uint64_t const fit = tested.owner().heap_bytes() / tested.owner().ref().usable_bytes(bytes);
        block_set const all = tested.take(fit + fit / 4 + 40, bytes);
        EXPECT_LE(all.served(), fit);
        // bump serves a warp at a time and may leave what a few warps ask for
        EXPECT_GE(all.served(),
                  TypeParam::traits::reuses ? most_of(fit) : fit / 2 - std::min<std::uint64_t>(fit / 2, 2));
        tested.fill(all);
        expect_apart(tested, all);
        EXPECT_EQ(tested.wrong_words(all), 0u);
        expect_live_bytes(tested, tested.usable_bytes(all));
        expect_sound(tested);
    }
}

TYPED_TEST(recycling_allocator, every_size_recovers_when_it_is_given_back) {
    for (std::uint64_t const bytes : {16u, 48u, 100u, 1000u, 4096u, 8192u, 8193u, 100'000u}) {
        SCOPED_TRACE(bytes);
        if (!serves<TypeParam>(bytes)) continue;
        heap<TypeParam> tested(small_heap_bytes);
        std::uint64_t const fit = tested.owner().heap_bytes() / tested.owner().ref().usable_bytes(bytes);
        std::uint64_t served = std::min(most_of(fit), fit - lost_to_gaps<TypeParam>(fit));
        for (int round = 0; round < 3; ++round) { // no trim between
            block_set const all = tested.take(fit + 40, bytes);
            EXPECT_GE(all.served(), served);
            served = all.served() - lost_to_gaps<TypeParam>(all.served());
            tested.fill(all);
            expect_apart(tested, all);
            EXPECT_EQ(tested.wrong_words(all), 0u);
            tested.give_back(all);
            expect_live_bytes(tested, 0);
            expect_sound(tested);
        }
    }
}

TYPED_TEST(recycling_allocator, part_of_the_blocks_given_back_is_what_can_be_had_again) {
    heap<TypeParam> tested(2u << 20);
    std::uint64_t const fit = tested.owner().heap_bytes() / tested.owner().ref().usable_bytes(64);
    block_set const all = tested.take(fit + 100, 64);
    tested.fill(all);
    auto const [returned, kept] = split(all, [](std::size_t i) { return i % 3 == 0; });
    tested.give_back(returned);
    expect_live_bytes(tested, tested.usable_bytes(kept));
    block_set const again = tested.take(all.at.size(), 64);
    EXPECT_EQ(again.served(), returned.served());
    tested.fill(again);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    EXPECT_EQ(tested.wrong_words(again), 0u);
    expect_sound(tested);
}

TYPED_TEST(allocator_conformance, a_large_block_may_be_nearly_the_whole_heap) {
    std::uint64_t const whole = 8u << 20;
    std::uint64_t const heap_bytes = whole - bytes_beside<TypeParam>();
    for (std::uint64_t const bytes : {heap_bytes, heap_bytes - 1, heap_bytes / 2 + 1, heap_bytes / 3}) {
        SCOPED_TRACE(bytes);
        heap<TypeParam> tested(whole);
        if (!serves<TypeParam>(bytes)) {
            EXPECT_EQ(tested.take(1, bytes).served(), 0u);
            continue;
        }
        std::uint64_t const fit =
            whole / (tested.owner().ref().usable_bytes(bytes) + bytes_beside<TypeParam>());
        block_set const set = tested.take(fit, bytes);
        EXPECT_EQ(set.served(), fit);
        tested.fill(set);
        expect_apart(tested, set);
        EXPECT_EQ(tested.wrong_words(set), 0u);
        if (TypeParam::traits::bounded) {
            EXPECT_EQ(tested.take(1, heap_bytes).served(), 0u);
        }
        expect_live_bytes(tested, tested.usable_bytes(set));
        tested.give_back(set);
        expect_sound(tested);
        expect_live_bytes(tested, TypeParam::traits::reuses ? 0 : tested.usable_bytes(set));
    }
}

TYPED_TEST(allocator_conformance, what_no_heap_holds_is_refused) {
    heap<TypeParam> tested(2u << 20);
    constexpr std::uint64_t too_large = TypeParam::traits::largest_bytes + 1;
    EXPECT_EQ(tested.take(100, too_large).served(), 0u);
    EXPECT_EQ(tested.take(100, ~std::uint64_t{0}).served(), 0u);
    expect_live_bytes(tested, 0);
    expect_sound(tested);
    block_set const after = tested.take(100, 64);
    EXPECT_EQ(after.served(), 100u) << "a refusal leaves the heap as it was";
    tested.give_back(after);
}

TYPED_TEST(allocator_conformance, nullptr_may_be_given_back) {
    heap<TypeParam> tested(2u << 20);
    block_set const kept = tested.take(100, 64);
    tested.fill(kept);
    block_set nothing{std::vector<std::uint64_t>(100, 64), std::vector<void*>(100, nullptr), {}};
    tested.give_back(nothing);
    expect_live_bytes(tested, tested.usable_bytes(kept));
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    expect_sound(tested);
    tested.give_back(kept);
}

} // namespace
} // namespace rhizome::tests
