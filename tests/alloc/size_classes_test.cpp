// SPDX-License-Identifier: Apache-2.0
// Size classes: the invariants, for every size there is.
#include <rhizome/alloc/size_classes.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace rhizome::alloc {
namespace {

template <class Classes>
void expect_smallest_class_that_holds() {
    for (std::uint64_t bytes = 1; bytes <= Classes::largest_bytes; ++bytes) {
        std::uint32_t const index = Classes::index_of(bytes);
        ASSERT_LT(index, Classes::count) << bytes;
        ASSERT_GE(Classes::bytes_of(index), bytes);
        if (index != 0) {
            ASSERT_LT(Classes::bytes_of(index - 1), bytes);
        }
    }
    EXPECT_EQ(Classes::bytes_of(0), Classes::smallest_bytes);
    EXPECT_EQ(Classes::bytes_of(Classes::count - 1), Classes::largest_bytes);
    EXPECT_EQ(Classes::index_of(Classes::largest_bytes), Classes::count - 1);
    for (std::uint32_t index = 0; index < Classes::count; ++index) {
        EXPECT_EQ(Classes::bytes_of(index) % 16, 0u) << index;
        EXPECT_EQ(Classes::index_of(Classes::bytes_of(index)), index);
    }
}

TEST(size_classes, each_size_gets_the_smallest_class_that_holds_it) {
    expect_smallest_class_that_holds<power_of_two_classes<>>();
    expect_smallest_class_that_holds<power_of_two_classes<64, 1024>>();
    expect_smallest_class_that_holds<power_of_two_classes<16, 16>>();
    expect_smallest_class_that_holds<fine_classes<>>();
    expect_smallest_class_that_holds<fine_classes<1024>>();
    expect_smallest_class_that_holds<fine_classes<65536>>();
}

TEST(size_classes, powers_of_two_are_the_papers_ten) {
    EXPECT_EQ(power_of_two_classes<>::count, 10u);
    EXPECT_EQ(power_of_two_classes<>::bytes_of(0), 16u);
    EXPECT_EQ(power_of_two_classes<>::bytes_of(9), 8192u);
}

TEST(size_classes, fine_ones_waste_at_most_a_quarter_or_what_the_chunk_forces) {
    using fine = fine_classes<>;
    for (std::uint32_t index = 1; index < fine::count; ++index) {
        std::uint32_t const smaller = fine::bytes_of(index - 1);
        std::uint32_t const bytes = fine::bytes_of(index);
        std::uint32_t const pages = 8192 / bytes;
        EXPECT_LT(8192 - pages * bytes, 16 * pages) << "a larger page would have fitted as often: " << bytes;
        if (smaller < 128) {
            EXPECT_EQ(bytes, smaller + 16);
        } else if (bytes > smaller + smaller / 4) {
            EXPECT_EQ(8192 / smaller, pages + 1) << "a step that skips a page count: " << bytes;
        }
    }
}

} // namespace
} // namespace rhizome::alloc
