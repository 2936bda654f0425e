// SPDX-License-Identifier: Apache-2.0
// What the default compactor offers beyond select(): in place, indices, scratch that the caller gives, and
// what is left when memory runs out.
#include "compaction_check.hpp"

#include <rhizome/compaction/select.hpp>
#include <rhizome/exec/errors.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>
#include <spaces.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>

namespace rhizome::tests {
namespace {

template <class Space>
class default_compaction : public space_test {
protected:
    Space space = make_space<Space>();
    compaction::compactor<Space> compactor{space};
};
TYPED_TEST_SUITE(default_compaction, all_spaces, space_names);

TYPED_TEST(default_compaction, moves_elements_in_place) {
    for (std::uint64_t const items : {0u, 1u, 33u, 4096u, 9001u, 30'011u}) {
        for (named_mask const& each : masks_of(items)) {
            SCOPED_TRACE(std::to_string(items) + " items, " + each.name);
            check_in_place<std::uint32_t>(this->space, this->compactor, each.mask);
        }
    }
}

TYPED_TEST(default_compaction, moves_elements_of_any_width_in_place) {
    for (double const share : {0.02, 0.5, 0.98}) {
        SCOPED_TRACE(share);
        plain_mask const mask = uniform_mask(12'345, share);
        check_in_place<std::uint8_t>(this->space, this->compactor, mask);
        check_in_place<std::uint16_t>(this->space, this->compactor, mask);
        check_in_place<double>(this->space, this->compactor, mask);
        check_in_place<three_floats>(this->space, this->compactor, mask);
        check_in_place<two_words>(this->space, this->compactor, mask);
    }
}

TYPED_TEST(default_compaction, moves_large_arrays_in_place) {
    std::uint64_t const items = work<TypeParam>(2'000'003, 100'003);
    for (double const share : {0.001, 0.3, 0.97, 0.9999})
        check_in_place<std::uint32_t>(this->space, this->compactor, uniform_mask(items, share));
    check_in_place<std::uint32_t>(this->space, this->compactor, clustered_mask(items, 0.5, 3));
}

TYPED_TEST(default_compaction, leaves_full_rows_at_the_beginning_in_place) {
    // Among the lengths are multiples of a tile on every space.
    for (std::uint64_t const items : {1024u, 32'768u, 65'536u, 131'072u, 262'144u, 262'145u}) {
        SCOPED_TRACE(items);
        plain_mask mask(items, true);
        check_in_place<std::uint32_t>(this->space, this->compactor, mask);
        mask[items - 1] = false;
        check_in_place<std::uint32_t>(this->space, this->compactor, mask);
        mask[items / 2] = false;
        check_in_place<two_words>(this->space, this->compactor, mask);
    }
}

TYPED_TEST(default_compaction, moves_arrays_in_place_that_begin_anywhere_with_few_warps) {
    this->compactor.set_launch_options({.block_threads = 64, .write_blocks = 2});
    for (std::uint64_t const by : {0u, 1u, 2u, 3u, 5u}) {
        SCOPED_TRACE("displaced by " + std::to_string(by));
        plain_mask const mask = uniform_mask(70'001, 0.6);
        check_in_place<std::uint8_t>(this->space, this->compactor, mask, {by, 0, by});
        check_in_place<std::uint32_t>(this->space, this->compactor, mask, {by, 0, by});
        check_in_place<two_words>(this->space, this->compactor, mask, {by, 0, by});
    }
}

TYPED_TEST(default_compaction, refuses_launch_options_that_are_no_pairs_of_warps) {
    for (std::uint32_t const threads : {16u, 32u, 96u, 320u})
        EXPECT_THROW(this->compactor.set_launch_options({.block_threads = threads}), std::invalid_argument);
}

TYPED_TEST(default_compaction, lists_the_numbers_of_selected_items) {
    for (std::uint64_t const items : {0u, 1u, 4097u, 20'011u}) {
        for (named_mask const& each : masks_of(items)) {
            SCOPED_TRACE(std::to_string(items) + " items, " + each.name);
            check_indices<std::uint32_t>(this->space, this->compactor, each.mask);
            check_indices<std::uint64_t>(this->space, this->compactor, each.mask);
        }
    }
}

TYPED_TEST(default_compaction, refuses_indices_that_are_too_narrow) {
    compaction::bit_mask const too_many{nullptr, (std::uint64_t{1} << 32) + 1};
    exec::buffer<TypeParam, std::uint32_t> output(this->space, 1);
    EXPECT_THROW(static_cast<void>(this->compactor.select_indices(too_many, output.data())),
                 std::invalid_argument);
}

/// With the interface of a compactor, on scratch that the caller gives. Fills the scratch with rubbish before
/// each call.
template <class Space>
struct with_given_scratch {
    explicit with_given_scratch(Space given) : space(given), scratch(given) {}

    template <class T>
    void select(T const* input, compaction::bit_mask const& mask, T* output, std::uint64_t* count) {
        litter();
        compaction::select(space, scratch, input, mask, output, count);
    }
    template <class T>
    std::uint64_t select(T const* input, compaction::bit_mask const& mask, T* output) {
        select(input, mask, output, found.data());
        return found.to_host().front();
    }
    template <class Index>
    std::uint64_t select_indices(compaction::bit_mask const& mask, Index* output) {
        litter();
        compaction::select_indices(space, scratch, mask, output, found.data());
        return found.to_host().front();
    }
    template <class T>
    std::uint64_t select_in_place(T* data, compaction::bit_mask const& mask) {
        litter();
        compaction::select_in_place(space, scratch, data, mask, found.data());
        return found.to_host().front();
    }
    void litter() {
        void* const all = scratch.at_least(4096);
        space.fill(all, 0xee, scratch.held_bytes());
    }

    Space space;
    exec::workspace<Space> scratch;
    exec::buffer<Space, std::uint64_t> found{space, 1};
};

TYPED_TEST(default_compaction, takes_scratch_with_any_contents) {
    with_given_scratch<TypeParam> given(this->space);
    for (std::uint64_t const items : {0u, 1u, 5000u, 60'013u}) {
        SCOPED_TRACE(items);
        plain_mask const mask = uniform_mask(items, 0.3);
        check_select<std::uint32_t>(this->space, given, mask);
        check_in_place<std::uint32_t>(this->space, given, mask);
        check_indices<std::uint32_t>(this->space, given, mask);
    }
}

TYPED_TEST(default_compaction, one_call_needs_no_object) {
    plain_mask const mask = uniform_mask(5000, 0.3);
    auto const values = elements_of<std::uint32_t>(mask.size());
    auto const expected = selected_of(values, mask);
    exec::buffer<TypeParam, std::uint32_t> const input(this->space, std::span<std::uint32_t const>(values));
    mask_in_space<TypeParam> const bits(this->space, mask);
    guarded_output<TypeParam, std::uint32_t> output(this->space, expected.size());
    EXPECT_EQ(compaction::select(this->space, input.data(), bits.view(), output.data()), expected.size());
    output.expect(expected);
}

TYPED_TEST(default_compaction, calls_follow_each_other_without_waiting) {
    // The output of the first is the input of the second.
    plain_mask const mask = uniform_mask(40'000, 0.5);
    auto const values = elements_of<std::uint32_t>(mask.size());
    auto const once = selected_of(values, mask);
    plain_mask second = uniform_mask(once.size(), 0.5, 2);
    auto const twice = selected_of(once, second);
    exec::buffer<TypeParam, std::uint32_t> const input(this->space, std::span<std::uint32_t const>(values));
    mask_in_space<TypeParam> const first_bits(this->space, mask);
    mask_in_space<TypeParam> const second_bits(this->space, second);
    exec::buffer<TypeParam, std::uint32_t> between(this->space, once.size());
    guarded_output<TypeParam, std::uint32_t> output(this->space, twice.size());
    exec::buffer<TypeParam, std::uint64_t> counts(this->space, 2);
    // Scratch of its full size.
    this->compactor.select(input.data(), first_bits.view(), between.data(), counts.data());
    std::uint64_t const charges = this->space.budget().charges();
    std::uint64_t const waits = this->space.waits();
    this->compactor.select(input.data(), first_bits.view(), between.data(), counts.data());
    this->compactor.select(between.data(), second_bits.view(), output.data(), counts.data() + 1);
    EXPECT_EQ(this->space.waits(), waits);
    EXPECT_EQ(this->space.budget().charges(), charges);
    EXPECT_EQ(counts.to_host(), (std::vector<std::uint64_t>{once.size(), twice.size()}));
    output.expect(twice);
}

TYPED_TEST(default_compaction, scratch_comes_from_the_resource_and_a_refusal_at_any_point_changes_nothing) {
    using value = std::uint32_t;
    plain_mask const mask = uniform_mask(70'001, 0.4);
    auto const values = elements_of<value>(mask.size());
    auto const expected = selected_of(values, mask);
    mask_in_space<TypeParam> const bits(this->space, mask);
    exec::buffer<TypeParam, value> data(this->space, std::span<value const>(values));
    guarded_output<TypeParam, value> output(this->space, expected.size());
    exec::buffer<TypeParam, std::uint64_t> count(this->space, 1);
    counting_resource pool;
    for (auto const how : {refusal::bad_alloc, refusal::null_pointer, refusal::out_of_memory}) {
        bool refused = true;
        std::uint64_t call = 1;
        for (; refused; ++call) {
            std::uint64_t const held = this->space.budget().held_bytes();
            {
                compaction::compactor<TypeParam> pooled(this->space, &pool);
                pool.refuse_from(call, how);
                auto const attempt = [&] { pooled.select_in_place(data.data(), bits.view(), count.data()); };
                try {
                    attempt();
                    refused = false;
                    EXPECT_EQ(count.to_host().front(), expected.size());
                    std::vector<value> found = data.to_host();
                    found.resize(expected.size());
                    EXPECT_EQ(found, expected);
                } catch (exec::out_of_memory const&) {
                    EXPECT_EQ(data.to_host(), values);
                    pool.refuse_no_more();
                    // The same object serves the next call.
                    EXPECT_EQ(pooled.select(data.data(), bits.view(), output.data()), expected.size());
                    output.expect(expected);
                }
                pool.refuse_no_more();
            }
            EXPECT_EQ(pool.held_bytes(), 0u);
            EXPECT_EQ(this->space.budget().held_bytes(), held);
        }
        EXPECT_GE(call, 3u); // at least one refusal
        data = exec::buffer<TypeParam, value>(this->space, std::span<value const>(values));
    }
}

} // namespace
} // namespace rhizome::tests
