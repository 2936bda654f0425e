// SPDX-License-Identifier: Apache-2.0
// Prefix sums over the tiles of a launch by decoupled look-back (Merrill and Garland, Single-pass parallel
// prefix scan with decoupled look-back, NVIDIA NVR-2016-002), of several quantities at once.
//
// Each tile has a word per quantity with a state and a value. The state only rises: empty -> partial ->
// complete.
//   partial:  value = total of the tile
//   complete: value = total of the tile and of all tiles before it
// Invariant: a word is written only by the block that counted its tile. Tiles are numbered by the ticket with
// which a block took them, so a block waits only for tiles of blocks that have started. All words are 0
// (empty) when a launch begins; the next kernel of the call clears them again.
#pragma once

#include <rhizome/compaction/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::compaction::detail {

inline constexpr std::uint32_t value_bits = 62;
inline constexpr std::uint64_t value_mask = (std::uint64_t{1} << value_bits) - 1;

enum class tile_state : std::uint64_t { empty, partial, complete };

[[nodiscard]] RZ_HD constexpr std::uint64_t tile_word(tile_state state, std::uint64_t value) {
    return static_cast<std::uint64_t>(state) << value_bits | value;
}
[[nodiscard]] RZ_HD constexpr tile_state state_of(std::uint64_t word) {
    return static_cast<tile_state>(word >> value_bits);
}

[[nodiscard]] RZ_HD constexpr std::uint32_t lower_of(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
}

/// What is added up over the tiles.
struct tile_sums {
    std::uint64_t items; ///< selected
    std::uint64_t steps; ///< that the next kernel executes
};
inline constexpr std::uint32_t tile_words = 2;

/// The words: of all tiles for items, then of all tiles for steps.
struct tile_table {
    std::uint64_t* words;
    std::uint64_t tiles;
};

/// Shared storage of look_back().
struct look_back_storage {
    std::uint32_t nearest[most_block_warps];
    std::uint64_t parts[most_block_warps];
};

// The first half of the threads of a block is responsible for items, the other half for steps.
// All orders are relaxed: state and value are one word, and it guards no other memory.

/// Publishes sums of tile number `tile`. Called by all threads of a block, which has at least two.
template <class Thread>
RZ_HD void publish(Thread const& thread, tile_table const& table, std::uint64_t tile, tile_state state,
                   tile_sums const& sums) {
    auto const block = thread.block();
    bool const for_steps = block.rank() >= block.size() / 2;
    if (block.rank() % (block.size() / 2) == 0)
        thread.device(table.words[for_steps ? table.tiles + tile : tile])
            .store(tile_word(state, for_steps ? sums.steps : sums.items), exec::order::relaxed);
}

/// Publishes the totals of a tile for later tiles. Called by all threads of the block.
template <class Thread>
RZ_HD void publish_totals(Thread const& thread, tile_table const& table, std::uint64_t tile,
                          tile_sums const& totals) {
    publish(thread, table, tile, tile == 0 ? tile_state::complete : tile_state::partial, totals);
}

/// Returns the sums of all tiles before number `tile`, whose totals have been published, and publishes the
/// sums that include this tile. Called by all threads of a block, which has an even number of warps; all get
/// the result. Waits for the tiles before it to publish their totals. Cost: one round of loads and two
/// barriers for each 4 * 128 tiles (in blocks of 256 threads) back to the last complete one.
template <class Thread>
[[nodiscard]] RZ_HD tile_sums look_back(Thread const& thread, look_back_storage& storage,
                                        tile_table const& table, std::uint64_t tile,
                                        tile_sums const& totals) {
    constexpr std::uint32_t none = ~std::uint32_t{0};
    auto const block = thread.block();
    auto const warp = thread.warp();
    std::uint32_t const half = block.size() / 2;
    std::uint32_t const half_warps = half / warp.size();
    std::uint32_t const own_warp = block.rank() / warp.size();
    bool const for_steps = block.rank() >= half;
    std::uint32_t const rank = for_steps ? block.rank() - half : block.rank();
    std::uint64_t* const words = for_steps ? table.words + table.tiles : table.words;
    std::uint64_t before[tile_words]{};
    bool adds[tile_words]{true, true};          // whether the nearest complete tile has not been found
    for (std::uint64_t end = tile; end != 0;) { // `before` covers tiles [end, tile)
        // This thread looks at tiles end - 1 - rank, end - 1 - rank - half, ...
        std::uint64_t word[look_back_depth]{};
        // Threads beyond the nearest complete tile wait no longer than the others: before a tile is complete,
        // all tiles before it have published their totals.
        while (true) {
            RZ_UNROLL
            for (std::uint32_t d = 0; d < look_back_depth; ++d) {
                std::uint32_t const distance = d * half + rank;
                if (state_of(word[d]) != tile_state::empty) continue;
                // Before the first tile a thread sees a complete one with total 0.
                word[d] = tile_word(tile_state::complete, 0);
                if (distance < end)
                    word[d] = thread.device(words[end - 1 - distance]).load(exec::order::relaxed);
            }
            bool waits = false;
            RZ_UNROLL
            for (std::uint32_t d = 0; d < look_back_depth; ++d)
                waits = waits || state_of(word[d]) == tile_state::empty;
            if (!waits) break;
            thread.relax();
        }
        std::uint32_t nearest = none;
        RZ_UNROLL
        for (std::uint32_t d = look_back_depth; d-- != 0;)
            if (state_of(word[d]) == tile_state::complete) nearest = d * half + rank;
        nearest = warp.min(nearest);
        if (warp.rank() == 0) storage.nearest[own_warp] = nearest;
        block.sync();
        std::uint32_t nearest_of[tile_words]{none, none};
        RZ_UNROLL
        for (std::uint32_t i = 0; i < most_block_warps / 2; ++i) {
            if (i >= half_warps) continue;
            nearest_of[0] = lower_of(nearest_of[0], storage.nearest[i]);
            nearest_of[1] = lower_of(nearest_of[1], storage.nearest[half_warps + i]);
        }
        nearest = for_steps ? nearest_of[1] : nearest_of[0];
        std::uint64_t part = 0;
        RZ_UNROLL
        for (std::uint32_t d = 0; d < look_back_depth; ++d)
            if (d * half + rank <= nearest) part += word[d] & value_mask;
        part = warp.sum(part);
        if (warp.rank() == 0) storage.parts[own_warp] = part;
        block.sync();
        RZ_UNROLL
        for (std::uint32_t i = 0; i < most_block_warps / 2; ++i) {
            if (i >= half_warps) continue;
            before[0] += adds[0] ? storage.parts[i] : 0;
            before[1] += adds[1] ? storage.parts[half_warps + i] : 0;
        }
        for (std::uint32_t k = 0; k < tile_words; ++k)
            adds[k] = adds[k] && nearest_of[k] == none;
        end = adds[0] || adds[1] ? end - look_back_depth * half : 0;
    }
    tile_sums const sums{before[0], before[1]};
    if (tile != 0)
        publish(thread, table, tile, tile_state::complete,
                {sums.items + totals.items, sums.steps + totals.steps});
    return sums;
}

} // namespace rhizome::compaction::detail
