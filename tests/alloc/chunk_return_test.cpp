// SPDX-License-Identifier: Apache-2.0
// Chunk-based queues: a chunk whose pages are all free serves other sizes while kernels run, without trim().
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

/// Small and large pages in chunks of different sizes; the largest from an instance that keeps its chunks.
struct chunks_of_several_instances {
    template <class Space>
    using owner =
        alloc::combined_ouroboros<Space,
                                  alloc::instance<alloc::chunk_based, alloc::virtual_linked_queue,
                                                  alloc::power_of_two_classes<16, 512>, 8192>,
                                  alloc::instance<alloc::chunk_based, alloc::array_queue,
                                                  alloc::power_of_two_classes<1024, 16384>, 16384>,
                                  alloc::instance<alloc::page_based, alloc::array_queue,
                                                  alloc::power_of_two_classes<32768, 32768>, 32768>>;
};

template <class Case>
class chunk_return : public space_test {};
using chunk_return_cases =
    cross_types<allocator_on,
                type_list<catalogued::ouroboros_chunk_array, catalogued::ouroboros_chunk_virtual_array,
                          catalogued::ouroboros_chunk_virtual_linked>,
                space_list>;
TYPED_TEST_SUITE(chunk_return, chunk_return_cases, named_types);

constexpr std::uint64_t page_bytes_of_return = 4096;

/// How many blocks of that size a heap has that is free but for its queues.
template <class Case>
[[nodiscard]] std::uint64_t blocks_of_free_heap(heap<Case>& tested, std::uint64_t bytes) {
    return (tested.owner().heap_bytes() - queue_bytes(tested)) / bytes;
}

TYPED_TEST(chunk_return, serves_large_pages_after_small_ones) {
    heap<TypeParam> tested(small_heap_bytes);
    for (int round = 0; round < 2; ++round) {
        block_set const small = tested.take(small_heap_bytes / 16, 16);
        EXPECT_GE(small.served(), most_of(small_heap_bytes / 16) / 2);
        tested.give_back(small);
        expect_sound(tested);
        std::uint64_t const there = blocks_of_free_heap(tested, page_bytes_of_return);
        block_set const large = tested.take(there, page_bytes_of_return);
        EXPECT_GE(large.served(), most_of(there));
        expect_apart(tested, large);
        tested.fill(large);
        EXPECT_EQ(tested.wrong_words(large), 0u);
        expect_sound(tested);
        tested.give_back(large);
        expect_sound(tested);
    }
    expect_live_bytes(tested, 0);
    tested.owner().trim();
    expect_whole(tested);
}

TYPED_TEST(chunk_return, serves_sizes_in_any_order) {
    heap<TypeParam> tested(small_heap_bytes);
    for (std::uint64_t const bytes : {64u, 8192u, 256u, 48u, 2048u, 16u, 1024u}) {
        // Half of the heap: queues of several classes may have segments.
        std::uint64_t const there = small_heap_bytes / 2 / bytes;
        block_set const set = tested.take(there, bytes);
        EXPECT_EQ(set.served(), there) << bytes;
        tested.fill(set);
        EXPECT_EQ(tested.wrong_words(set), 0u);
        block_set const rest = tested.take(2 * there, bytes); // refused at last
        tested.give_back(set);
        tested.give_back(rest);
        expect_sound(tested);
    }
    expect_live_bytes(tested, 0);
    tested.owner().trim();
    expect_whole(tested);
}

