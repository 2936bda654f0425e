// SPDX-License-Identifier: Apache-2.0
// Triangles of an oriented graph with rows of any length. Around each vertex v, counts triangles of v, one of
// its lower neighbours and one of its higher neighbours. The higher neighbours of v go into a set, in which
// the higher neighbours of each of its lower neighbours are looked up.
//
// Oriented is oriented_rows, or has the same functions: row(i), rank_of(i), higher and lower for the rows
// around which is counted, of_neighbour and higher_of_neighbour for those of their lower neighbours.
#pragma once

#include <rhizome/algorithms/detail/rank_sets.hpp>
#include <rhizome/algorithms/detail/triangle_orientation.hpp>
#include <rhizome/algorithms/detail/triangle_total.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/read_only.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Lower neighbours of a vertex, from number `first` on, as many as a warp or a block takes.
struct around_vertex {
    std::uint32_t row;
    std::uint32_t first;
};

/// In the memory of the space: items for warps from the front, items for blocks from the back.
struct around_lists {
    around_vertex* items;
    std::uint64_t capacity;
    struct counts {
        std::uint64_t warps;
        std::uint64_t blocks;
    };
    counts* count;

    [[nodiscard]] static std::uint64_t capacity_for(std::uint64_t vertices, std::uint64_t arcs) {
        return vertices + arcs / tuning::triangle_block_lower;
    }
};

template <class Oriented>
struct list_around {
    std::uint64_t rows;
    Oriented oriented;
    around_lists lists; ///< the counts are 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, (rows + warp.size() - 1) / warp.size(), [&](std::uint64_t group) {
            std::uint64_t const at = group * warp.size() + warp.rank();
            oriented_row row{};
            if (at < rows) row = oriented.row(at);
            bool const counts = row.higher != 0 && row.lower != 0;
            bool const small =
                row.higher <= tuning::triangle_warp_higher && row.lower <= tuning::triangle_warp_lower;
            constexpr std::uint32_t step = tuning::triangle_block_lower;
            std::uint64_t const own = !counts ? 0 : small ? 1 : (row.lower + step - 1) / step;
            std::uint64_t const of_warps = append(thread, warp, lists.count->warps, small ? own : 0);
            std::uint64_t const of_blocks = append(thread, warp, lists.count->blocks, small ? 0 : own);
            for (std::uint64_t i = 0; i < own; ++i)
                lists.items[small ? of_warps + i : lists.capacity - 1 - of_blocks - i] = {
                    static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(i) * step};
        });
    }

private:
    template <class Thread, class Warp>
    [[nodiscard]] static RZ_HD std::uint64_t append(Thread const& thread, Warp const& warp,
                                                    std::uint64_t& count, std::uint64_t own) {
        std::uint64_t const all = warp.sum(own);
        std::uint64_t first = 0;
        if (warp.rank() == 0 && all != 0) first = thread.device(count).fetch_add(all, exec::order::relaxed);
        return warp.broadcast(first, 0) + warp.exclusive_scan(own);
    }
};

/// What the two kernels below share.
template <class Oriented>
struct set_search {
    Oriented oriented;

    /// Inserts `many` higher neighbours of the row, from number `first` on, into the set. Called by all lanes
    /// of a group.
    template <class Thread, class Group, class Set>
    RZ_HD void fill(Thread const& thread, Group const& group, Set const& set, oriented_row const& row,
                    std::uint32_t first, std::uint32_t many) const {
        group.sync(); // all lanes have finished reading the previous set
        set.clear(group);
        group.sync();
        degree_rank const* const higher = oriented.higher(row) + first;
        for (std::uint32_t i = group.rank(); i < many; i += group.size())
            set.insert(thread, higher[i]);
        group.sync();
    }

