// SPDX-License-Identifier: Apache-2.0
// The contract of a space as test cases, written once: each space's file names the type and includes them.
#pragma once

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/early_words.hpp>
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/region.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/side_lane.hpp>
#include <rhizome/exec/staging.hpp>
#include <rhizome/exec/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <stdexcept>
#include <vector>

namespace rhizome::exec_test {

struct add_ranks {
    std::uint64_t items;
    std::uint64_t* total;
    std::uint32_t* touched;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, items, [&](std::uint64_t i) {
            thread.device(touched[i]).fetch_add(1u, exec::order::relaxed);
            thread.device(*total).fetch_add(i, exec::order::relaxed);
        });
    }
};

template <class Space>
void every_item_is_visited_once(Space space) {
    for (std::uint64_t const items : {0u, 1u, 31u, 257u, 100'000u}) {
        exec::buffer<Space, std::uint64_t> total(space, 1);
        exec::buffer<Space, std::uint32_t> touched(space, items + 1);
        total.fill_bytes(0);
        touched.fill_bytes(0);
        launch(space, cover_threads(space, items), add_ranks{items, total.data(), touched.data()});
        EXPECT_EQ(total.to_host()[0], items == 0 ? 0 : items * (items - 1) / 2);
        std::vector<std::uint32_t> const counts = touched.to_host();
        EXPECT_TRUE(std::all_of(counts.begin(), counts.end() - 1, [](auto c) { return c == 1; }));
        EXPECT_EQ(counts.back(), 0u);
    }
}

template <class Space>
void regions_grow_in_place(Space space, std::uint64_t step_bytes) {
    exec::region<Space> region(space, 64u << 20, "test region");
    EXPECT_EQ(region.committed_bytes(), 0u);
    region.grow_to(1);
    std::byte* const place = region.data();
    EXPECT_EQ(region.committed_bytes() % step_bytes, 0u);
    space.fill(place, 0x5a, region.committed_bytes());
    std::uint64_t const before = region.committed_bytes();
    region.grow_to(32u << 20);
    EXPECT_EQ(region.data(), place);
    space.fill(place + before, 0xa5, region.committed_bytes() - before);
    std::vector<std::uint8_t> bytes(region.committed_bytes());
    space.copy_out(bytes.data(), place, bytes.size());
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(before),
                            [](auto b) { return b == 0x5a; }));
    EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(before), bytes.end(),
                            [](auto b) { return b == 0xa5; }));
    EXPECT_EQ(space.budget().held_bytes(), region.committed_bytes());
    EXPECT_THROW(region.grow_to(region.reserved_bytes() + 1), exec::out_of_memory);
    EXPECT_EQ(region.data(), place);
}

template <class Space>
void regions_shrink_in_place(Space space) {
    exec::region<Space> region(space, 64u << 20, "test region");
    region.shrink_to(0); // of nothing
    region.grow_to(2u << 20);
    region.grow_to(24u << 20);
    std::byte* const place = region.data();
    std::uint64_t const held = region.committed_bytes();
    space.fill(place, 0x5a, held);
    region.shrink_to(held);
    region.shrink_to(held + 1);
    EXPECT_EQ(region.committed_bytes(), held);

    constexpr std::uint64_t kept = (10u << 20) + 1;
    std::uint64_t const expected = region.shrunk_bytes(kept);
    EXPECT_GE(expected, kept);
    EXPECT_LE(expected, kept + std::max(kept / 8, region.step_bytes()));
    region.shrink_to(kept);
    EXPECT_EQ(region.committed_bytes(), expected);
    EXPECT_EQ(space.budget().held_bytes(), expected);
    EXPECT_EQ(region.data(), place);
    std::vector<std::uint8_t> bytes(expected);
    space.copy_out(bytes.data(), place, bytes.size());
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0x5a; }));

    region.grow_to(16u << 20);
    EXPECT_EQ(region.data(), place);
    EXPECT_EQ(space.budget().held_bytes(), region.committed_bytes());
    bytes.resize(region.committed_bytes());
    if constexpr (exec::region<Space>::starts_as_zeros) {
        space.copy_out(bytes.data(), place, bytes.size());
        EXPECT_TRUE(std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(expected), bytes.end(),
                                [](auto b) { return b == 0; }));
    }
    space.fill(place, 0xa5, region.committed_bytes());
    space.copy_out(bytes.data(), place, bytes.size());
    EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](auto b) { return b == 0xa5; }));

    region.shrink_to(0);
    EXPECT_EQ(region.committed_bytes(), 0u);
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

