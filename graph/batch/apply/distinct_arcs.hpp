// SPDX-License-Identifier: Apache-2.0
// The arcs of one row, ascending, each target once.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Of equal arcs the first counts; with values, the last of the batch.
template <class Id, bool HasValues>
struct distinct_arcs {
    using arc_type = batch::slice_arc<Id, HasValues>;

    struct shared {
        arc_type arcs[batch::most_block_arcs<arc_type>];
        exec::block_sum_storage<std::uint32_t> sums;
    };

    /// For at most one arc per lane. Returns how many are distinct. Called by all lanes of a tile or warp.
    template <class Group>
    [[nodiscard]] static RZ_HD std::uint32_t in_registers(Group const& group, arc_type* arcs,
                                                          std::uint32_t count) {
        bool const has_arc = group.rank() < count;
        arc_type arc{};
        if (has_arc) arc = arcs[group.rank()];
        bool repeated = false;
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            arc_type const other = shuffled(group, arc, lane);
            repeated = repeated || (other.target == arc.target && replaces(other, lane, arc, group.rank()));
        }
        std::uint32_t const counting = group.ballot(has_arc && !repeated);
        std::uint32_t before = 0;
        std::uint32_t distinct = 0;
        for (std::uint32_t lane = 0; lane < count; ++lane) {
            Id const target = group.shuffle(arc.target, lane);
            bool const counts = (counting >> lane & 1) != 0;
            before += counts && target < arc.target ? 1 : 0;
            distinct += counts ? 1 : 0;
        }
        group.sync(); // all arcs are read before any is written
        if (has_arc && !repeated) arcs[before] = arc;
        group.sync();
        return distinct;
    }

    /// For as many arcs as a block sorts. Called by all threads of a block; its shared memory is `storage`.
    template <class Thread>
    [[nodiscard]] static RZ_HD std::uint32_t in_block(Thread const& thread, shared& storage, arc_type* listed,
                                                      std::uint32_t count) {
        auto const block = thread.block();
        arc_type* const arcs = storage.arcs;
        for (std::uint32_t i = block.rank(); i < count; i += block.size())
            arcs[i] = listed[i];
        exec::sort_in_block(block, arcs, count,
                            [](arc_type const& left, arc_type const& right) { return left.before(right); });
        block.sync(); // also if nothing was sorted: all threads have read
        std::uint32_t distinct = 0;
        for (std::uint32_t first = 0; first < count; first += block.size()) {
            std::uint32_t const i = first + block.rank();
            bool const counts = i < count && counts_in_order(arcs, i, count);
            auto const sum = exec::block_exclusive_sum(thread, storage.sums, counts ? 1u : 0u);
            if (counts) listed[distinct + sum.before] = arcs[i];
            distinct += sum.total;
        }
        block.sync();
        return distinct;
    }

    /// Whether arc i counts, if all are in the order of arc_type::before.
    [[nodiscard]] static RZ_HD bool counts_in_order(arc_type const* arcs, std::uint32_t i,
                                                    std::uint32_t count) {
        if constexpr (HasValues)
            return i + 1 == count || arcs[i + 1].target != arcs[i].target;
        else
            return i == 0 || arcs[i - 1].target != arcs[i].target;
    }
    /// The arc of another lane of a group.
    template <class Group>
    [[nodiscard]] static RZ_HD arc_type shuffled(Group const& group, arc_type arc, std::uint32_t lane) {
        arc_type other = arc;
        other.target = group.shuffle(arc.target, lane);
        if constexpr (HasValues) other.index = group.shuffle(arc.index, lane);
        return other;
    }
    /// Which of two equal arcs counts, given in the order of their lanes.
    [[nodiscard]] static RZ_HD bool replaces(arc_type const& other, std::uint32_t other_lane,
                                             arc_type const& arc, std::uint32_t lane) {
        if constexpr (HasValues)
            return other.index > arc.index;
        else
            return other_lane < lane;
    }
};

} // namespace rhizome::graph
