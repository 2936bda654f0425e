// SPDX-License-Identifier: Apache-2.0
// The emulator explores the look-back of the first pass, and the waiting of a compaction in place.
#include "compaction_check.hpp"

#include <rhizome/compaction/detail/look_back.hpp>
#include <rhizome/compaction/select.hpp>
#include <rhizome/exec/simt.hpp>

#include <gtest/gtest.h>
#include <scale.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::tests {
namespace {

using exec::simt_space;

/// Looks back once per tile: tiles are taken by ticket. Tile t has t + 1 items and 3 * t steps.
struct look_back_alone {
    std::uint64_t* ticket;
    compaction::detail::tile_table table;
    std::uint64_t* items;
    std::uint64_t* steps;
    struct shared {
        compaction::detail::look_back_storage look_back;
        std::uint64_t tile;
    };

    template <class Thread>
    void operator()(Thread const& thread) const {
        auto const block = thread.block();
        auto& storage = block.storage();
        while (true) {
            if (block.rank() == 0) storage.tile = thread.device(*ticket).fetch_add(1, exec::order::relaxed);
            block.sync();
            std::uint64_t const tile = storage.tile;
            block.sync();
            if (tile >= table.tiles) return;
            compaction::detail::tile_sums const totals{tile + 1, 3 * tile};
            compaction::detail::publish_totals(thread, table, tile, totals);
            auto const before = compaction::detail::look_back(thread, storage.look_back, table, tile, totals);
            if (block.rank() == block.size() - 1) {
                items[tile] = before.items;
                steps[tile] = before.steps;
            }
        }
    }
};

/// `tiles` tiles on blocks of this shape. The first `published` tiles have published their totals, and are
/// not looked at again.
bool looks_back(simt_space& space, std::uint64_t tiles, std::uint64_t published, exec::launch_shape shape) {
    using namespace compaction::detail;
    std::vector<std::uint64_t> initial(1 + tile_words * tiles, 0);
    initial[0] = published; // the ticket
    for (std::uint64_t tile = 0; tile < published; ++tile) {
        tile_state const state = tile == 0 ? tile_state::complete : tile_state::partial;
        initial[1 + tile] = tile_word(state, tile + 1);
        initial[1 + tiles + tile] = tile_word(state, 3 * tile);
    }
    exec::buffer<simt_space, std::uint64_t> words(space, std::span<std::uint64_t const>(initial));
    exec::buffer<simt_space, std::uint64_t> items(space, tiles);
    exec::buffer<simt_space, std::uint64_t> steps(space, tiles);
    launch(space, shape,
           look_back_alone{words.data(), {words.data() + 1, tiles}, items.data(), steps.data()});
    std::vector<std::uint64_t> const item_sums = items.to_host();
    std::vector<std::uint64_t> const step_sums = steps.to_host();
    for (std::uint64_t tile = published; tile < tiles; ++tile)
        if (item_sums[tile] != tile * (tile + 1) / 2 || step_sums[tile] != 3 * (tile * (tile - 1) / 2))
            return false;
    return true;
}

TEST(compaction_exploration, look_back_adds_up_under_every_schedule) {
    auto const two_warps = exec::explore(1, scaled(150), [](simt_space& space) {
        return looks_back(space, 40, 0, {8, 64});
    });
    EXPECT_TRUE(two_warps) << two_warps.report();
    auto const four_warps = exec::explore(1, scaled(40), [](simt_space& space) {
        return looks_back(space, 40, 0, {5, 128});
    });
    EXPECT_TRUE(four_warps) << four_warps.report();
    // More tiles without the sum of all before them than a block looks at in one round.
    auto const far = exec::explore(1, scaled(50), [](simt_space& space) {
        return looks_back(space, 410, 400, {3, 64});
    });
    EXPECT_TRUE(far) << far.report();
}

/// Small tiles and many blocks, so that blocks look back at each other.
constexpr compaction::launch_options small_tiles{.block_threads = 64, .write_blocks = 4};

TEST(compaction_exploration, selections_are_right_under_every_schedule) {
    plain_mask mask = uniform_mask(12 * compaction::chunk_items + 77, 0.002);
    for (std::uint64_t item = 50'000; item < 60'000; ++item)
        mask[item] = item % 3 != 0;
    auto const values = elements_of<std::uint32_t>(mask.size());
    auto const expected = selected_of(values, mask);
    auto const found = exec::explore(1, scaled(40), [&](simt_space& space) {
        compaction::compactor<simt_space> compactor(space);
        compactor.set_launch_options(small_tiles);
        exec::buffer<simt_space, std::uint32_t> const input(space, std::span<std::uint32_t const>(values));
        mask_in_space<simt_space> const bits(space, mask);
        exec::buffer<simt_space, std::uint32_t> output(space, expected.size());
        // The second call uses scratch that the first one cleared.
        for (int call = 0; call < 2; ++call) {
            output.fill_bytes(0xab);
            if (compactor.select(input.data(), bits.view(), output.data()) != expected.size()) return false;
            if (output.to_host() != expected) return false;
        }
        return true;
    });
    EXPECT_TRUE(found) << found.report();
}

template <class T>
void explore_moves(plain_mask const& mask) {
    auto const values = elements_of<T>(mask.size());
    auto const expected = selected_of(values, mask);
    auto const found = exec::explore(1, scaled(40), [&](simt_space& space) {
        compaction::compactor<simt_space> compactor(space);
        compactor.set_launch_options(small_tiles);
        exec::buffer<simt_space, T> data(space, std::span<T const>(values));
        mask_in_space<simt_space> const bits(space, mask);
        if (compactor.select_in_place(data.data(), bits.view()) != expected.size()) return false;
        std::vector<T> all = data.to_host();
        all.resize(expected.size());
        return all == expected;
    });
    EXPECT_TRUE(found) << found.report();
}

TEST(compaction_exploration, moves_in_place_are_right_under_every_schedule) {
    // Elements of 16 bytes: a row has 4 parts, and most of them move to the places of another warp's part.
    plain_mask mask = uniform_mask(24 * compaction::row_items + 1, 0.9);
    for (std::uint64_t item = 1000; item < 3000; ++item)
        mask[item] = false;
    explore_moves<two_words>(mask);
}

TEST(compaction_exploration, moves_of_groups_in_place_are_right_under_every_schedule) {
    // A chunk whose groups have one row, one with groups of two rows, and one with a single group.
    plain_mask mask = uniform_mask(3 * compaction::chunk_items, 0.2);
    for (std::uint64_t item = 0; item < mask.size(); ++item) {
        if (item < 20'000) mask[item] = item % 7 != 0;
        if (item >= 2 * compaction::chunk_items) mask[item] = item % 500 == 1;
    }
    explore_moves<std::uint32_t>(mask);
}

} // namespace
} // namespace rhizome::tests
