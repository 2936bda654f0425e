// SPDX-License-Identifier: Apache-2.0
// Pages and room ahead of requests, beside whatever else goes on.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

namespace rhizome::tests {
namespace {

template <class Case>
class restock : public space_test {
protected:
    using space_type = typename Case::space;
    static constexpr bool works = is_gpu<space_type> || space_type::name == std::string_view("simt");

    static constexpr bool has_virtual_queues =
        Case::owner::ref_type::template instance_at<0>::queue_policy::is_virtual;

    [[nodiscard]] static std::uint64_t free_chunks(heap<Case>& tested) {
        (void)tested.owner().audit(); // awaits restocking
        std::uint64_t chunks = 0;
        tested.space().copy_out(&chunks, tested.owner().free_chunks(), sizeof(chunks));
        return chunks;
    }
};
using restock_cases = cross_types<
    allocator_on,
    type_list<catalogued::ouroboros_page_array, ouroboros_default, catalogued::ouroboros_page_virtual_linked>,
    space_list>;
TYPED_TEST_SUITE(restock, restock_cases, named_types);

constexpr std::uint64_t roomy_bytes = 16u << 20; // four shards a class
constexpr std::uint64_t block_bytes = 128;
constexpr std::uint64_t all_there_are = 1'000'000;

TYPED_TEST(restock, brings_pages_that_requests_need_no_chunk_for) {
    heap<TypeParam> tested(roomy_bytes);
    block_set const first = tested.take(512, block_bytes);
    std::uint64_t const before = this->free_chunks(tested);
    tested.owner().restock(all_there_are);
    expect_sound(tested);
    expect_live_bytes(tested, 512 * block_bytes);
    std::uint64_t const after = this->free_chunks(tested);
    if (!this->works) { // a host's threads wait for nothing
        EXPECT_EQ(after, before);
        return;
    }
    EXPECT_LE(after + 16, before) << "four chunks for each of four shards";
    block_set const second = tested.take(512, block_bytes);
    EXPECT_EQ(second.served(), 512u);
    EXPECT_EQ(this->free_chunks(tested), after);
    tested.fill(first);
    tested.fill(second);
    EXPECT_EQ(tested.wrong_words(first), 0u);
    EXPECT_EQ(tested.wrong_words(second), 0u);
    tested.give_back(first);
    tested.give_back(second);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

/// One warp requests a block for each lane.
template <class Ref>
struct take_for_warp {
    Ref ref;
    std::uint64_t bytes;
    void** blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() < 32) blocks[thread.rank()] = ref.allocate(thread, bytes);
    }
};
/// The next one frees them.
template <class Ref>
struct give_back_from_another {
    Ref ref;
    void** blocks;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() < 32) return;
        void* const block = blocks[thread.rank() - 32];
        if (block != nullptr) ref.deallocate(thread, block);
    }
};

TYPED_TEST(restock, takes_no_chunks_while_pages_lie_in_shards_of_other_warps) {
    using ref_type = typename TypeParam::owner::ref_type;
    if (!this->works) return; // a host's threads have no warps
    heap<TypeParam> tested(roomy_bytes);
    exec::buffer<typename TypeParam::space, void*> blocks(tested.space(), 32);
    for (std::uint64_t const bytes : {4096u, 8192u}) {
        std::uint64_t const before = this->free_chunks(tested);
        for (int round = 0; round < 150; ++round) { // more than the heap holds
            ref_type const ref = tested.owner().ref();
            launch(tested.space(), exec::launch_shape{1, 64},
                   take_for_warp<ref_type>{ref, bytes, blocks.data()});
            launch(tested.space(), exec::launch_shape{1, 64},
                   give_back_from_another<ref_type>{ref, blocks.data()});
        }
        expect_live_bytes(tested, 0);
        EXPECT_LE(before, this->free_chunks(tested) + 512) << bytes << ": of 2048";
    }
    expect_sound(tested);
}

TYPED_TEST(restock, leaves_chunks_to_warps_that_use_them_up) {
    heap<TypeParam> tested(roomy_bytes);
    std::uint64_t const bytes = 4 * block_bytes;
    tested.give_back(tested.take(128, bytes)); // shards know the class
    block_set const blocks = tested.take(128, bytes);
    std::uint64_t const before = this->free_chunks(tested);
    tested.owner().restock(all_there_are);
    EXPECT_EQ(this->free_chunks(tested), before);
    tested.give_back(blocks);
    expect_sound(tested);
}

