// SPDX-License-Identifier: Apache-2.0
// Rows and targets in one key: in their order, apart from what is dropped, and in as few bits as is said.
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>

#include <gtest/gtest.h>
#include <type_names.hpp>

#include <cstdint>

namespace rhizome::tests {
namespace {

template <class Id>
class packed_keys : public ::testing::Test {};
using id_types = ::testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(packed_keys, id_types, value_names);

TYPED_TEST(packed_keys, come_before_the_dropped_one_in_the_order_of_rows) {
    using keys_type = graph::batch::packed_keys<TypeParam>;
    using key = typename keys_type::key;
    for (std::uint64_t vertices = 0; vertices < 20; ++vertices)
        for (std::uint32_t const stride : {1u, 2u})
            for (bool const self_loops : {false, true})
                for (bool const has_values : {false, true}) {
                    SCOPED_TRACE(::testing::Message()
                                 << vertices << " x " << stride << ' ' << self_loops << ' ' << has_values);
                    keys_type const keys =
                        keys_type::of({vertices, nullptr, stride, true, self_loops, false}, has_values);
                    key before = 0;
                    bool any = false;
                    for (std::uint64_t row = 0; row < vertices * stride; ++row)
                        for (std::uint64_t target = 0; target < vertices; ++target) {
                            if (!self_loops && row / stride == target) continue;
                            key const now = keys.make(row, target);
                            EXPECT_EQ(keys.row_of(now), row);
                            EXPECT_EQ(keys.target_of(now), target);
                            EXPECT_TRUE(!any || before < now);
                            EXPECT_FALSE(keys.dropped() < now);
                            EXPECT_TRUE(now >> keys.bits(true) == 0);
                            before = now;
                            any = true;
                        }
                    EXPECT_TRUE(keys.dropped() >> keys.bits() == 0);
                    bool const all_are_arcs = self_loops && vertices > 1 && (vertices & (vertices - 1)) == 0;
                    if (vertices > 1) {
                        EXPECT_EQ(any && before == keys.dropped(), all_are_arcs && !has_values)
                            << "values are told apart by keys alone";
                        EXPECT_EQ(keys.bits(), keys.bits(true) + (all_are_arcs && has_values ? 1 : 0));
                    }
                }
}

TYPED_TEST(packed_keys, of_a_part_hold_targets_beyond_its_rows) {
    using keys_type = graph::batch::packed_keys<TypeParam>;
    for (std::uint64_t const targets : {1u, 5u, 8u, 100u, 128u})
        for (bool const has_values : {false, true}) {
            // Without self-loops, the last row of a part still has an arc to the last target.
            graph::batch::arc_rules<TypeParam> const rules{3,     nullptr, 2,    true,
                                                           false, false,   true, {.all_ids = targets}};
            keys_type const keys = keys_type::of(rules, has_values);
            auto before = keys.make(0, 0);
            for (std::uint64_t row = 0; row < 6; ++row)
                for (std::uint64_t target = 0; target < targets; ++target) {
                    auto const now = keys.make(row, target);
                    EXPECT_EQ(keys.row_of(now), row);
                    EXPECT_EQ(keys.target_of(now), target);
                    EXPECT_TRUE((row == 0 && target == 0) || before < now);
                    EXPECT_TRUE(has_values && targets > 1 ? now < keys.dropped() : !(keys.dropped() < now));
                    before = now;
                }
        }
}

} // namespace
} // namespace rhizome::tests
