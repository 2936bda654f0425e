// SPDX-License-Identifier: Apache-2.0
// coalescing: what it promises beyond the conformance suite. Blocks of neighbours lie side by side, every
// variant over every kind of backing gives back all that it took, and alignments are those that were asked
// for.
#include "blocks.hpp"
#include "expectations.hpp"

#include <rhizome/alloc/block_storage.hpp>
#include <rhizome/alloc/decorators/checked.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Allocator>
struct watched_segments {
    static std::string name_of() { return "checked_" + Allocator::name_of(); }
    template <class Space>
    using owner = alloc::checked<typename Allocator::template owner<Space>>;
};

/// Every thread makes one request by the call that the variant is named after, with the same size.
template <class Ref>
struct take_uniform {
    Ref ref;
    std::uint64_t bytes;
    bool whole_blocks; ///< else warps
    void** blocks;

    using shared = alloc::block_storage_of<Ref>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const allocator = alloc::in_block(ref, thread, thread.block().storage());
        blocks[thread.rank()] = whole_blocks ? allocator.allocate_in_block(thread, bytes)
                                             : allocator.allocate_in_warp(thread, bytes);
    }
};

/// The blocks of one launch of so many threads.
template <class Case>
[[nodiscard]] block_set take_all(heap<Case>& tested, exec::launch_shape shape, std::uint64_t bytes,
                                 bool whole_blocks) {
    using space_type = typename Case::space;
    if constexpr (exec::threads_take_runs<space_type>) shape = {shape.blocks * shape.block_threads, 1};
    std::uint64_t const threads = std::uint64_t{shape.blocks} * shape.block_threads;
    exec::buffer<space_type, void*> blocks(tested.space(), threads);
    launch(tested.space(), shape,
           take_uniform<typename Case::owner::ref_type>{tested.owner().ref(), bytes, whole_blocks,
                                                        blocks.data()});
    block_set set{std::vector<std::uint64_t>(threads, bytes), blocks.to_host(), {}};
    for (std::uint64_t i = 0; i < threads; ++i)
        set.owners.push_back(i + bytes * 1000);
    return set;
}

/// The same with a size for each thread.
template <class Ref>
struct take_various {
    Ref ref;
    std::uint64_t const* bytes;
    bool whole_blocks;
    void** blocks;

    using shared = alloc::block_storage_of<Ref>;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        take_uniform<Ref>{ref, bytes[thread.rank()], whole_blocks, blocks}(thread);
    }
};

template <class Case>
class coalescing_heap : public space_test {};
using coalescing_block_header =
    coalescing_variant<alloc::block_wide, alloc::by_header, catalogued::random_walk_malloc>;
using coalescing_block_table = coalescing_variant<alloc::block_wide, alloc::by_table, ouroboros_default>;
using coalescing_block_dense =
    coalescing_variant<alloc::block_wide, alloc::by_dense_table, ouroboros_default>;
using coalescing_warp_header = coalescing_variant<alloc::warp_wide, alloc::by_header, ouroboros_default>;
using coalescing_list = type_list<coalescing_block_header, coalescing_block_table, coalescing_block_dense,
                                  coalescing_warp_header, catalogued::coalescing_warp_table>;
using coalescing_cases = cross_types<allocator_on, coalescing_list, space_list>;
TYPED_TEST_SUITE(coalescing_heap, coalescing_cases, named_types);