/// Sizes that wrap to small ones if they are rounded up, or multiplied by the size of an element.
template <class Space>
void sizes_beyond_all_memory_are_refused(Space space) {
    constexpr std::uint64_t most = ~std::uint64_t{0};
    constexpr std::uint64_t wrapping_elements = (std::uint64_t{1} << 61) + 1; // 8 bytes, modulo 2^64
    EXPECT_THROW((exec::region<Space>(space, most, "endless region")), exec::out_of_memory);
    exec::region<Space> region(space, 1u << 20, "short region");
    region.grow_to(1);
    std::uint64_t const held = region.committed_bytes();
    for (std::uint64_t const bytes : {most, most - 4096})
        try {
            region.grow_to(bytes);
            ADD_FAILURE() << "grew to " << bytes << " bytes";
        } catch (exec::out_of_memory const& error) {
            EXPECT_GE(error.needed_bytes(), bytes - held);
            EXPECT_EQ(error.available_bytes(), region.reserved_bytes() - held);
        }
    EXPECT_EQ(region.committed_bytes(), held);

    EXPECT_THROW((exec::buffer<Space, std::uint64_t>(space, wrapping_elements)), exec::out_of_memory);
    exec::buffer<Space, std::uint64_t> buffer(space, 10);
    EXPECT_THROW(buffer.discard_and_resize(wrapping_elements), exec::out_of_memory);
    EXPECT_EQ(buffer.size(), 0u);
    exec::workspace<Space> workspace(space);
    EXPECT_THROW(static_cast<void>(workspace.template at_least_of<std::uint64_t>(wrapping_elements)),
                 exec::out_of_memory);
    EXPECT_EQ(space.budget().held_bytes(), held);
}

/// `space` has a limit of 8 MiB.
template <class Space>
void limits_are_kept(Space space) {
    {
        exec::region<Space> region(space, 64u << 20, "limited region");
        region.grow_to(4u << 20);
        std::uint64_t const held = space.budget().held_bytes();
        try {
            region.grow_to(16u << 20);
            FAIL() << "grew past the limit";
        } catch (exec::out_of_memory const& error) {
            EXPECT_EQ(error.needed_bytes(), (16u << 20) - held);
            EXPECT_EQ(error.available_bytes(), (8u << 20) - held);
        }
        EXPECT_EQ(region.committed_bytes(), held);
        EXPECT_THROW((exec::buffer<Space, std::byte>(space, 8u << 20)), exec::out_of_memory);
        exec::buffer<Space, std::byte> const fits(space, (8u << 20) - held);
        EXPECT_EQ(space.budget().available_bytes(), 0u);
    }
    EXPECT_EQ(space.budget().held_bytes(), 0u);
}

