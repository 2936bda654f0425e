// SPDX-License-Identifier: Apache-2.0
// Free pages of the smallest size, whose entries are half as large as they are: in queues while there are
// chunks for that, and counted where there are none.
#include "blocks.hpp"
#include "expectations.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

template <class Case>
class small_pages : public space_test {
protected:
    [[nodiscard]] static std::uint64_t spilled_bytes(heap<Case>& tested) {
        std::uint64_t bytes = 0;
        tested.space().copy_out(&bytes, tested.owner().spilled_bytes(), sizeof(bytes));
        return bytes;
    }
};
using small_pages_cases =
    cross_types<allocator_on, type_list<ouroboros_default, catalogued::ouroboros_page_virtual_linked>,
                space_list>;
TYPED_TEST_SUITE(small_pages, small_pages_cases, named_types);

constexpr std::uint64_t small_bytes = 16;

TYPED_TEST(small_pages, lie_in_queues_while_there_are_chunks_for_entries) {
    std::uint64_t const heap_bytes = 4 * small_heap_bytes; // more than an even share of the queues' words
    heap<TypeParam> tested(heap_bytes);
    std::uint64_t const pages = heap_bytes / small_bytes / 2;
    block_set const half = tested.take(pages, small_bytes);
    ASSERT_EQ(half.served(), pages);
    std::uint64_t const few = heap_bytes / 64; // of threads that lost patience beside others
    // A whole device gives back at once: many lose it, though there are chunks, and what they marked is
    // queued anew.
    auto const come_to_rest = [&] {
        if (is_gpu<typename TypeParam::space>) {
            EXPECT_TRUE(tested.owner().requeue());
        }
    };
    tested.give_back(half);
    come_to_rest();
    EXPECT_LE(tested.owner().audit().marked_bytes, few);
    block_set const again = tested.take(pages, small_bytes);
    EXPECT_EQ(again.served(), pages);
    expect_live_bytes(tested, pages * small_bytes);
    tested.give_back(again);
    come_to_rest();
    EXPECT_LE(tested.owner().audit().marked_bytes, few);
    EXPECT_EQ(this->spilled_bytes(tested), 0u);
    expect_sound(tested);
}

TYPED_TEST(small_pages, are_counted_where_there_are_none) {
    heap<TypeParam> tested(small_heap_bytes);
    block_set const all = tested.take(small_heap_bytes / small_bytes, small_bytes);
    EXPECT_EQ(this->spilled_bytes(tested), 0u);
    tested.give_back(all);
    std::uint64_t const marked = tested.owner().audit().marked_bytes;
    EXPECT_GT(marked, small_heap_bytes / 2);
    EXPECT_EQ(this->spilled_bytes(tested), marked);
    // What a larger heap mends.
    tested.owner().grow_to(2 * small_heap_bytes);
    EXPECT_TRUE(tested.owner().requeue());
    EXPECT_LE(tested.owner().audit().marked_bytes, small_heap_bytes / 64);
    EXPECT_EQ(this->spilled_bytes(tested), 0u);
    expect_sound(tested);
    expect_live_bytes(tested, 0);
}

} // namespace
} // namespace rhizome::tests
