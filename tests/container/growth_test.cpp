// SPDX-License-Identifier: Apache-2.0
// gg_array over allocators that refuse: nothing is lost, nothing is there twice, and buckets come back.
#include "cases.hpp"
#include "numbered.hpp"

#include <rhizome/exec/errors.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rhizome::tests {
namespace {

template <class Array>
void expect_sound(Array& array) {
    for (std::string const& violation : array.audit())
        ADD_FAILURE() << violation;
}

// ---- any allocator ----

template <class Case>
class gg_array_over : public space_test {};
using heap_list = type_list<ouroboros_default, catalogued::ouroboros_chunk_virtual_linked,
                            catalogued::page_queue, catalogued::random_walk_malloc,
                            catalogued::coalescing_dynamic, catalogued::bump, catalogued::device_malloc>;
using heap_cases = cross_types<allocator_on, heap_list, space_list>;
TYPED_TEST_SUITE(gg_array_over, heap_cases, named_types);

TYPED_TEST(gg_array_over, takes_buckets_and_gives_them_back) {
    using space = typename TypeParam::space;
    using heap = alloc::counting<typename TypeParam::owner>;
    space where = make_space<space>();
    heap memory(where, {.heap_bytes = 4u << 20});
    {
        container::gg_array<space, std::uint64_t, heap> array(where, memory,
                                                              {.vectors = 64, .first_bucket = 4});
        numbered_wishes<space, container::warp_scan> wishes(where, grid_of(where, 64, 32), 1, 1);
        wishes.insert_into(array);
        EXPECT_EQ(wishes.inserted(), wishes.wanted());
        EXPECT_EQ(wishes.difference(array), "");
        expect_sound(array);
        std::uint64_t const buckets = memory.counts().live_requests();
        EXPECT_GE(buckets, 64u);
        EXPECT_GE(memory.counts().live_bytes, array.capacity() * sizeof(std::uint64_t));

        array.shrink_to(array.size() / 4);
        EXPECT_LE(memory.counts().live_requests(), buckets / 4 + 4);
        EXPECT_GE(array.capacity(), array.size());
        expect_sound(array);
        array.shrink_to(0);
        EXPECT_EQ(memory.counts().live_requests(), 0u);
        EXPECT_EQ(array.capacity(), 0u);
        expect_sound(array);

        array.reserve(64 * 12);
        EXPECT_EQ(array.capacity(), 64u * 12);
        EXPECT_EQ(memory.counts().live_requests(), 128u) << "two buckets for each vector";
    }
    EXPECT_EQ(memory.counts().live_requests(), 0u) << "the array is gone";
}

template <class Case>
class gg_array_over_bounded : public space_test {};
using bounded_heap_cases = cross_types_if<is_bounded, allocator_on, heap_list, space_list>;
TYPED_TEST_SUITE(gg_array_over_bounded, bounded_heap_cases, named_types);

TYPED_TEST(gg_array_over_bounded, says_as_a_value_that_the_heap_is_used_up) {
    using space = typename TypeParam::space;
    using heap = typename TypeParam::owner;
    space where = make_space<space>();
    heap memory(where, {.heap_bytes = 2u << 20});
    container::gg_array<space, std::uint64_t, heap> array(where, memory, {.vectors = 3, .first_bucket = 16});
    array.request_capacity(1u << 20);
    std::uint64_t const capacity = array.capacity();
    EXPECT_LE(capacity, (2u << 20) / sizeof(std::uint64_t));
    EXPECT_GT(capacity, 0u);
    expect_sound(array);
    numbered_wishes<space, container::warp_scan> wishes(where, grid_of(where, 3, 64), 63,
                                                        is_gpu<space> || !is_emulated<space> ? 100 : 60);
    ASSERT_GT(wishes.wanted(), capacity);
    wishes.insert_into(array);
    EXPECT_LT(wishes.inserted(), wishes.wanted());
    EXPECT_EQ(wishes.inserted(), array.size());
    EXPECT_EQ(wishes.difference(array), "");
    expect_sound(array);
}

/// How many elements one block inserts into an array of 64 vectors that has the heap for itself.
template <class Case, bool Anywhere>
[[nodiscard]] std::uint64_t inserted_by_one_block() {
    using space = typename Case::space;
    using heap = typename Case::owner;
    space where = make_space<space>();
    heap memory(where, {.heap_bytes = 1u << 20});
    container::gg_array<space, std::uint64_t, heap> array(where, memory, {.vectors = 64, .first_bucket = 16});
    numbered_wishes<space, container::warp_scan> wishes(where, {1, std::min(64u, where.max_block_threads())},
                                                        63, where.max_block_threads() == 1 ? 12800 : 200);
    wishes.template insert_into<Anywhere>(array);
    EXPECT_LT(wishes.inserted(), wishes.wanted());
    EXPECT_EQ(wishes.inserted(), array.size());
    EXPECT_EQ(wishes.wrong(), 0u);
    EXPECT_EQ(wishes.difference(array), "");
    expect_sound(array);
    return array.size();
}
TYPED_TEST(gg_array_over_bounded, one_block_can_use_the_vectors_of_others) {
    std::uint64_t const own = inserted_by_one_block<TypeParam, false>();
    std::uint64_t const all = inserted_by_one_block<TypeParam, true>();
    // A bump allocator has one free block, of which the first vector can take all.
    bool const is_bump = std::is_same_v<typename TypeParam::allocator, catalogued::bump>;
    EXPECT_GE(all, is_bump ? own : own + own / 4);
}

TYPED_TEST(gg_array_over_bounded, a_refused_reserve_gives_back_what_it_took) {
    using space = typename TypeParam::space;
    using heap = alloc::counting<typename TypeParam::owner>;
    space where = make_space<space>();
    heap memory(where, {.heap_bytes = 4u << 20});
    container::gg_array<space, std::uint64_t, heap> array(where, memory, {.vectors = 8, .first_bucket = 16});
    numbered_wishes<space, container::warp_scan> wishes(where, grid_of(where, 8, 32), 1, 1);
    wishes.insert_into(array);
    array.reserve(8 * 16);
    std::uint64_t const capacity = array.capacity();
    std::uint64_t const live_bytes = memory.counts().live_bytes;
    std::uint64_t const live_requests = memory.counts().live_requests();
    for (std::uint64_t const size : {std::uint64_t{1} << 20, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
        SCOPED_TRACE(size);
        try {
            array.reserve(size);
            ADD_FAILURE() << "no exception";
        } catch (exec::out_of_memory const& error) {
            EXPECT_GT(error.needed_bytes(), error.available_bytes());
            EXPECT_NE(std::string(error.what()).find(" of 8 vectors"), std::string::npos) << error.what();
        }
        EXPECT_EQ(array.capacity(), capacity);
        EXPECT_EQ(memory.counts().live_bytes, live_bytes);
        EXPECT_EQ(memory.counts().live_requests(), live_requests);
        EXPECT_EQ(wishes.difference(array), "");
        expect_sound(array);
    }
}

// ---- every request refused in turn ----

template <class Case>
class refused_growth : public space_test {};
template <class Insertion, class Space>
struct refusal_case {
    using insertion = Insertion;
    using space = Space;
    static std::string name() {
        std::string policy = Insertion::name;
        std::replace(policy.begin(), policy.end(), '-', '_');
        return policy + "_on_" + std::string(Space::name);
    }
};
using refusal_cases =
    cross_types<refusal_case, type_list<container::atomic, container::warp_scan, container::tensor_scan>,
                space_list>;
TYPED_TEST_SUITE(refused_growth, refusal_cases, named_types);

/// `heap_remains`: whether the heap serves the requests behind the refused one.
template <class Case, bool Anywhere, class Refuse>
void refuse_each_request(bool heap_remains, Refuse&& refuse) {
    using space = typename Case::space;
    using heap = alloc::failing<alloc::bump<space>>;
    space where = make_space<space>();
    for (std::uint64_t number = 1;; ++number) {
        SCOPED_TRACE(number);
        heap memory(where, {.heap_bytes = 1u << 20});
        container::gg_array<space, std::uint64_t, heap> array(where, memory,
                                                              {.vectors = 3, .first_bucket = 2});
        numbered_wishes<space, typename Case::insertion> wishes(where, grid_of(where, 5, 64), 3, 2);
        refuse(memory, number);
        wishes.template insert_into<Anywhere>(array);
        std::uint64_t const requests = memory.requests_seen();
        expect_sound(array);
        EXPECT_EQ(wishes.difference(array), "") << "after the refusal";
        EXPECT_EQ(wishes.inserted(), array.size());
        if (requests < number) {
            EXPECT_EQ(wishes.inserted(), wishes.wanted());
            EXPECT_GT(number, 10u) << "there were requests to refuse";
            return;
        }
        if (Anywhere && heap_remains) {
            EXPECT_EQ(wishes.inserted(), wishes.wanted()) << "other vectors have room";
        } else if (!Anywhere || number == 1) {
            EXPECT_LT(wishes.inserted(), wishes.wanted()) << "a refusal is told";
        }
        EXPECT_EQ(wishes.wrong(), 0u);
        memory.fail_never();
        wishes.template insert_into<Anywhere>(array);
        EXPECT_EQ(wishes.wrong(), 0u);
        EXPECT_EQ(wishes.inserted(), wishes.wanted());
        EXPECT_EQ(wishes.difference(array), "") << "after inserting the rest";
        expect_sound(array);
    }
}

TYPED_TEST(refused_growth, of_one_bucket_loses_nothing) {
    auto const refuse = [](auto& heap, std::uint64_t number) { heap.fail_at(number); };
    refuse_each_request<TypeParam, false>(true, refuse);
    refuse_each_request<TypeParam, true>(true, refuse);
}
TYPED_TEST(refused_growth, of_all_buckets_from_one_on_loses_nothing) {
    auto const refuse = [](auto& heap, std::uint64_t number) { heap.fail_from(number); };
    refuse_each_request<TypeParam, false>(false, refuse);
    refuse_each_request<TypeParam, true>(false, refuse);
}

TYPED_TEST(refused_growth, by_the_host_gives_back_what_was_got) {
    using space = typename TypeParam::space;
    using heap = alloc::failing<alloc::bump<space>>;
    space where = make_space<space>();
    for (std::uint64_t number = 1; number <= 9; ++number) { // 3 vectors of 4 buckets, of which each has one
        SCOPED_TRACE(number);
        heap memory(where, {.heap_bytes = 1u << 20});
        container::gg_array<space, std::uint64_t, heap> array(where, memory,
                                                              {.vectors = 3, .first_bucket = 2});
        array.reserve(3 * 2);
        memory.fail_at(number);
        EXPECT_THROW(array.reserve(3 * 30), exec::out_of_memory);
        EXPECT_EQ(array.capacity(), 3u * 2);
        expect_sound(array);
        memory.fail_never();
        array.reserve(3 * 30);
        EXPECT_EQ(array.capacity(), 3u * 30);
        numbered_wishes<space, typename TypeParam::insertion> wishes(where, grid_of(where, 3, 32), 1, 1);
        wishes.insert_into(array);
        EXPECT_EQ(wishes.difference(array), "");
        expect_sound(array);
    }
}

#if !defined(__CUDACC__)
TEST(gg_array_options, that_are_no_shape_are_refused) {
    exec::host_space where;
    using heap = alloc::bump<exec::host_space>;
    heap memory(where);
    using array = container::gg_array<exec::host_space, std::uint32_t, heap>;
    EXPECT_THROW(array(where, memory, {.vectors = 0}), std::invalid_argument);
    EXPECT_THROW(array(where, memory, {.first_bucket = 3}), std::invalid_argument);
    EXPECT_THROW(array(where, memory, {.first_bucket = 0}), std::invalid_argument);
}
#endif

} // namespace
} // namespace rhizome::tests