template <class Space>
void primitives_agree_with_the_standard_library(Space space) {
    std::mt19937_64 random(7);
    exec::workspace<Space> scratch(space);
    for (std::uint64_t const count : {1u, 2u, 1000u, 1024u, 1025u, 32'000u, 32'768u, 70'000u}) {
        unsigned const bits = 40;
        std::vector<std::uint64_t> values(count);
        for (auto& value : values)
            value = random() % (count < 5 ? 2 : count) << 20;
        values[count / 2] = values[count / 3] = (std::uint64_t{1} << bits) - 1;
        exec::buffer<Space, std::uint64_t> keys(space, values);
        exec::buffer<Space, std::uint64_t> alternate(space, count);
        std::uint64_t* const sorted = sort_keys(space, scratch, keys.data(), alternate.data(), count, bits);
        std::sort(values.begin(), values.end());
        std::vector<std::uint64_t> found(count);
        space.copy_out(found.data(), sorted, count * sizeof(std::uint64_t));
        EXPECT_EQ(found, values);

        std::uint64_t* const other = sorted == keys.data() ? alternate.data() : keys.data();
        exec::buffer<Space, std::uint64_t> number(space, 1);
        unique(space, scratch, sorted, other, number.data(), count);
        std::vector<std::uint64_t> distinct = values;
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
        ASSERT_EQ(number.to_host()[0], distinct.size());
        found.resize(distinct.size());
        space.copy_out(found.data(), other, found.size() * sizeof(std::uint64_t));
        EXPECT_EQ(found, distinct);

        // Pairs keep the order of equal keys; here the upper half of a key is of no account.
        std::vector<std::uint64_t> wide_keys(count);
        std::vector<std::uint32_t> places(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            wide_keys[i] = random() << 32 | (i % 7 == 0 ? 0xffff'ffff : random() % (1 + count / 3));
            places[i] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint32_t> stable = places;
        std::stable_sort(stable.begin(), stable.end(), [&](std::uint32_t left, std::uint32_t right) {
            return (wide_keys[left] & 0xffff'ffff) < (wide_keys[right] & 0xffff'ffff);
        });
        exec::buffer<Space, std::uint64_t> pair_keys(space, wide_keys);
        exec::buffer<Space, std::uint32_t> pair_places(space, places);
        exec::buffer<Space, std::uint32_t> other_places(space, count);
        exec::key_pairs const pairs = sort_pairs(space, scratch, {pair_keys.data(), pair_places.data()},
                                                 {alternate.data(), other_places.data()}, count, 32);
        found.resize(count);
        space.copy_out(found.data(), pairs.keys, count * sizeof(std::uint64_t));
        space.copy_out(places.data(), pairs.values, count * sizeof(std::uint32_t));
        EXPECT_EQ(places, stable);
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_EQ(found[i], wide_keys[stable[i]]);

        std::vector<std::uint32_t> small(count);
        for (auto& value : small)
            value = static_cast<std::uint32_t>(random() % 100);
        std::vector<std::uint32_t> scanned(count);
        std::exclusive_scan(small.begin(), small.end(), scanned.begin(), 0u);
        exec::buffer<Space, std::uint32_t> input(space, small);
        exec::buffer<Space, std::uint64_t> wide(space, count);
        exclusive_scan(space, scratch, input.data(), wide.data(), count);
        EXPECT_EQ(wide.to_host(), std::vector<std::uint64_t>(scanned.begin(), scanned.end()));
        exclusive_scan(space, scratch, input.data(), input.data(), count);
        EXPECT_EQ(input.to_host(), scanned);

        exec::workspace<Space> prepared(space);
        prepare_scan(space, prepared, count);
        std::uint64_t const prepared_bytes = prepared.held_bytes();
        exclusive_scan(space, prepared, input.data(), input.data(), count);
        EXPECT_EQ(prepared.held_bytes(), prepared_bytes);

        exec::buffer<Space, std::uint64_t> total(space, 1);
        sum(space, scratch, wide.data(), total.data(), count);
        EXPECT_EQ(total.to_host()[0], std::accumulate(scanned.begin(), scanned.end(), std::uint64_t{0}));
        std::vector<double> halves(count, 0.5);
        exec::buffer<Space, double> reals(space, halves);
        exec::buffer<Space, double> real_total(space, 1);
        sum(space, scratch, reals.data(), real_total.data(), count);
        EXPECT_EQ(real_total.to_host()[0], 0.5 * static_cast<double>(count));
    }
}

/// Keys of two numbers that 64 bits do not hold together, by 72 of their bits.
template <class Space>
void wide_keys_are_sorted(Space space) {
    std::mt19937_64 random(8);
    exec::workspace<Space> scratch(space);
    for (std::uint64_t const count : {1u, 2u, 1000u, 1024u, 1025u, 32'000u, 32'768u, 70'000u}) {
        unsigned const bits = 72;
        std::vector<exec::uint128> values(count);
        for (auto& value : values)
            value = exec::uint128{random() % 256} << 64 | (random() % 3) << 62 | random() % (1 + count / 8);
        exec::buffer<Space, exec::uint128> keys(space, values);
        exec::buffer<Space, exec::uint128> alternate(space, count);
        exec::uint128* const sorted = sort_keys(space, scratch, keys.data(), alternate.data(), count, bits);
        std::vector<exec::uint128> expected = values;
        std::sort(expected.begin(), expected.end());
        std::vector<exec::uint128> found(count);
        space.copy_out(found.data(), sorted, count * sizeof(exec::uint128));
        EXPECT_TRUE(found == expected);

        // Pairs keep the order of equal keys; here what lies above `bits` is of no account.
        exec::uint128 const mask = (exec::uint128{1} << bits) - 1;
        std::vector<std::uint32_t> places(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            values[i] |= exec::uint128{random()} << bits;
            places[i] = static_cast<std::uint32_t>(i);
        }
        std::vector<std::uint32_t> stable = places;
        std::stable_sort(stable.begin(), stable.end(), [&](std::uint32_t left, std::uint32_t right) {
            return (values[left] & mask) < (values[right] & mask);
        });
        exec::buffer<Space, exec::uint128> pair_keys(space, values);
        exec::buffer<Space, std::uint32_t> pair_places(space, places);
        exec::buffer<Space, std::uint32_t> other_places(space, count);
        exec::wide_key_pairs const pairs = sort_pairs(space, scratch, {pair_keys.data(), pair_places.data()},
                                                      {alternate.data(), other_places.data()}, count, bits);
        space.copy_out(found.data(), pairs.keys, count * sizeof(exec::uint128));
        space.copy_out(places.data(), pairs.values, count * sizeof(std::uint32_t));
        EXPECT_EQ(places, stable);
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_TRUE(found[i] == values[stable[i]]) << i;
    }
}

struct add_one {
    std::uint64_t items;
    std::uint32_t const* from;
    std::uint32_t* to;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, items, [&](std::uint64_t i) { to[i] = from[i] + 1; });
    }
};

template <class Space>
void places_are_filled_ahead(Space space) {
    std::uint64_t const held = space.budget().held_bytes();
    exec::staging<Space> places(space);
    EXPECT_EQ(space.budget().held_bytes(), held) << "nothing is taken before it is used";
    std::vector<std::uint32_t> values(300'000);
    exec::buffer<Space, std::uint32_t> result(space, values.size());
    auto const fill = [&](std::size_t place, std::uint32_t first, std::size_t count) {
        std::iota(values.begin(), values.end(), first);
        std::uint64_t const half_bytes = count / 2 * sizeof(std::uint32_t);
        places.open(place, count * sizeof(std::uint32_t));
        places.put(place, 0, values.data(), half_bytes);
        places.put(place, half_bytes, values.data() + count / 2, half_bytes);
        places.close(place);
        std::fill(values.begin(), values.end(), 0u); // the source is free again
    };
    auto const check = [&](std::size_t place, std::uint32_t first, std::size_t count) {
        launch(space, cover_threads(space, count),
               add_one{count, reinterpret_cast<std::uint32_t const*>(places.use(place)), result.data()});
        places.used(place);
        std::vector<std::uint32_t> found(count);
        space.copy_out(found.data(), result.data(), count * sizeof(std::uint32_t));
        std::vector<std::uint32_t> expected(count);
        std::iota(expected.begin(), expected.end(), first + 1);
        EXPECT_TRUE(found == expected) << place << ' ' << first;
    };
    fill(0, 1, 1000);
    for (std::uint32_t round = 0; round < 6; ++round) {
        std::size_t const count = round < 3 ? 1000 : values.size();
        std::size_t const next = round < 2 ? 1000 : values.size();
        fill((round + 1) % 2, 100 * round + 101, next);
        check(round % 2, 100 * round + 1, count);
    }
    std::uint64_t const charges = space.budget().charges();
    fill(1, 5, values.size()); // what was put before and never read is forgotten
    check(1, 5, values.size());
    fill(0, 7, 1000);
    check(0, 7, 1000);
    EXPECT_EQ(space.budget().charges(), charges) << "no place had to hold more than ever";
    EXPECT_EQ(space.budget().held_bytes() - held,
              places.held_bytes(0) + places.held_bytes(1) + result.size_bytes());
    EXPECT_TRUE(places.give_back(0));
    EXPECT_FALSE(places.give_back(0)) << "it has nothing left";
    fill(0, 9, 1000);
    check(0, 9, 1000);

    // Data that a function writes part by part.
    std::uint64_t const bytes = values.size() * sizeof(std::uint32_t);
    std::uint64_t written = 0;
    places.open(1, 256 + bytes);
    places.put_written(1, 256, bytes, [&](std::byte* to, std::uint64_t first, std::uint64_t count) {
        EXPECT_EQ(first, written) << "the parts ascend";
        EXPECT_EQ(first % 256, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(to) % 256, 0u);
        auto* const part = reinterpret_cast<std::uint32_t*>(to);
        std::iota(part, part + count / sizeof(*part), static_cast<std::uint32_t>(first / sizeof(*part)));
        written += count;
    });
    places.put_written(1, 0, 0, [](std::byte*, std::uint64_t, std::uint64_t) { ADD_FAILURE(); });
    places.close(1);
    EXPECT_EQ(written, bytes);
    std::vector<std::uint32_t> found(values.size());
    space.copy_out(found.data(), places.use(1) + 256, bytes);
    std::iota(values.begin(), values.end(), 0u);
    EXPECT_TRUE(found == values);
}

struct write_result {
    std::uint32_t const* values;
    std::uint32_t* place;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.index() != 0) return;
        std::uint32_t sum = 0;
        for (std::uint32_t i = warp.rank(); i < 100; i += warp.size())
            sum += values[i];
        sum = warp.sum(sum);
        if (warp.rank() == 0) *place = sum;
    }
};

template <class Space>
void results_come_without_a_copy(Space space) {
    exec::mailbox<Space, std::uint32_t> first(space);
    EXPECT_EQ(first.read(), 0u);
    for (std::uint32_t const value : {3u, 5u}) {
        exec::buffer<Space, std::uint32_t> const some(space, std::vector<std::uint32_t>(100, value));
        std::uint64_t const waits = space.waits();
        launch(space, one_warp(space), write_result{some.data(), first.in_space()});
        EXPECT_EQ(space.waits(), waits);
        EXPECT_EQ(first.read(), 100 * value);
        EXPECT_EQ(space.waits(), waits + 1);
    }
    exec::mailbox<Space, std::uint32_t> second(std::move(first));
    EXPECT_EQ(second.read(), 500u);
}

struct write_numbers {
    exec::early_words_ref to;
    std::uint64_t first;
    std::uint32_t count = 3;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        for (std::uint32_t i = warp.rank(); i < count; i += warp.size())
            to.write(thread, i, first + i);
    }
};

