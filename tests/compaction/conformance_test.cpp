// SPDX-License-Identifier: Apache-2.0
// Every compactor in every space: counts as well as contents, against a sequential oracle.
#include "compaction_check.hpp"
#include "compactors.hpp"

#include <rhizome/exec/errors.hpp>

#include <counting_resource.hpp>
#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::tests {
namespace {

template <class Case>
class compaction_conformance : public space_test {
protected:
    using space_type = typename Case::space;
    space_type space = make_space<space_type>();
    typename Case::type compactor = Case::kind::make(space, nullptr);

    /// Where the compactor takes elements of this type.
    template <class T>
    void check(plain_mask const& mask, displacement const& by = {}) {
        if constexpr (Case::kind::template takes<T>) check_select<T>(space, compactor, mask, by);
    }
};
using all_cases = cross_types<compactor_case, space_list, compactor_list>;
TYPED_TEST_SUITE(compaction_conformance, all_cases, named_types);

TYPED_TEST(compaction_conformance, counts_and_contents_are_the_oracles_for_all_masks_and_tails) {
    for (std::uint64_t const items : {0u, 1u, 31u, 32u, 33u, 127u, 1000u, 4095u, 4096u, 4097u, 20'011u}) {
        for (named_mask const& each : masks_of(items)) {
            SCOPED_TRACE(std::to_string(items) + " items, " + each.name);
            this->template check<std::uint32_t>(each.mask);
            if (this->HasFatalFailure()) return;
        }
    }
}

TYPED_TEST(compaction_conformance, elements_may_have_any_width) {
    for (std::uint64_t const items : {1u, 100u, 9001u}) {
        for (double const share : {0.01, 0.4, 1.0}) {
            SCOPED_TRACE(std::to_string(items) + " items, share " + std::to_string(share));
            plain_mask const mask = uniform_mask(items, share);
            this->template check<std::uint8_t>(mask);
            this->template check<std::uint16_t>(mask);
            this->template check<bytes_of<3>>(mask);
            this->template check<float>(mask);
            this->template check<double>(mask);
            this->template check<three_floats>(mask);
            this->template check<two_words>(mask);
            this->template check<aligned_words>(mask);
        }
    }
}

TYPED_TEST(compaction_conformance, arrays_may_begin_anywhere) {
    plain_mask const mask = uniform_mask(10'007, 0.35);
    for (std::uint64_t by = 1; by <= 5; ++by) {
        SCOPED_TRACE("displaced by " + std::to_string(by));
        this->template check<std::uint8_t>(mask, {by, by, by + 1});
        this->template check<std::uint16_t>(mask, {by, by, by});
        this->template check<two_words>(mask, {by, by, by + 1});
    }
}

TYPED_TEST(compaction_conformance, many_units_are_put_together_in_order) {
    for (named_mask const& each : masks_of(work<typename TypeParam::space>(1'000'017, 150'001))) {
        SCOPED_TRACE(each.name);
        this->template check<std::uint32_t>(each.mask);
        if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(compaction_conformance, a_compactor_serves_masks_of_all_sizes_one_after_another) {
    for (std::uint64_t const items : {50'000u, 10u, 120'000u, 0u, 4096u, 70'001u})
        this->template check<std::uint32_t>(uniform_mask(items, 0.5, items));
}

TYPED_TEST(compaction_conformance, a_refused_allocation_at_any_point_leaves_nothing_behind) {
    plain_mask const mask = uniform_mask(30'001, 0.4);
    auto const values = elements_of<std::uint32_t>(mask.size());
    auto const expected = selected_of(values, mask);
    mask_in_space<typename TypeParam::space> const bits(this->space, mask);
    exec::buffer<typename TypeParam::space, std::uint32_t> const input(
        this->space, std::span<std::uint32_t const>(values));
    exec::buffer<typename TypeParam::space, std::uint64_t> count(this->space, 1);
    counting_resource pool;
    bool refused = true;
    std::uint64_t call = 1;
    for (; refused; ++call) {
        guarded_output<typename TypeParam::space, std::uint32_t> output(this->space, expected.size());
        std::uint64_t const held = this->space.budget().held_bytes();
        {
            auto pooled = TypeParam::kind::make(this->space, &pool);
            pool.refuse_from(call, refusal::bad_alloc);
            try {
                pooled.select(input.data(), bits.view(), output.data(), count.data());
                refused = false;
            } catch (exec::out_of_memory const&) {
                pool.refuse_no_more();
                EXPECT_EQ(pooled.select(input.data(), bits.view(), output.data()), expected.size());
            }
            pool.refuse_no_more();
            output.expect(expected);
        }
        EXPECT_EQ(pool.held_bytes(), 0u);
        EXPECT_EQ(this->space.budget().held_bytes(), held);
    }
    EXPECT_GE(call, 3u); // at least one refusal
}

} // namespace
} // namespace rhizome::tests