TYPED_TEST(restock, makes_room_for_what_comes_back) {
    heap<TypeParam> tested(roomy_bytes);
    block_set const blocks = tested.take(512, block_bytes);
    std::uint64_t const before = tested.owner().audit().overhead_bytes;
    tested.owner().restock(all_there_are);
    bool const takes_chunks = this->works && TestFixture::has_virtual_queues;
    std::uint64_t const after = tested.owner().audit().overhead_bytes;
    EXPECT_EQ(after > before, takes_chunks);
    tested.give_back(blocks);
    if (this->works) { // elsewhere threads add segments, and mark pages where the one that adds is slow
        EXPECT_EQ(tested.owner().audit().overhead_bytes, after) << "no thread had to add a segment";
        EXPECT_EQ(tested.owner().audit().marked_bytes, 0u);
    }
    expect_sound(tested);
}

TYPED_TEST(restock, leaves_a_small_heap_its_chunks) {
    heap<TypeParam> tested(1u << 20); // 128 chunks
    block_set const blocks = tested.take(64, block_bytes);
    std::uint64_t const before = this->free_chunks(tested);
    tested.owner().restock(all_there_are);
    EXPECT_EQ(this->free_chunks(tested), before);
    tested.give_back(blocks);
    expect_sound(tested);
}

TYPED_TEST(restock, does_nothing_for_sizes_that_nobody_asked_for) {
    heap<TypeParam> tested(roomy_bytes);
    tested.owner().restock(all_there_are);
    EXPECT_EQ(this->free_chunks(tested), roomy_bytes / 8192);
    expect_sound(tested);
}

TYPED_TEST(restock, goes_on_beside_requests_and_before_growth) {
    heap<TypeParam> tested(roomy_bytes / 2, {}, 4 * roomy_bytes);
    std::uint64_t const blocks = is_gpu<typename TypeParam::space> ? 20'000 : 700;
    for (int round = 0; round < 12; ++round) {
        block_set const small = tested.take(blocks, 48);
        tested.owner().restock(all_there_are);
        block_set const large = tested.take(blocks, block_bytes);
        EXPECT_EQ(small.served() + large.served(), 2 * blocks);
        tested.fill(small);
        tested.fill(large);
        tested.owner().restock(blocks);
        EXPECT_EQ(tested.wrong_words(small), 0u);
        EXPECT_EQ(tested.wrong_words(large), 0u);
        tested.give_back(small);
        tested.owner().restock(all_there_are);
        tested.give_back(large);
        if (round == 4) tested.owner().grow_to(roomy_bytes);
        if (round == 6) tested.owner().trim();
        if (round == 8) static_cast<void>(tested.owner().requeue());
    }
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

/// Every second warp restocks while the others take, use and give back.
template <class Ref>
struct restock_beside_use {
    Ref ref;
    std::uint64_t* wrong;
    std::uint64_t* refused;
    std::uint32_t turns;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t errors = 0;
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            if (warp.index() % 2 == 0) {
                for (std::uint32_t number = 0; number < ref.restock_groups(); ++number)
                    ref.restock(thread, warp, number, all_there_are);
                continue;
            }
            std::uint64_t const bytes = 64u << turn % 3;
            auto* const block = static_cast<std::uint64_t*>(ref.allocate(thread, bytes));
            if (block == nullptr) {
                thread.device(*refused).fetch_add(std::uint64_t{1}, exec::order::relaxed);
                continue;
            }
            std::uint64_t const mine = owner_pattern(thread.rank(), turn);
            for (std::uint64_t word = 0; word < bytes / 8; ++word)
                block[word] = mine;
            thread.pause();
            for (std::uint64_t word = 0; word < bytes / 8; ++word)
                errors += block[word] != mine ? 1 : 0;
            ref.deallocate(thread, block);
        }
        if (errors != 0) thread.device(*wrong).fetch_add(errors, exec::order::relaxed);
    }
};

TYPED_TEST(restock, is_one_of_many_in_a_launch) {
    using case_space = typename TypeParam::space;
    heap<TypeParam> tested(roomy_bytes / 4);
    exec::buffer<case_space, std::uint64_t> counts(tested.space(), 2); // wrong words, refused requests
    counts.fill_bytes(0);
    using kernel = restock_beside_use<typename TypeParam::owner::ref_type>;
    launch(tested.space(), cover_threads(tested.space(), is_gpu<case_space> ? 8192 : 128),
           kernel{tested.owner().ref(), counts.data(), counts.data() + 1, is_gpu<case_space> ? 20u : 3u});
    EXPECT_EQ(counts.to_host()[0], 0u);
    // 4096 threads on a GPU hold at most 256 bytes each: a quarter of the heap.
    EXPECT_EQ(counts.to_host()[1], 0u) << "requests were refused";
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

} // namespace
} // namespace rhizome::tests