    /// This lane's part of how many higher neighbours of lower[begin] to lower[end - 1] are in the set.
    /// Called by all lanes of a warp.
    template <class Warp, class Set>
    [[nodiscard]] RZ_HD std::uint64_t count(Warp const& warp, Set const& set, degree_rank const* lower,
                                            std::uint32_t begin, std::uint32_t end) const {
        std::uint64_t found = 0;
        for (std::uint32_t window = begin; window < end; window += warp.size()) {
            oriented_row own{};
            if (window + warp.rank() < end) own = oriented.of_neighbour(lower[window + warp.rank()]);
            std::uint32_t const many = end - window < warp.size() ? end - window : warp.size();
            for (std::uint32_t r = 0; r < many; ++r)
                found += count_in(warp, set, oriented.higher_of_neighbour(warp.shuffle(own.begin, r)),
                                  warp.shuffle(own.higher, r));
        }
        return found;
    }

private:
    template <class Warp, class Set>
    [[nodiscard]] static RZ_HD std::uint32_t count_in(Warp const& warp, Set const& set,
                                                      degree_rank const* ranks, std::uint32_t size) {
        constexpr std::uint32_t side_by_side = 4; // loads before the first look-up
        std::uint32_t found = 0;
        for (std::uint32_t first = 0; first < size; first += side_by_side * warp.size()) {
            degree_rank wanted[side_by_side];
            for (std::uint32_t k = 0; k < side_by_side; ++k) {
                std::uint32_t const at = first + k * warp.size() + warp.rank();
                wanted[k] = at < size ? exec::load_read_only(ranks + at) : nobody;
            }
            for (std::uint32_t k = 0; k < side_by_side; ++k) {
                if (first + k * warp.size() >= size) break;
                found += set.contains(wanted[k]) ? 1 : 0;
            }
        }
        return found;
    }
};

/// One warp per item, each with a table.
template <class Oriented>
struct count_around_by_warps {
    static constexpr std::uint32_t words = 4 * tuning::triangle_warp_higher;
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
        std::uint32_t tables[tuning::warps_per_block][words];
    };
    set_search<Oriented> search;
    around_lists lists;
    triangle_total* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        auto& storage = thread.block().storage();
        auto* const own_words = storage.tables[thread.block().rank() / warp.size()];
        std::uint64_t found = 0;
        exec::for_each_group_item(warp, lists.count->warps, [&](std::uint64_t i) {
            std::uint32_t const at = lists.items[i].row;
            oriented_row const row = search.oriented.row(at);
            rank_table const table(own_words, words, row.higher);
            search.fill(thread, warp, table, row, 0, row.higher);
            found += search.count(warp, table, search.oriented.lower(row, at), 0, row.lower);
        });
        total->add(thread, storage.sums, found);
    }
};

/// One block per item. If ranks are small, all higher neighbours are bits; otherwise they go into tables, one
/// part after the other.
template <std::uint32_t Words, class Oriented>
struct count_around_by_blocks {
    static constexpr std::uint32_t words = Words;
    static constexpr std::uint32_t table_ranks = words / 4;
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
        std::uint32_t set[words + 1];
    };
    set_search<Oriented> search;
    around_lists lists;
    triangle_total* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        auto const block = thread.block();
        auto& storage = block.storage();
        std::uint32_t const warps = block.size() / warp.size();
        std::uint32_t const own = block.rank() / warp.size();
        std::uint64_t found = 0;
        exec::for_each_group_item(block, lists.count->blocks, [&](std::uint64_t i) {
            around_vertex const item = lists.items[lists.capacity - 1 - i];
            oriented_row const row = search.oriented.row(item.row);
            degree_rank const rank = search.oriented.rank_of(item.row);
            degree_rank const* const lower = search.oriented.lower(row, item.row) + item.first;
            std::uint32_t const left = row.lower - item.first;
            std::uint32_t const many =
                left < tuning::triangle_block_lower ? left : tuning::triangle_block_lower;
            std::uint32_t const share = (many + warps - 1) / warps;
            std::uint32_t const begin = own * share < many ? own * share : many;
            std::uint32_t const end = begin + share < many ? begin + share : many;
            if (rank <= words * 32) {
                rank_bits const bits(storage.set, rank);
                search.fill(thread, block, bits, row, 0, row.higher);
                found += search.count(warp, bits, lower, begin, end);
                return;
            }
            for (std::uint32_t first = 0; first < row.higher; first += table_ranks) {
                std::uint32_t const rest = row.higher - first;
                std::uint32_t const part = rest < table_ranks ? rest : table_ranks;
                rank_table const table(storage.set, words, part);
                search.fill(thread, block, table, row, first, part);
                found += search.count(warp, table, lower, begin, end);
            }
        });
        total->add(thread, storage.sums, found);
    }
};

} // namespace rhizome::algorithms::detail