template <class Space>
void numbers_come_early(Space space) {
    exec::early_words<Space, 3> first(space);
    for (std::uint64_t const value : {std::uint64_t{0}, std::uint64_t{7}, (std::uint64_t{1} << 48) - 3}) {
        std::uint64_t const waits = space.waits();
        launch(space, one_warp(space), write_numbers{first.next(), value});
        auto const found = first.read();
        for (std::uint32_t i = 0; i < 3; ++i)
            EXPECT_EQ(found[i], value + i);
        EXPECT_EQ(space.waits(), waits + 1);
    }
    // The first numbers alone, and none.
    launch(space, one_warp(space), write_numbers{first.next(), 20, 2});
    std::uint64_t two[2] = {};
    first.read(two, 2);
    EXPECT_EQ(two[1], 21u);
    launch(space, one_warp(space), write_numbers{first.next(), 30, 2});
    EXPECT_THROW(static_cast<void>(first.read()), std::logic_error)
        << "the third number is of another launch";
    exec::early_words<Space, 3> second(std::move(first));
    for (std::uint32_t launches = 0; launches < 66'000; ++launches) {
        launch(space, one_warp(space), write_numbers{second.next(), launches});
        ASSERT_EQ(second.read()[2], launches + 2) << "stamps begin anew after 65,535 launches";
    }
    for (std::uint32_t refused = 0; refused < 65'534; ++refused)
        static_cast<void>(second.next());
    launch(space, one_warp(space), write_numbers{second.next(), 40, 2});
    EXPECT_THROW(static_cast<void>(second.read()), std::logic_error) << "a number as old as the stamps";
}

/// words[i] = words[i] * 2 + add, late.
struct change_words {
    std::uint32_t* words;
    std::uint64_t count;
    std::uint32_t add;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for (int i = 0; i < 20; ++i)
            thread.pause();
        exec::for_each_item(thread, count, [&](std::uint64_t i) { words[i] = words[i] * 2 + add; });
    }
};

