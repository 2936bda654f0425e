// SPDX-License-Identifier: Apache-2.0
// Random places in stores of any size.
#include <rhizome/alloc/random_walk/page_store.hpp>
#include <rhizome/exec/random.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace rhizome::tests {
namespace {

/// How many of `draws` places lie in each eighth of [0, bound), and whether the lowest bits vary.
void expect_uniform(std::uint64_t bound) {
    SCOPED_TRACE(bound);
    constexpr std::uint64_t draws = 80'000;
    exec::random_source random(7, 3);
    std::array<std::uint64_t, 8> eighths{};
    std::array<std::uint64_t, 8> lowest{};
    for (std::uint64_t i = 0; i < draws; ++i) {
        std::uint64_t const place = alloc::random_place(random, bound);
        ASSERT_LT(place, bound);
        std::uint64_t const eighth = place / (bound / 8);
        ++eighths[eighth < 8 ? eighth : 7];
        ++lowest[place % 8];
    }
    for (std::uint64_t i = 0; i < 8; ++i) { // within 5 standard deviations of 94
        EXPECT_NEAR(static_cast<double>(eighths[i]), draws / 8.0, 5 * 94.0) << "eighth " << i;
        EXPECT_NEAR(static_cast<double>(lowest[i]), draws / 8.0, 5 * 94.0) << "lowest bits " << i;
    }
}

TEST(random_place, is_uniform_also_beyond_32_bits) {
    for (std::uint64_t const bound :
         {std::uint64_t{1} << 20, (std::uint64_t{1} << 32) - 8, std::uint64_t{1} << 32,
          (std::uint64_t{1} << 32) + 8, std::uint64_t{5} << 33, std::uint64_t{1} << 48})
        expect_uniform(bound);
}

} // namespace
} // namespace rhizome::tests
