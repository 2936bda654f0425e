// SPDX-License-Identifier: Apache-2.0
// Heaps that grow, are trimmed, spill and run into limits, in every space.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace rhizome::tests {
namespace {

template <class Case>
class heap_growth : public space_test {};
TYPED_TEST_SUITE(heap_growth, bounded_conformance_cases, named_types);

template <class Case>
class heap_trim : public space_test {};
TYPED_TEST_SUITE(heap_trim, recycling_conformance_cases, named_types);

TYPED_TEST(heap_growth, grow_to_keeps_live_blocks_and_adds_room) {
    heap<TypeParam> tested(2u << 20);
    std::uint64_t const block_bytes = tested.owner().ref().usable_bytes(64);
    block_set const before = tested.take((512u << 10) / block_bytes, 64);
    block_set const large = tested.take(2, served_size<TypeParam>(100'000));
    EXPECT_EQ(before.served(), (512u << 10) / block_bytes);
    EXPECT_EQ(large.served(), 2u);
    tested.fill(before);
    tested.fill(large);
    std::uint64_t const grown_bytes = 16u << 20;
    EXPECT_EQ(tested.take(1, 15u << 20).served(), 0u);
    tested.owner().grow_to(grown_bytes);
    EXPECT_EQ(tested.owner().heap_bytes(), grown_bytes);
    expect_sound(tested);
    expect_live_bytes(tested, tested.usable_bytes(before) + tested.usable_bytes(large));

    std::uint64_t const size = served_size<TypeParam>(1024);
    std::uint64_t const fit = (grown_bytes - (2u << 20)) / size;
    block_set const after = tested.take(fit, size);
    EXPECT_EQ(after.served(), fit) << "the new room";
    tested.fill(after);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    EXPECT_EQ(tested.wrong_words(large), 0u);
    EXPECT_EQ(tested.wrong_words(after), 0u);
    for (block_set const& set : {before, large, after})
        tested.give_back(set); // with a ref made after the growth
    expect_sound(tested);
    if (TypeParam::traits::reuses) expect_live_bytes(tested, 0);
}

TYPED_TEST(heap_growth, growing_step_by_step_gives_what_one_large_heap_gives) {
    heap<TypeParam> tested(64u << 10, {}, 64u << 20);
    std::uint64_t const size = served_size<TypeParam>(256);
    std::uint64_t served = 0;
    for (std::uint64_t bytes = 128u << 10; bytes <= (16u << 20); bytes *= 2) {
        tested.owner().grow_to(bytes);
        tested.owner().grow_to(bytes / 2); // smaller: nothing happens
        EXPECT_GE(tested.owner().heap_bytes(), bytes);
        std::uint64_t const all = tested.owner().heap_bytes() / tested.owner().ref().usable_bytes(size);
        block_set const set = tested.take(all - served, size);
        tested.fill(set);
        served += set.served();
        EXPECT_GE(served + queue_bytes(tested) / 256, most_of(all)) << bytes;
        EXPECT_EQ(tested.wrong_words(set), 0u);
        expect_sound(tested);
    }
}

TYPED_TEST(heap_trim, makes_free_chunks_usable_for_every_size) {
    heap<TypeParam> tested(small_heap_bytes);
    std::uint64_t size_before = 16;
    for (std::uint64_t const size : {8192u, 64u, 2000u, 100'000u, 16u, 512u}) {
        SCOPED_TRACE(std::to_string(size) + " after " + std::to_string(size_before));
        if (!serves<TypeParam>(size)) continue;
        // As many as there is room for, and some: each refusal may look through the whole heap.
        std::uint64_t const block_bytes = tested.owner().ref().usable_bytes(size_before);
        block_set const set = tested.take(small_heap_bytes / block_bytes + 100, size_before);
        tested.give_back(set);
        tested.owner().trim();
        expect_sound(tested);
        expect_live_bytes(tested, 0);
        EXPECT_EQ(tested.owner().audit().free_bytes, tested.owner().heap_bytes());
        std::uint64_t const fit = tested.owner().heap_bytes() / tested.owner().ref().usable_bytes(size);
        block_set const other = tested.take(fit, size);
        std::uint64_t const found =
            other.served() + queue_bytes(tested) / tested.owner().ref().usable_bytes(size);
        EXPECT_LE(found, fit);
        EXPECT_GE(found + lost_to_gaps<TypeParam>(fit), fit) << "the whole heap, for another size";
        tested.fill(other);
        EXPECT_EQ(tested.wrong_words(other), 0u);
        tested.give_back(other);
        tested.owner().trim();
        size_before = size;
    }
}

TYPED_TEST(heap_trim, keeps_live_blocks_and_forgets_no_free_page) {
    for (std::uint64_t const keep_every : {2u, 100u, 3000u}) {
        SCOPED_TRACE(keep_every);
        heap<TypeParam> tested(small_heap_bytes);
        std::uint64_t const page_bytes = tested.owner().ref().usable_bytes(16);
        std::uint64_t const fit = tested.owner().heap_bytes() / page_bytes;
        block_set const all = tested.take(fit, 16);
        ASSERT_EQ(all.served() + queue_bytes(tested) / page_bytes, fit);
        tested.fill(all);
        auto const [kept, returned] = split(all, [&](std::size_t i) { return i % keep_every == 0; });
        tested.give_back(returned);
        tested.owner().trim();
        expect_sound(tested);
        expect_live_bytes(tested, kept.served() * page_bytes);
        tested.owner().trim(); // twice is once
        expect_sound(tested);
        block_set const again = tested.take(returned.at.size() + 100, 16);
        EXPECT_GE(again.served() + queue_bytes(tested) / page_bytes, returned.served());
        EXPECT_LE(again.served(), fit - kept.served());
        tested.fill(again);
        EXPECT_EQ(tested.wrong_words(kept), 0u);
        EXPECT_EQ(tested.wrong_words(again), 0u);
    }
}

TYPED_TEST(heap_growth, past_the_limit_it_throws_and_the_heap_is_as_it_was) {
    heap<TypeParam> tested(2u << 20, {.memory_limit_bytes = 24u << 20}, 256u << 20);
    std::uint64_t const block_bytes = tested.owner().ref().usable_bytes(64);
    block_set const before = tested.take((512u << 10) / block_bytes, 64);
    tested.fill(before);
    std::uint64_t const held = tested.owner().heap_bytes();
    try {
        tested.owner().grow_to(128u << 20);
        FAIL() << "128 MiB of heap within a limit of 24 MiB";
    } catch (exec::out_of_memory const& error) {
        EXPECT_GT(error.needed_bytes(), error.available_bytes());
        EXPECT_GT(error.available_bytes(), 0u);
    }
    EXPECT_EQ(tested.owner().heap_bytes(), held);
    EXPECT_LE(tested.space().budget().held_bytes(), 24u << 20);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    expect_sound(tested);
    expect_live_bytes(tested, tested.usable_bytes(before));
    EXPECT_EQ(tested.take(1000, 64).served(), 1000u);
    tested.owner().grow_to(4u << 20); // less can still be had
    EXPECT_EQ(tested.owner().heap_bytes(), 4u << 20);
    std::uint64_t const more = (1u << 20) / block_bytes;
    EXPECT_EQ(tested.take(more, 64).served(), more);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    expect_sound(tested);
}

TYPED_TEST(heap_growth, past_the_reservation_it_throws) {
    heap<TypeParam> tested(2u << 20, {}, 4u << 20);
    EXPECT_THROW(tested.owner().grow_to(256u << 20), exec::out_of_memory);
    EXPECT_EQ(tested.owner().heap_bytes(), 2u << 20);
    tested.owner().grow_to(4u << 20);
    EXPECT_EQ(tested.owner().heap_bytes(), 4u << 20);
    expect_sound(tested);
}

TYPED_TEST(heap_growth, to_sizes_that_wrap_throws_and_the_heap_is_as_it_was) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    heap<TypeParam> tested(2u << 20, {}, 4u << 20);
    block_set const before = tested.take(1000, 64);
    tested.fill(before);
    for (std::uint64_t const bytes : {most, most - 4095, most - (1u << 20), most / 2 + 2}) {
        SCOPED_TRACE(bytes);
        try {
            tested.owner().grow_to(bytes);
            ADD_FAILURE() << "no exception";
        } catch (exec::out_of_memory const& error) {
            EXPECT_GT(error.needed_bytes(), error.available_bytes()) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
        EXPECT_EQ(tested.owner().heap_bytes(), 2u << 20);
    }
    EXPECT_EQ(tested.wrong_words(before), 0u);
    expect_sound(tested);
    tested.owner().grow_to(4u << 20);
    EXPECT_EQ(tested.owner().heap_bytes(), 4u << 20);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    expect_sound(tested);
}

TYPED_TEST(heap_growth, from_sizes_that_wrap_throws_and_holds_nothing) {
    auto space = make_space<typename TypeParam::space>();
    constexpr std::uint64_t most = ~std::uint64_t{0};
    EXPECT_THROW(typename TypeParam::owner(space, {.heap_bytes = most}), exec::out_of_memory);
    EXPECT_THROW(typename TypeParam::owner(space, {.reserve_bytes = most}), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

TYPED_TEST(heap_growth, a_heap_that_cannot_be_had_throws_and_holds_nothing) {
    using space_type = typename TypeParam::space;
    // A GPU maps 2 MiB at a time: a heap and its tables take at least four of them.
    auto space = make_space<space_type>({.memory_limit_bytes = 16u << 20});
    EXPECT_THROW(typename TypeParam::owner(space, {.heap_bytes = 64u << 20}), exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
    {
        typename TypeParam::owner owner(space, {.heap_bytes = 2u << 20});
        typename TypeParam::owner moved(std::move(owner));
        EXPECT_EQ(moved.heap_bytes(), 2u << 20);
        EXPECT_EQ(moved.heap_bytes() + moved.table_bytes(), space.budget().held_bytes());
    }
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

/// Queues of a small heap that is used up have room for far fewer than its smallest pages: rings are
/// short, and there is no chunk for segments. Nearly all pages spill.
template <class Case>
class short_queues : public space_test {};
TYPED_TEST_SUITE(short_queues, ouroboros_cases, named_types);

TYPED_TEST(short_queues, spilled_pages_are_handed_out_again) {
    heap<TypeParam> tested(small_heap_bytes);
    std::uint64_t const pages = small_heap_bytes / 16;
    auto const for_queues = [&] { return queue_bytes(tested) / 16; }; // a segment or two, before it is full
    block_set const all = tested.take(pages, 16);
    ASSERT_EQ(all.served() + for_queues(), pages);
    tested.give_back(all);
    alloc::audit_result const audit = tested.owner().audit();
    EXPECT_EQ(audit.free_bytes + audit.overhead_bytes, small_heap_bytes)
        << "what the queues have no room for is not lost";
    for (int round = 0; round < 3; ++round) {
        block_set const part = tested.take(pages / 2, 16);
        EXPECT_EQ(part.served(), pages / 2);
        block_set const rest = tested.take(pages / 2 + 64, 16);
        EXPECT_EQ(rest.served() + for_queues(), pages / 2);
        expect_live_bytes(tested, (part.served() + rest.served()) * 16);
        tested.give_back(part);
        tested.give_back(rest);
        expect_sound(tested);
        expect_live_bytes(tested, 0);
    }
}

TYPED_TEST(short_queues, growth_takes_spilled_pages_in) {
    heap<TypeParam> tested(small_heap_bytes);
    std::uint64_t const words = tested.owner().queue_words();
    block_set const all = tested.take(small_heap_bytes / 16, 16);
    tested.fill(all);
    auto const [kept, returned] = split(all, [](std::size_t i) { return i % 2 == 0; });
    tested.give_back(returned);
    tested.owner().grow_to(64u << 20);
    bool const queues_chunks = TypeParam::name().find("ouroboros_chunk") == 0;
    if (words != 0) {
        EXPECT_GT(tested.owner().queue_words(), words);
        if (!queues_chunks) {
            EXPECT_LT(tested.owner().audit().marked_bytes, returned.served() * 16 * 9 / 10);
        }
    }
    expect_sound(tested);
    expect_live_bytes(tested, kept.served() * 16);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    block_set const again = tested.take(returned.at.size(), 16);
    EXPECT_EQ(again.served(), returned.at.size());
    expect_live_bytes(tested, (kept.served() + again.served()) * 16);
}

TYPED_TEST(short_queues, marked_pages_go_into_queues_on_request) {
    heap<TypeParam> tested(small_heap_bytes);
    block_set const all = tested.take(small_heap_bytes / 16, 16);
    tested.fill(all);
    auto const [kept, returned] = split(all, [](std::size_t i) { return i % 2 == 0; });
    tested.give_back(returned);
    tested.owner().grow_to(64u << 20);
    tested.owner().trim();
    EXPECT_EQ(tested.owner().audit().marked_bytes, returned.served() * 16);
    EXPECT_EQ(queue_bytes(tested), 0u) << "a trim takes no chunk for queues";
    EXPECT_TRUE(tested.owner().requeue());
    expect_sound(tested);
    expect_live_bytes(tested, kept.served() * 16);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    alloc::audit_result const audit = tested.owner().audit();
    bool const queues_chunks = TypeParam::name().find("ouroboros_chunk") == 0;
    if (!queues_chunks) {
        EXPECT_LT(audit.marked_bytes, returned.served() * 16 * 9 / 10) << "the queues took none of them";
    }
    // A segment holds 1024 entries; each of 32 shards may have one that is not full.
    EXPECT_LE(audit.overhead_bytes, returned.served() * 8 + (32u << 13));
    block_set const again = tested.take(returned.at.size(), 16);
    EXPECT_EQ(again.served(), returned.at.size());
    tested.give_back(again);
    tested.give_back(kept);
    EXPECT_TRUE(tested.owner().requeue());
    expect_sound(tested);
    expect_whole(tested);
}

} // namespace
} // namespace rhizome::tests