template <class Space>
void kernels_go_on_beside_the_work(Space space) {
    exec::buffer<Space, std::uint32_t> words(space, std::vector<std::uint32_t>(1000, 1));
    exec::side_lane<Space> first(space);
    first.work_awaits(); // nothing
    exec::side_lane<Space> lane(std::move(first));
    auto const change = [&](Space& where, std::uint32_t add) {
        launch(where, cover_threads(space, words.size()), change_words{words.data(), words.size(), add});
    };
    std::uint64_t const waits = space.waits();
    for (std::uint32_t round = 0; round < 3; ++round) {
        change(space, 0);
        lane.awaits_work();
        change(lane.space(), 1);
        lane.work_awaits();
    }
    EXPECT_EQ(space.waits(), waits) << "the host waits for none of it";
    // 1 -> 2 -> 5 -> 10 -> 21 -> 42 -> 85
    EXPECT_EQ(words.to_host(), std::vector<std::uint32_t>(1000, 85));
    lane.awaits_work();
    change(lane.space(), 3);
    { exec::side_lane<Space> const last(std::move(lane)); } // waits for what it was given
    EXPECT_EQ(words.to_host(), std::vector<std::uint32_t>(1000, 173));
}

template <class Space>
void waits_and_charges_are_counted(Space space) {
    std::uint64_t const charges = space.budget().charges();
    std::uint64_t const waits = space.waits();
    {
        exec::buffer<Space, std::uint32_t> const some(space, std::vector<std::uint32_t>(7, 3));
        EXPECT_EQ(space.waits(), waits) << "to give work is not to wait";
        EXPECT_EQ(some.to_host()[6], 3u);
        EXPECT_EQ(space.waits(), waits + 1);
        space.synchronize();
        EXPECT_EQ(space.waits(), waits + 2);
    }
    EXPECT_EQ(space.waits(), waits + 3) << "memory is given back when no thread can access it";
    EXPECT_EQ(space.budget().charges(), charges + 1);
}

} // namespace rhizome::exec_test