TYPED_TEST(coalescing_heap, blocks_of_neighbours_lie_side_by_side) {
    using ref_type = typename TypeParam::owner::ref_type;
    using kept = typename ref_type::bookkeeping;
    constexpr bool dense = std::is_same_v<kept, alloc::by_dense_table>;
    constexpr bool in_blocks = std::is_same_v<typename ref_type::scope, alloc::block_wide>;
    constexpr bool alone = exec::threads_take_runs<typename TypeParam::space>; // on the host
    heap<TypeParam> tested(4u << 20);
    for (std::uint64_t const bytes : {4u, 48u, 100u, 128u, 1600u}) {
        SCOPED_TRACE(bytes);
        constexpr std::uint32_t block_threads = 128;
        block_set const set = take_all(tested, {3, block_threads}, bytes, in_blocks);
        EXPECT_EQ(set.served(), set.at.size());
        tested.fill(set);
        expect_sound(tested);
        expect_apart(tested, set);
        EXPECT_EQ(tested.wrong_words(set), 0u);
        std::uint64_t stride = tested.owner().ref().usable_bytes(bytes) + (alloc::keeps_table<kept> ? 0 : 16);
        if (!dense && stride >= 128 && stride % 32 == 0) stride += 16; // so that lanes use different banks
        std::uint64_t const together = in_blocks ? block_threads : 32;
        for (std::uint64_t i = 0; !alone && i < set.at.size(); ++i)
            if (i % together != 0) {
                EXPECT_EQ(static_cast<std::byte*>(set.at[i]) - static_cast<std::byte*>(set.at[i - 1]),
                          static_cast<std::ptrdiff_t>(stride))
                    << i;
            }
        // Half of each superblock goes back, which frees nothing; then the rest, which frees all.
        auto const [first, rest] = split(set, [](std::size_t i) { return i % 2 == 0; });
        std::uint64_t const live = tested.owner().audit().live_bytes;
        tested.give_back(first);
        expect_sound(tested);
        if (!alone) {
            EXPECT_EQ(tested.owner().audit().live_bytes, live);
        }
        EXPECT_EQ(tested.wrong_words(rest), 0u);
        tested.give_back(rest);
        expect_sound(tested);
        expect_live_bytes(tested, 0);
    }
}

TYPED_TEST(coalescing_heap, serves_threads_that_ask_for_different_sizes) {
    using space_type = typename TypeParam::space;
    constexpr bool in_blocks = std::is_same_v<typename TypeParam::owner::ref_type::scope, alloc::block_wide>;
    heap<TypeParam> tested(4u << 20);
    // The last warp is not full.
    exec::launch_shape const shape =
        exec::threads_take_runs<space_type> ? exec::launch_shape{300, 1} : exec::launch_shape{3, 100};
    std::uint64_t const threads = std::uint64_t{shape.blocks} * shape.block_threads;
    for (bool const some_ask_for_more : {true, false}) {
        SCOPED_TRACE(some_ask_for_more);
        block_set set;
        for (std::uint64_t i = 0; i < threads; ++i) {
            bool const first = i % 100 % 32 == 0; // of a block or of a warp
            set.bytes.push_back(first ? (some_ask_for_more ? 40 : 300) : 40 + i * 7 % 200);
            set.owners.push_back(i);
        }
        exec::buffer<space_type, std::uint64_t> const bytes(tested.space(), set.bytes);
        exec::buffer<space_type, void*> blocks(tested.space(), threads);
        launch(tested.space(), shape,
               take_various<typename TypeParam::owner::ref_type>{tested.owner().ref(), bytes.data(),
                                                                 in_blocks, blocks.data()});
        set.at = blocks.to_host();
        EXPECT_EQ(set.served(), threads);
        tested.fill(set);
        expect_sound(tested);
        expect_apart(tested, set);
        EXPECT_EQ(tested.wrong_words(set), 0u);
        tested.give_back(set);
        expect_sound(tested);
        expect_live_bytes(tested, 0);
    }
}

