// SPDX-License-Identifier: Apache-2.0
// Tiles, coalesced groups and blocks as test cases, written once for every space: lanes write down what each
// collective answered, and the host works out from the ranks alone what the answer has to be.
#pragma once

#include "group_answers.hpp"

#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rhizome::exec_test {

/// What only tiles have.
template <class T>
struct tile_answers {
    group_answers<T> group;
    std::uint64_t index, count;
    T inclusive, min, max;
};

template <std::uint32_t W, class T>
struct ask_tile {
    tile_answers<T>* out; ///< one per thread

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<W>);
        T const mine = value_of<T>(thread.rank());
        tile_answers<T> a{ask<T>(thread, tile), tile.index(), tile.count(), {}, {}, {}};
        a.inclusive = tile.inclusive_scan(mine);
        a.min = tile.min(mine);
        a.max = tile.max(mine);
        out[thread.rank()] = a;
    }
};

template <std::uint32_t W, class T, class Space>
void tiles_of_one_width(Space& space) {
    SCOPED_TRACE("width " + std::to_string(W));
    std::uint32_t const block_threads = std::min(64u, space.max_block_threads());
    std::uint32_t const width = space.tile_lanes(W);
    exec::buffer<Space, tile_answers<T>> out(space, 3 * block_threads);
    out.fill_bytes(0xff);
    launch(space, {3, block_threads}, ask_tile<W, T>{out.data()});
    std::vector<tile_answers<T>> const got = out.to_host();
    for (std::size_t first = 0; first < got.size(); first += width) {
        std::vector<std::uint64_t> members(width);
        T inclusive{};
        T least = value_of<T>(first);
        T most = least;
        for (std::uint32_t i = 0; i < width; ++i) {
            members[i] = first + i;
            least = std::min(least, value_of<T>(first + i));
            most = std::max(most, value_of<T>(first + i));
        }
        for (std::uint32_t i = 0; i < width; ++i) {
            tile_answers<T> const& a = got[first + i];
            inclusive = static_cast<T>(inclusive + value_of<T>(first + i));
            expect_answers(a.group, members, i);
            ASSERT_EQ(a.index, first / width);
            ASSERT_EQ(a.count, got.size() / width);
            ASSERT_EQ(a.inclusive, inclusive) << "thread " << first + i;
            ASSERT_EQ(a.min, least) << "thread " << first + i;
            ASSERT_EQ(a.max, most) << "thread " << first + i;
        }
    }
}

/// Every collective of tiles of every width.
template <class T, class Space>
void tiles_answer_from_the_ranks(Space space) {
    tiles_of_one_width<1, T>(space);
    tiles_of_one_width<2, T>(space);
    tiles_of_one_width<4, T>(space);
    tiles_of_one_width<8, T>(space);
    tiles_of_one_width<16, T>(space);
    tiles_of_one_width<32, T>(space);
}

/// In each round the lanes of a warp part by a mask, in two ways: by a value that they match, and by a branch
/// that only those of the mask take.
template <class T>
struct part_by_masks {
    std::uint32_t const* masks;
    std::uint32_t rounds;
    group_answers<T>* matched; ///< one per round and thread
    group_answers<T>* arrived; ///< only of the lanes in the mask

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        for (std::uint32_t round = 0; round < rounds; ++round) {
            bool const chosen = (masks[round] >> warp.rank() & 1) != 0;
            std::uint64_t const place = round * thread.size() + thread.rank();
            matched[place] = ask<T>(thread, warp.match(chosen));
            if (chosen) arrived[place] = ask<T>(thread, thread.coalesced());
            warp.sync();
        }
    }
};

/// Masks of each size and form: one lane, all but one, the first, the last, every other, and random ones.
inline std::vector<std::uint32_t> some_masks(std::uint64_t seed, std::size_t random_masks) {
    std::vector<std::uint32_t> masks = {~0u, 0x5555'5555u, 0xaaaa'aaaau, 0x8000'0001u, 0x0000'ff00u};
    std::mt19937_64 random(seed);
    std::uint32_t const lane = static_cast<std::uint32_t>(random() % 32);
    masks.insert(masks.end(), {1u << lane, ~(1u << lane), ~0u >> lane, ~0u << lane});
    for (std::size_t i = 0; i < random_masks; ++i)
        masks.push_back(static_cast<std::uint32_t>(random() >> 20 & (i % 2 == 0 ? ~0u : random())));
    return masks;
}

