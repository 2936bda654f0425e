// SPDX-License-Identifier: Apache-2.0
// Allocators chosen at run time hand out blocks that are theirs alone.
#include <rhizome/exec/host.hpp>
#include <rhizome/runtime/open_on.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

std::vector<std::string> allocator_names() {
    std::vector<std::string> names;
    for (auto const& choice : runtime::block_allocators())
        names.push_back(choice.name);
    return names;
}

class any_allocator_test : public testing::TestWithParam<std::string> {};

TEST_P(any_allocator_test, blocks_are_served_aligned_and_apart) {
    auto const allocator = runtime::open_allocator_on(exec::host_space(), GetParam(), 8u << 20);
    runtime::requests const wanted{.count = 1000,
                                   .lowest_bytes = 16,
                                   .highest_bytes =
                                       std::min<std::uint64_t>(allocator->traits().largest_bytes, 128)};
    allocator->set_slots(wanted.count);
    for (unsigned round = 0; round < 3; ++round) {
        EXPECT_GE(allocator->allocate_ms(wanted, 0), 0.0);
        allocator->stamp(wanted, 0);
        auto const found = allocator->check(wanted, 0, true);
        EXPECT_EQ(found.refused, 0u);
        EXPECT_EQ(found.misaligned, 0u);
        EXPECT_EQ(found.damaged, 0u);
        auto const span = allocator->span(wanted, 0);
        EXPECT_GE(span.highest_end - span.lowest_address, span.asked_bytes);
        EXPECT_GE(allocator->deallocate_ms(wanted, 0), 0.0);
    }
}
TEST_P(any_allocator_test, a_full_heap_refuses_and_a_new_one_serves) {
    auto const allocator = runtime::open_allocator_on(exec::host_space(), GetParam(), 1u << 20);
    if (!allocator->traits().bounded) return;
    std::uint64_t const bytes = std::min<std::uint64_t>(allocator->traits().largest_bytes, 128);
    runtime::requests const many{.count = 20'000, .lowest_bytes = bytes, .highest_bytes = bytes};
    allocator->set_slots(many.count);
    (void)allocator->allocate_ms(many, 0);
    EXPECT_GT(allocator->check(many, 0, false).refused, 0u);
    allocator->renew_heap();
    runtime::requests const few{.count = 100, .lowest_bytes = bytes, .highest_bytes = bytes};
    allocator->set_slots(few.count);
    (void)allocator->allocate_ms(few, 0);
    EXPECT_EQ(allocator->check(few, 0, false).refused, 0u);
}

TEST_P(any_allocator_test, shuffled_slots_hold_the_same_blocks_in_another_order) {
    auto const allocator = runtime::open_allocator_on(exec::host_space(), GetParam(), 8u << 20);
    runtime::requests const all{.count = 1000, .lowest_bytes = 64, .highest_bytes = 64};
    allocator->set_slots(all.count);
    (void)allocator->allocate_ms(all, 0);
    allocator->stamp(all, 0);
    auto const before = allocator->span(all, 0);
    allocator->shuffle(0, all.count, 1);
    auto const after = allocator->span(all, 0);
    EXPECT_EQ(after.lowest_address, before.lowest_address);
    EXPECT_EQ(after.highest_end, before.highest_end);
    EXPECT_GT(allocator->check(all, 0, true).damaged, 950u); // the stamps are those of other slots
    allocator->stamp(all, 0);
    EXPECT_EQ(allocator->check(all, 0, true).damaged, 0u); // no block is in two slots
    (void)allocator->deallocate_ms(all, 0);
}

std::string name_of_allocator(testing::TestParamInfo<std::string> const& parameter) {
    std::string name = parameter.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(all, any_allocator_test, testing::ValuesIn(allocator_names()), name_of_allocator);

TEST(any_allocator, unknown_names_are_refused) {
    EXPECT_THROW((void)runtime::open_allocator_on(exec::host_space(), "heap", 1u << 20),
                 std::invalid_argument);
}

} // namespace
} // namespace rhizome::tests