TYPED_TEST(coalescing_heap, is_used_up_and_recovers) {
    constexpr bool in_blocks = std::is_same_v<typename TypeParam::owner::ref_type::scope, alloc::block_wide>;
    heap<TypeParam> tested(small_heap_bytes);
    std::uint64_t const bytes = 496;
    std::uint64_t served = 0;
    for (int round = 0; round < 3; ++round) {
        std::vector<block_set> held;
        do
            held.push_back(take_all(tested, {4, 64}, bytes, in_blocks));
        while (held.back().served() == held.back().at.size());
        std::uint64_t sum = 0;
        for (block_set const& set : held) {
            tested.fill(set);
            sum += set.served();
        }
        expect_sound(tested);
        // Superblocks of a warp have 528 bytes per thread and take pages of 20 KiB, of which three fit a
        // chunk of 64 KiB; at the end each thread takes what it gets alone.
        EXPECT_GE(sum, tested.owner().heap_bytes() / 528 * 5 / 8) << "round " << round;
        if (round > 0) {
            EXPECT_GE(sum, served * 9 / 10);
        }
        served = sum;
        for (block_set const& set : held) {
            EXPECT_EQ(tested.take(1, TypeParam::traits::largest_bytes + 1).served(), 0u);
            tested.give_back(set);
        }
        expect_sound(tested);
        expect_live_bytes(tested, 0);
        if (round == 1) tested.owner().trim();
    }
}

TYPED_TEST(coalescing_heap, keeps_its_blocks_when_it_grows_and_is_trimmed) {
    constexpr bool in_blocks = std::is_same_v<typename TypeParam::owner::ref_type::scope, alloc::block_wide>;
    heap<TypeParam> tested(1u << 20, {}, 64u << 20);
    block_set const before = take_all(tested, {4, 64}, 200, in_blocks);
    ASSERT_EQ(before.served(), before.at.size());
    tested.fill(before);
    tested.owner().grow_to(16u << 20);
    EXPECT_GE(tested.owner().heap_bytes(), 16u << 20);
    tested.owner().trim();
    expect_sound(tested);
    block_set const after = take_all(tested, {64, 64}, 1000, in_blocks);
    EXPECT_EQ(after.served(), after.at.size());
    tested.fill(after);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    EXPECT_EQ(tested.wrong_words(after), 0u);
    for (std::uint64_t const bytes : {std::uint64_t{1} << 46, ~std::uint64_t{0}})
        EXPECT_THROW(tested.owner().grow_to(bytes), exec::out_of_memory) << bytes;
    expect_sound(tested);
    EXPECT_EQ(tested.wrong_words(before), 0u);
    tested.give_back(before);
    tested.give_back(after);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

// ---- Over malloc: no heap of its own, so windows share the slots of the table ----

template <class Space>
class coalescing_over_malloc : public space_test {};
TYPED_TEST_SUITE(coalescing_over_malloc, all_spaces, space_names);

TYPED_TEST(coalescing_over_malloc, a_table_for_a_size_that_wraps_is_refused) {
    using owner = typename coalescing_variant<alloc::warp_wide, alloc::by_table,
                                              catalogued::device_malloc>::template owner<TypeParam>;
    // With a limit, the budget refuses: AddressSanitizer ends a program that requests so much from the host.
    auto space = make_space<TypeParam>({.memory_limit_bytes = std::uint64_t{1} << 36});
    EXPECT_THROW(owner(space, {.heap_bytes = ~std::uint64_t{0}}), exec::out_of_memory);
}

/// More superblocks than the table has slots for.
template <class Scope, class Space>
void fill_the_table() {
    using table_case =
        allocator_on<coalescing_variant<Scope, alloc::by_table, catalogued::device_malloc>, Space>;
    constexpr bool in_blocks = std::is_same_v<Scope, alloc::block_wide>;
    heap<table_case> tested(64u << 10); // 1024 slots: 1 MiB of windows
    std::vector<block_set> held;
    for (int round = 0; round < 4; ++round) {
        held.push_back(take_all(tested, {16, 64}, 1000 + static_cast<std::uint64_t>(round), in_blocks));
        EXPECT_EQ(held.back().served(), held.back().at.size()) << "a full table refuses nothing";
        tested.fill(held.back());
    }
    expect_sound(tested);
    EXPECT_GT(tested.owner().superblocks_without_slots(), 0u) << "the table was too large for this test";
    for (block_set const& set : held)
        EXPECT_EQ(tested.wrong_words(set), 0u);
    auto const [first, rest] = split(held[0], [](std::size_t i) { return i < 512; });
    tested.give_back(first);
    for (int round = 1; round < 4; ++round)
        tested.give_back(held[static_cast<std::size_t>(round)]);
    std::uint64_t const without = tested.owner().superblocks_without_slots();
    tested.owner().trim();
    expect_sound(tested);
    EXPECT_EQ(tested.wrong_words(rest), 0u);
    block_set const small = take_all(tested, {1, 64}, 64, in_blocks);
    EXPECT_EQ(small.served(), small.at.size());
    EXPECT_EQ(tested.owner().superblocks_without_slots(), without) << "trim() makes slots free";
    expect_sound(tested);
    tested.give_back(small);
    tested.give_back(rest);
    expect_sound(tested);
}

TYPED_TEST(coalescing_over_malloc, blocks_have_headers_once_the_table_is_full_of_superblocks_of_warps) {
    fill_the_table<alloc::warp_wide, TypeParam>();
}
TYPED_TEST(coalescing_over_malloc, blocks_have_headers_once_the_table_is_full_of_superblocks_of_blocks) {
    fill_the_table<alloc::block_wide, TypeParam>();
}

// ---- Alignments ----

template <class Ref>
struct take_aligned {
    Ref ref;
    std::uint64_t const* bytes;
    std::uint32_t const* alignments;
    void** blocks;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto* const block = static_cast<unsigned char*>(ref.allocate(thread, bytes[i], alignments[i]));
            blocks[i] = block;
            if (block == nullptr) return;
            for (std::uint64_t at = 0; at < bytes[i]; ++at)
                block[at] = static_cast<unsigned char>(i * 31 + at);
        });
    }
};
template <class Ref>
struct return_aligned {
    Ref ref;
    std::uint64_t const* bytes;
    void* const* blocks;
    std::uint64_t count;
    std::uint64_t* wrong;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            std::uint64_t const turned = i * 7 % count; // prime to 7: another order
            auto const* const block = static_cast<unsigned char const*>(blocks[turned]);
            if (block == nullptr) return;
            std::uint64_t differing = 0;
            for (std::uint64_t at = 0; at < bytes[turned]; ++at)
                differing += block[at] != static_cast<unsigned char>(turned * 31 + at) ? 1 : 0;
            if (differing != 0) thread.device(*wrong).fetch_add(differing, exec::order::relaxed);
            ref.deallocate(thread, blocks[turned]);
        });
    }
};