template <class T, class Space>
void groups_answer_from_the_ranks(Space space, std::uint64_t seed, std::size_t random_masks) {
    std::uint32_t const threads = std::min(64u, space.max_block_threads());
    std::uint32_t const width = space.tile_lanes(32);
    std::vector<std::uint32_t> const masks = some_masks(seed, random_masks);
    auto const rounds = static_cast<std::uint32_t>(masks.size());
    exec::buffer<Space, std::uint32_t> const device_masks(space, masks);
    exec::buffer<Space, group_answers<T>> matched(space, std::uint64_t{rounds} * threads);
    exec::buffer<Space, group_answers<T>> arrived(space, std::uint64_t{rounds} * threads);
    matched.fill_bytes(0xff);
    arrived.fill_bytes(0xff);
    launch(space, {1, threads},
           part_by_masks<T>{device_masks.data(), rounds, matched.data(), arrived.data()});
    std::vector<group_answers<T>> const by_value = matched.to_host();
    std::vector<group_answers<T>> const by_branch = arrived.to_host();
    for (std::uint32_t round = 0; round < rounds; ++round) {
        SCOPED_TRACE("mask " + std::to_string(masks[round]) + ", round " + std::to_string(round));
        auto const chosen = [&](std::uint64_t thread) { return (masks[round] >> thread % width & 1) != 0; };
        std::map<std::pair<std::uint64_t, bool>, std::vector<std::uint64_t>>
            parts;                                                  // of a warp: by their vote
        std::map<std::uint64_t, std::vector<std::uint64_t>> groups; // by the leader that they were told
        for (std::uint64_t thread = 0; thread < threads; ++thread) {
            parts[{thread / width, chosen(thread)}].push_back(thread);
            group_answers<T> const& found = by_branch[round * threads + thread];
            if (chosen(thread))
                groups[found.leader].push_back(thread);
            else
                ASSERT_EQ(found.rank, ~0u) << "a lane outside of the mask";
        }
        for (auto const& [key, members] : parts)
            for (std::uint32_t i = 0; i < members.size(); ++i)
                expect_answers(by_value[round * threads + members[i]], members, i);
        // Any subset that contains the caller may arrive together; then it has to be one group to all its
        // lanes.
        for (auto const& [leader, members] : groups) {
            ASSERT_EQ(members.front() / width, members.back() / width) << "lanes of two warps";
            for (std::uint32_t i = 0; i < members.size(); ++i)
                expect_answers(by_branch[round * threads + members[i]], members, i);
        }
        if (::testing::Test::HasFailure()) return;
    }
}

/// Tiles of 8 of which every other one takes the branch, while the rest of the warp does something else.
struct diverging_tiles {
    std::uint32_t* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<8>);
        auto const mine = static_cast<std::uint32_t>(thread.rank());
        if (tile.index() % 2 == 0)
            out[thread.rank()] = tile.sum(mine);
        else
            out[thread.rank()] = tile.max(mine) + tile.broadcast(mine, 2 % tile.size());
    }
};

template <class Space>
void tiles_of_one_warp_may_diverge(Space space) {
    std::uint32_t const threads = std::min(64u, space.max_block_threads());
    std::uint32_t const width = space.tile_lanes(8);
    exec::buffer<Space, std::uint32_t> out(space, 2 * threads);
    launch(space, {2, threads}, diverging_tiles{out.data()});
    std::vector<std::uint32_t> const got = out.to_host();
    for (std::uint32_t i = 0; i < got.size(); ++i) {
        std::uint32_t const first = i / width * width;
        std::uint32_t const last = first + width - 1;
        ASSERT_EQ(got[i], i / width % 2 == 0 ? (first + last) * width / 2 : last + first + 2 % width) << i;
    }
}

/// Lanes hand values round in plain shared memory: `sync` of the tile orders it.
template <std::uint32_t W>
struct pass_round {
    struct shared {
        std::uint32_t values[64];
    };
    std::uint32_t turns;
    std::uint32_t* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<W>);
        std::uint32_t* const values = thread.block().storage().values;
        std::uint32_t const base = thread.block().rank() - tile.rank();
        auto held = static_cast<std::uint32_t>(thread.rank());
        for (std::uint32_t turn = 0; turn < turns; ++turn) {
            values[base + tile.rank()] = held;
            tile.sync();
            held = values[base + (tile.rank() + 1) % tile.size()] + 1;
            tile.sync();
        }
        out[thread.rank()] = held;
    }
};

