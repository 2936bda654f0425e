// SPDX-License-Identifier: Apache-2.0
// Which bucket an element lies in, against counting the elements one by one.
#include <rhizome/container/bucket_arithmetic.hpp>

#include <gtest/gtest.h>
#include <type_names.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace rhizome::tests {
namespace {

template <class Index, Index First>
using buckets = container::doubling_buckets<Index, First>;

template <class Buckets>
class doubling_buckets : public ::testing::Test {};
using bucket_types =
    ::testing::Types<buckets<std::uint32_t, 1>, buckets<std::uint32_t, 4>, buckets<std::uint32_t, 64>,
                     buckets<std::uint64_t, 1>, buckets<std::uint64_t, 16>>;
struct bucket_names {
    template <class Buckets>
    static std::string GetName(int) {
        using index = std::remove_const_t<decltype(Buckets::room(0))>;
        return "from_" + std::to_string(Buckets::room(0)) + "_" + value_name<index>();
    }
};
TYPED_TEST_SUITE(doubling_buckets, bucket_types, bucket_names);

TYPED_TEST(doubling_buckets, follow_one_another) {
    using index = std::remove_cvref_t<decltype(TypeParam::room(0))>;
    std::uint32_t bucket = 0;
    index place = 0;
    for (index i = 0; i < 100'000; ++i) {
        if (place == TypeParam::room(bucket)) {
            ++bucket;
            place = 0;
            ASSERT_EQ(TypeParam::room(bucket), 2 * TypeParam::room(bucket - 1));
        }
        ASSERT_EQ(TypeParam::bucket_of(i), bucket) << i;
        ASSERT_EQ(TypeParam::place_of(i), place) << i;
        ASSERT_EQ(TypeParam::first_of(bucket) + place, i);
        ASSERT_EQ(TypeParam::buckets_for(i + 1), bucket + 1) << i;
        ++place;
    }
}

TYPED_TEST(doubling_buckets, hold_as_much_as_they_say) {
    EXPECT_EQ(TypeParam::buckets_for(0), 0u);
    EXPECT_EQ(TypeParam::capacity_of(0), 0u);
    auto all = TypeParam::capacity_of(0);
    for (std::uint32_t count = 1; count < 20; ++count) {
        all += TypeParam::room(count - 1);
        EXPECT_EQ(TypeParam::capacity_of(count), all);
        EXPECT_EQ(TypeParam::buckets_for(all), count);
        EXPECT_EQ(TypeParam::buckets_for(all + 1), count + 1);
    }
}

TYPED_TEST(doubling_buckets, reach_the_end_of_their_indices) {
    using index = std::remove_cvref_t<decltype(TypeParam::room(0))>;
    std::uint32_t bucket = 0; // the greatest whose room is an index
    while (TypeParam::room(bucket) <= std::numeric_limits<index>::max() / 2)
        ++bucket;
    index const last = TypeParam::first_of(bucket) + (TypeParam::room(bucket) - 1);
    EXPECT_GT(last, std::numeric_limits<index>::max() - 100);
    EXPECT_EQ(TypeParam::bucket_of(last), bucket);
    EXPECT_EQ(TypeParam::place_of(last), TypeParam::room(bucket) - 1);
    EXPECT_EQ(TypeParam::bucket_of(TypeParam::first_of(bucket)), bucket);
    EXPECT_EQ(TypeParam::bucket_of(TypeParam::first_of(bucket) - 1), bucket - 1);
}

static_assert(buckets<std::uint32_t, 4>::bucket_of(3) == 0 && buckets<std::uint32_t, 4>::bucket_of(4) == 1);

} // namespace
} // namespace rhizome::tests