template <class Space>
class coalescing_alignment : public space_test {
protected:
    using test_case = allocator_on<catalogued::coalescing_dynamic, Space>;

    /// Takes and gives back blocks of these sizes and alignments; returns their addresses.
    [[nodiscard]] static std::vector<std::uintptr_t> run(std::vector<std::uint64_t> const& sizes,
                                                         std::vector<std::uint32_t> const& alignments) {
        heap<test_case> tested(8u << 20);
        using ref_type = typename test_case::owner::ref_type;
        std::uint64_t const count = sizes.size();
        exec::buffer<Space, std::uint64_t> const bytes(tested.space(), sizes);
        exec::buffer<Space, std::uint32_t> const wanted(tested.space(), alignments);
        exec::buffer<Space, void*> blocks(tested.space(), count);
        exec::buffer<Space, std::uint64_t> wrong(tested.space(), 1);
        wrong.fill_bytes(0);
        launch(
            tested.space(), cover_threads(tested.space(), count),
            take_aligned<ref_type>{tested.owner().ref(), bytes.data(), wanted.data(), blocks.data(), count});
        std::vector<void*> const at = blocks.to_host();
        expect_sound(tested);
        launch(
            tested.space(), cover_threads(tested.space(), count),
            return_aligned<ref_type>{tested.owner().ref(), bytes.data(), blocks.data(), count, wrong.data()});
        EXPECT_EQ(wrong.to_host()[0], 0u);
        expect_sound(tested);
        expect_live_bytes(tested, 0);
        std::vector<std::uintptr_t> addresses;
        for (void* const block : at)
            addresses.push_back(reinterpret_cast<std::uintptr_t>(block));
        return addresses;
    }
};
TYPED_TEST_SUITE(coalescing_alignment, all_spaces, space_names);

