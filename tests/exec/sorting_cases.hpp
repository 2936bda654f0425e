// SPDX-License-Identifier: Apache-2.0
// What sorting promises beyond the order: it looks at the bits that it was given, and its scratch is charged.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace rhizome::exec_test {

/// Keys with bits set above those asked for: a caller that asks for too few must get keys out of order.
template <class Key, class Space>
void sorting_ignores_higher_bits(Space space) {
    std::mt19937_64 random(9);
    exec::workspace<Space> scratch(space);
    constexpr unsigned bits = 8 * sizeof(Key) - 44;
    constexpr Key mask = (Key{1} << bits) - 1;
    for (std::uint64_t const count : {3u, 1000u, 70'000u}) {
        std::vector<Key> values(count);
        for (Key& value : values)
            value = static_cast<Key>(Key{random()} << (8 * sizeof(Key) - 64)) ^ random();
        exec::buffer<Space, Key> keys(space, values);
        exec::buffer<Space, Key> alternate(space, count);
        Key* const sorted = sort_keys(space, scratch, keys.data(), alternate.data(), count, bits);
        std::vector<Key> found(count);
        space.copy_out(found.data(), sorted, count * sizeof(Key));
        EXPECT_TRUE(std::is_sorted(found.begin(), found.end(), [](Key left, Key right) {
            return (left & mask) < (right & mask);
        })) << count;
        std::sort(values.begin(), values.end());
        if (count > 100) {
            EXPECT_FALSE(found == values) << "higher bits count, too";
        }
        std::sort(found.begin(), found.end());
        EXPECT_TRUE(found == values) << "other keys than there were";
    }
}

/// Of keys in the order of their lowest bits, those above are sorted into another array. Keys whose lowest
/// bits are not in order come out of order, if there are too many for the sort of a few.
template <class Key, class Space>
void sorting_into_another_array_leaves_the_keys(Space space) {
    std::mt19937_64 random(10);
    exec::workspace<Space> scratch(space);
    constexpr unsigned bits = 8 * sizeof(Key) - 23;
    for (std::uint64_t const count : {1u, 2u, 1000u, 70'000u, 100'001u})
        for (unsigned const first : {0u, 1u, 2u}) {
            std::vector<Key> values(count);
            for (Key& value : values)
                value = (static_cast<Key>(Key{random()} << (8 * sizeof(Key) - 64)) ^ random()) &
                        exec::low_bits<Key>(bits);
            for (std::uint64_t i = 0; i < count; i += 3)
                values[i] = values[count / 2]; // the same key comes often
            Key const low = exec::low_bits<Key>(first);
            std::stable_sort(values.begin(), values.end(),
                             [&](Key left, Key right) { return (left & low) < (right & low); });
            exec::buffer<Space, Key> const keys(space, values);
            exec::buffer<Space, Key> sorted(space, count);
            exec::buffer<Space, std::byte> temporary(space,
                                                     sort_into_bytes(space, keys.data(), count, first, bits));
            sort_keys_into(space, scratch, keys.data(), sorted.data(), temporary.data(), count, first, bits);
            EXPECT_TRUE(keys.to_host() == values) << count << " keys were changed";
            std::sort(values.begin(), values.end());
            EXPECT_TRUE(sorted.to_host() == values) << count << " keys, from bit " << first;
        }
}

/// `space` has a limit of 4 MiB: enough for the pairs, too little once something else takes the rest.
template <class Key, class Space>
void scratch_of_sorting_is_charged(Space space) {
    constexpr std::uint64_t count = 40'000;
    exec::buffer<Space, Key> keys(space, std::vector<Key>(count, 7));
    exec::buffer<Space, Key> other_keys(space, count);
    exec::buffer<Space, std::uint32_t> values(space, std::vector<std::uint32_t>(count, 1));
    exec::buffer<Space, std::uint32_t> other_values(space, count);
    exec::basic_key_pairs<Key> const pairs{keys.data(), values.data()};
    exec::basic_key_pairs<Key> const others{other_keys.data(), other_values.data()};
    std::uint64_t const held = space.budget().held_bytes();
    {
        exec::workspace<Space> scratch(space);
        sort_pairs(space, scratch, pairs, others, count, 40);
        space.synchronize();
        EXPECT_GT(scratch.held_bytes(), 0u);
        EXPECT_EQ(space.budget().held_bytes() - held, scratch.held_bytes());
        std::uint64_t const charges = space.budget().charges();
        sort_pairs(space, scratch, pairs, others, count, 40);
        space.synchronize();
        EXPECT_EQ(space.budget().charges(), charges) << "scratch is kept";
    }
    exec::workspace<Space> scratch(space);
    exec::buffer<Space, std::byte> const rest(space, space.budget().available_bytes());
    EXPECT_THROW(sort_pairs(space, scratch, pairs, others, count, 40), exec::out_of_memory);
}

} // namespace rhizome::exec_test