template <std::uint32_t W, class Space>
void tiles_pass_values_round(Space& space, std::uint32_t turns) {
    std::uint32_t const threads = std::min(64u, space.max_block_threads());
    std::uint32_t const width = space.tile_lanes(W);
    exec::buffer<Space, std::uint32_t> out(space, 2 * threads);
    launch(space, {2, threads}, pass_round<W>{turns, out.data()});
    std::vector<std::uint32_t> const got = out.to_host();
    for (std::uint32_t i = 0; i < got.size(); ++i)
        ASSERT_EQ(got[i], i / width * width + (i % width + turns) % width + turns)
            << "width " << W << ", thread " << i;
}

template <class Space>
void tile_sync_orders_memory(Space space) {
    tiles_pass_values_round<2>(space, 5);
    tiles_pass_values_round<4>(space, 7);
    tiles_pass_values_round<8>(space, 9);
    tiles_pass_values_round<16>(space, 17);
    tiles_pass_values_round<32>(space, 33);
}

/// A scan over the storage of a block, with barriers between the steps.
struct block_scan {
    static constexpr std::uint32_t most_threads = 256;
    struct shared {
        std::uint32_t values[most_threads];
    };
    std::uint32_t* out;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const block = thread.block();
        std::uint32_t* const values = block.storage().values;
        values[block.rank()] = block.rank() + block.index();
        block.sync();
        for (std::uint32_t step = 1; step < block.size(); step *= 2) {
            std::uint32_t const lower = block.rank() >= step ? values[block.rank() - step] : 0;
            block.sync();
            values[block.rank()] += lower;
            block.sync();
        }
        out[thread.rank()] = values[block.rank()] + 1000 * block.count();
    }
};

template <class Space>
void barriers_order_shared_storage(Space space, std::uint32_t block_threads) {
    std::uint32_t const threads = std::min(block_threads, space.max_block_threads());
    exec::buffer<Space, std::uint32_t> out(space, 4 * threads);
    launch(space, {4, threads}, block_scan{out.data()});
    std::vector<std::uint32_t> const got = out.to_host();
    for (std::uint32_t i = 0; i < got.size(); ++i) {
        std::uint32_t const rank = i % threads;
        ASSERT_EQ(got[i], rank * (rank + 1) / 2 + (rank + 1) * (i / threads) + 4000) << i;
    }
}

struct collect_groups {
    std::uint64_t items;
    std::uint64_t* sums;    ///< one per item: of the lanes' shares
    std::uint64_t* largest; ///< one per item: the largest share

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<8>);
        exec::for_each_group_item(tile, items, [&](std::uint64_t item) {
            std::uint64_t mine = 0;
            for (std::uint64_t i = tile.rank(); i < item; i += tile.size())
                mine += i;
            std::uint64_t const total = tile.sum(mine);
            std::uint64_t const most = tile.max(mine);
            if (tile.rank() != 0) return;
            sums[item] = total;
            largest[item] = most;
        });
    }
};

template <class Space>
void tiles_share_an_item(Space space) {
    std::uint64_t const items = 1000;
    exec::buffer<Space, std::uint64_t> sums(space, items);
    exec::buffer<Space, std::uint64_t> largest(space, items);
    launch(space, exec::cover_tiles<8>(space, items), collect_groups{items, sums.data(), largest.data()});
    std::vector<std::uint64_t> const found = sums.to_host();
    std::vector<std::uint64_t> const found_largest = largest.to_host();
    for (std::uint64_t i = 0; i < items; ++i) {
        std::vector<std::uint64_t> shares(space.tile_lanes(8), 0);
        for (std::uint64_t j = 0; j < i; ++j)
            shares[j % shares.size()] += j;
        ASSERT_EQ(found[i], i == 0 ? 0 : i * (i - 1) / 2) << i;
        ASSERT_EQ(found_largest[i], *std::max_element(shares.begin(), shares.end())) << i;
    }
}

} // namespace rhizome::exec_test