TYPED_TEST(coalescing_alignment, tells_the_width_of_the_header) {
    for (std::uint32_t const alignment : {1u, 2u, 4u, 8u, 16u}) {
        std::uint32_t const header = alignment <= 2 ? 2 : std::min(alignment, 8u);
        for (std::uint64_t const at :
             this->run(std::vector<std::uint64_t>(500, 6), std::vector<std::uint32_t>(500, alignment))) {
            ASSERT_NE(at, 0u);
            ASSERT_EQ(at % alignment, 0u);
            ASSERT_EQ(header == 8 ? at % 8 : at % (2 * header), header == 8 ? 0u : header) << alignment;
        }
    }
}
TYPED_TEST(coalescing_alignment, may_differ_from_lane_to_lane) {
    std::vector<std::uint64_t> sizes;
    std::vector<std::uint32_t> alignments;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        // Now and then too large a distance for a header of 2 bytes.
        sizes.push_back(i % 97 == 0 ? 20'000 : 1 + i * 13 % 50);
        alignments.push_back(1u << i * 7 % 5);
    }
    std::vector<std::uintptr_t> const at = this->run(sizes, alignments);
    for (std::size_t i = 0; i < at.size(); ++i) {
        ASSERT_NE(at[i], 0u);
        ASSERT_EQ(at[i] % alignments[i], 0u);
    }
}
TYPED_TEST(coalescing_alignment, that_is_none_is_refused) {
    std::vector<std::uint32_t> const none = {0, 3, 5, 6, 12, 17, 24, 32, 64, ~0u};
    for (std::uintptr_t const at : this->run(std::vector<std::uint64_t>(none.size(), 8), none))
        EXPECT_EQ(at, 0u);
}

// ---- checked ----

template <class Space>
class checked_coalescing : public space_test {};
TYPED_TEST_SUITE(checked_coalescing, all_spaces, space_names);

TYPED_TEST(checked_coalescing, notices_double_and_foreign_frees_of_blocks_side_by_side) {
    using test_case = allocator_on<watched_segments<catalogued::coalescing_warp_table>, TypeParam>;
    heap<test_case> tested(2u << 20);
    block_set const set = take_all(tested, {2, 64}, 40, false);
    ASSERT_EQ(set.served(), set.at.size());
    tested.fill(set);
    expect_sound(tested);
    auto const give_back = [&](void* pointer) { tested.give_back({{40}, {pointer}, {}}); };
    give_back(set.at[5]);
    EXPECT_TRUE(tested.owner().audit().violations.empty());
    give_back(set.at[5]); // freed twice, while its superblock lives
    ASSERT_EQ(tested.owner().audit().violations.size(), 1u);
    EXPECT_NE(tested.owner().audit().violations[0].find("1 blocks freed twice"), std::string::npos);
    give_back(static_cast<std::byte*>(set.at[6]) + 16); // within a block
    ASSERT_EQ(tested.owner().audit().violations.size(), 2u);
    EXPECT_NE(tested.owner().audit().violations[1].find("1 pointers freed that were never handed out"),
              std::string::npos);
    EXPECT_TRUE(tested.owner().base().audit().violations.empty());
    auto const [first, rest] = split(set, [](std::size_t i) { return i == 5; });
    EXPECT_EQ(tested.wrong_words(rest), 0u);
    tested.give_back(rest);
    EXPECT_EQ(tested.owner().base().audit().live_bytes, 0u) << "neither misuse reached the superblock";
}

} // namespace
} // namespace rhizome::tests