TYPED_TEST(chunk_return, serves_extents) {
    heap<TypeParam> tested(small_heap_bytes);
    block_set const small = tested.take(small_heap_bytes / 64, 64);
    tested.give_back(small);
    block_set const extent = tested.take(4, small_heap_bytes / 16);
    EXPECT_EQ(extent.served(), 4u);
    tested.fill(extent);
    EXPECT_EQ(tested.wrong_words(extent), 0u);
    tested.give_back(extent);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

TYPED_TEST(chunk_return, leaves_chunks_that_have_a_live_page) {
    heap<TypeParam> tested(small_heap_bytes);
    block_set const small = tested.take(small_heap_bytes / 64, 64);
    // One page of each chunk or more stays; each eighth chunk is emptied.
    std::uintptr_t base = ~std::uintptr_t{0};
    for (void* const block : small.at)
        if (block != nullptr) base = std::min(base, reinterpret_cast<std::uintptr_t>(block));
    auto const [returned, kept] = split(small, [&](std::size_t i) {
        std::uint64_t const offset = reinterpret_cast<std::uintptr_t>(small.at[i]) - base;
        return offset / 8192 % 8 == 0 || offset % 8192 != 0;
    });
    tested.fill(kept);
    tested.give_back(returned);
    block_set const large = tested.take(small_heap_bytes / 8192, 8192);
    EXPECT_GE(large.served(), small_heap_bytes / 8192 / 16);
    tested.fill(large);
    EXPECT_EQ(tested.wrong_words(kept), 0u);
    EXPECT_EQ(tested.wrong_words(large), 0u);
    expect_sound(tested);
    tested.give_back(large);
    tested.give_back(kept);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

/// One thread takes pages of one size after the other, until it is refused, and gives back all of them.
template <class Ref>
struct take_all_of_each_size {
    Ref ref;
    std::uint64_t const* bytes;
    std::uint64_t* served; ///< of each size
    std::uint64_t sizes;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        for (std::uint64_t i = 0; i < sizes; ++i) {
            void* last = nullptr; // each block holds the one before
            while (void* const block = ref.allocate(thread, bytes[i])) {
                *static_cast<void**>(block) = last;
                last = block;
                ++served[i];
            }
            while (last != nullptr) {
                void* const before = *static_cast<void**>(last);
                ref.deallocate(thread, last);
                last = before;
            }
        }
    }
};

template <class Case>
void expect_each_size_in_one_kernel(std::vector<std::uint64_t> const& bytes) {
    heap<Case> tested(small_heap_bytes / 4);
    exec::buffer<typename Case::space, std::uint64_t> const sizes(tested.space(), bytes);
    exec::buffer<typename Case::space, std::uint64_t> served(tested.space(), bytes.size());
    served.fill_bytes(0);
    using ref_type = typename heap<Case>::ref_type;
    launch(tested.space(), {1, 1},
           take_all_of_each_size<ref_type>{tested.owner().ref(), sizes.data(), served.data(), bytes.size()});
    std::vector<std::uint64_t> const found = served.to_host();
    for (std::size_t i = 0; i < bytes.size(); ++i)
        EXPECT_GE(found[i], most_of(blocks_of_free_heap(tested, bytes[i]))) << i << ": " << bytes[i];
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}
TYPED_TEST(chunk_return, serves_each_size_in_one_kernel) {
    expect_each_size_in_one_kernel<TypeParam>({16, 4096, 32, 8192, 512, 16, 4096});
}

template <class Space>
class chunk_return_between_instances : public space_test {};
TYPED_TEST_SUITE(chunk_return_between_instances, all_spaces, space_names);

TYPED_TEST(chunk_return_between_instances, serves_each_size_in_one_kernel) {
    // 65536 is an extent. Chunks of 32768 stay with their instance, so they come last.
    expect_each_size_in_one_kernel<allocator_on<chunks_of_several_instances, TypeParam>>(
        {16, 4096, 512, 16384, 65536, 32, 8192, 1024, 32768});
}
TYPED_TEST(chunk_return_between_instances, finds_chunks_after_an_instance_has_found_none_of_its_own) {
    using tested_case = allocator_on<chunks_of_several_instances, TypeParam>;
    heap<tested_case> tested(small_heap_bytes);
    block_set const small = tested.take(small_heap_bytes / 64, 64);
    tested.give_back(small);
    // Refused at last: each refusal has searched all instances.
    block_set const large = tested.take(small_heap_bytes / 8192, 16384);
    EXPECT_GE(large.served(), most_of(blocks_of_free_heap(tested, 16384)));
    tested.fill(large);
    tested.give_back(large);
    block_set const again = tested.take(small_heap_bytes / 512, 512);
    EXPECT_GE(again.served(), most_of(blocks_of_free_heap(tested, 512)));
    tested.fill(again);
    EXPECT_EQ(tested.wrong_words(again), 0u);
    tested.give_back(again);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
    tested.owner().trim();
    expect_whole(tested);
}

} // namespace
} // namespace rhizome::tests
