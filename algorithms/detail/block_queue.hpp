// SPDX-License-Identifier: Apache-2.0
// Vertices that a block finds while it visits rows, and whose rows it visits next.
#pragma once

#include <rhizome/algorithms/detail/frontier_lists.hpp>
#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/exec/config.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// In shared memory. The vertices that are found during one wave are visited in the next, in any order.
template <class Id>
struct block_queue {
    static constexpr std::uint32_t light_room = 3072;
    static constexpr std::uint32_t heavy_room = 1024;
    static constexpr std::uint32_t array = 1; ///< for take_place(): frontier_lists have 0

    /// Wave i reads counts[i % 3], adds to counts[(i + 1) % 3] and clears counts[(i + 2) % 3]. Counts may
    /// exceed the capacity: take() returned false for those vertices.
    std::uint32_t counts[3][2];
    Id light[2][light_room];
    Id heavy[2][heavy_room];

    /// All threads of the block call this, before the first wave.
    template <class Block>
    RZ_HD void clear(Block const& block) {
        if (block.rank() == 0)
            for (auto& kinds : counts)
                for (std::uint32_t& count : kinds)
                    count = 0;
        block.sync();
    }

    /// Whether there was room for v, for wave number `wave`.
    template <class Thread>
    [[nodiscard]] RZ_HD bool take(Thread const& thread, std::uint32_t wave, Id v, std::uint64_t degree) {
        std::uint32_t const kind = frontier_counts::kind_of(degree);
        if (kind == frontier_counts::huge) return false;
        auto const access = [&](auto& word) { return thread.shared(word); };
        std::uint32_t const place = take_place(thread, counts[wave % 3], kind, access, array);
        if (place >= room(kind)) return false;
        (kind == frontier_counts::light ? light[wave % 2] : heavy[wave % 2])[place] = v;
        return true;
    }

    /// Visits the vertices of waves 0, 1 and so on until a wave is empty: calls visit(group, v, begin, end,
    /// wave) as frontier_lists does, which puts vertices for the next wave by take(..., wave + 1, ...). If a
    /// wave has more than about `most_arcs` arcs, calls pass(v) for each of its vertices instead, and ends:
    /// all blocks together are faster then. `mean`: mean length of rows. All threads of the block call this.
    template <class Thread, class Visit, class Pass>
    RZ_HD void drain(Thread const& thread, std::uint64_t most_arcs, std::uint64_t mean, Visit&& visit,
                     Pass&& pass) {
        auto const block = thread.block();
        for (std::uint32_t wave = 0;; ++wave) {
            block.sync();
            std::uint32_t const lights = size(wave, frontier_counts::light);
            std::uint32_t const heavies = size(wave, frontier_counts::heavy);
            if (lights + heavies == 0) return;
            if (lights * mean + heavies * (2 * tuning::light_degree) > most_arcs) {
                for (std::uint32_t i = block.rank(); i < lights; i += block.size())
                    pass(light[wave % 2][i]);
                for (std::uint32_t i = block.rank(); i < heavies; i += block.size())
                    pass(heavy[wave % 2][i]);
                return;
            }
            if (block.rank() == 0)
                for (std::uint32_t& count : counts[(wave + 2) % 3])
                    count = 0;
            for_each_long_row_of_block(thread, heavies, [&](lane_group const& group, std::uint64_t i) {
                visit(group, heavy[wave % 2][i], std::uint64_t{0}, tuning::block_degree, wave);
            });
            for_each_short_row(
                thread, true, lights, lights * mean, [&](lane_group const& group, std::uint64_t i) {
                    visit(group, light[wave % 2][i], std::uint64_t{0}, tuning::block_degree, wave);
                });
        }
    }

private:
    [[nodiscard]] static RZ_HD std::uint32_t room(std::uint32_t kind) {
        return kind == frontier_counts::light ? light_room : heavy_room;
    }
    [[nodiscard]] RZ_HD std::uint32_t size(std::uint32_t wave, std::uint32_t kind) const {
        std::uint32_t const count = counts[wave % 3][kind];
        return count < room(kind) ? count : room(kind);
    }
};

} // namespace rhizome::algorithms::detail
