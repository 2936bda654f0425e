// SPDX-License-Identifier: Apache-2.0
// Runs of set bits: the highest, as a search bit by bit finds it.
#include <rhizome/alloc/run_window.hpp>
#include <rhizome/exec/single_lane.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::alloc {
namespace {

constexpr std::uint64_t none = ~std::uint64_t{0};

std::uint64_t highest_run(std::vector<bool> const& bits, std::uint64_t wanted) {
    std::uint64_t run = 0;
    for (std::uint64_t i = bits.size(); i-- != 0;) {
        run = bits[i] ? run + 1 : 0;
        if (run == wanted) return i;
    }
    return none;
}

/// By windows of one word.
std::uint64_t found_run(std::vector<bool> const& bits, std::uint64_t wanted) {
    exec::single_lane const lane(0, 1);
    std::uint64_t above = 0;
    for (std::uint64_t word = bits.size() / 64; word-- != 0;) {
        std::uint64_t packed = 0;
        for (std::uint64_t i = 0; i < 64; ++i)
            packed |= std::uint64_t{bits[word * 64 + i]} << i;
        run_window<exec::single_lane> const window(lane, packed, above, wanted);
        if (window.runs() != 0) return word * 64 + window.bit_of(window.lane_of(0));
        above = window.low_run();
    }
    return none;
}

TEST(run_window, finds_what_a_search_bit_by_bit_finds) {
    std::mt19937_64 random(5);
    std::uint64_t found = 0;
    std::uint64_t missed = 0;
    for (int round = 0; round < 20000; ++round) {
        // Set and clear bits by turns, each so many on the average.
        std::geometric_distribution<std::uint64_t> set(1.0 / static_cast<double>(1 + random() % 150));
        std::geometric_distribution<std::uint64_t> clear(1.0 / static_cast<double>(1 + random() % 20));
        std::vector<bool> bits;
        std::uint64_t const size = 64 * (1 + random() % 6);
        while (bits.size() < size) {
            bits.insert(bits.end(), 1 + set(random), true);
            bits.insert(bits.end(), 1 + clear(random), false);
        }
        bits.resize(size);
        std::uint64_t const wanted = 1 + random() % (round % 2 == 0 ? 64 : 260);
        std::uint64_t const expected = highest_run(bits, wanted);
        ASSERT_EQ(found_run(bits, wanted), expected) << "round " << round << ", wanted " << wanted;
        ++(expected == none ? missed : found);
    }
    EXPECT_GT(found, 4000u);
    EXPECT_GT(missed, 4000u);
}

TEST(run_window, takes_words_that_are_all_set_together) {
    std::vector<bool> const all(256, true);
    for (std::uint64_t wanted = 1; wanted <= 256; ++wanted)
        EXPECT_EQ(found_run(all, wanted), 256 - wanted);
    EXPECT_EQ(found_run(all, 257), none);
}

} // namespace
} // namespace rhizome::alloc
