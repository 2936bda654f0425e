// Triangles of an oriented graph, rows of any length: around each vertex v, those a -> v -> c with a -> c.
// The higher neighbours of v go into a table, where the higher neighbours of each of its lower ones are
// looked for.
#pragma once

#include <rhizome/algorithms/detail/id_table.hpp>
#include <rhizome/algorithms/detail/triangle_orientation.hpp>
#include <rhizome/algorithms/detail/triangle_total.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Some of the lower neighbours of a vertex: numbers first to first + width of its worker - 1.
struct around_vertex {
    graph::vertex_id vertex;
    std::uint32_t first;
};

/// In the memory of the space: those for warps from the front, those for blocks from the back.
struct around_lists {
    around_vertex* items;
    std::uint64_t capacity;
    struct counts {
        std::uint64_t warps;
        std::uint64_t blocks;
    };
    counts* count;

    /// For n vertices, and as many arcs.
    [[nodiscard]] static std::uint64_t capacity_for(std::uint64_t vertices, std::uint64_t arcs) {
        return vertices + arcs / tuning::triangle_warp_lower;
    }
};

/// How tables are shared and what they hold at most.
struct table_of_warp {
    static constexpr std::uint32_t ids = tuning::triangle_warp_higher;
    static constexpr std::uint32_t lower = tuning::triangle_warp_lower;
};
struct table_of_block {
    static constexpr std::uint32_t ids = tuning::triangle_block_higher;
    static constexpr std::uint32_t lower = tuning::triangle_block_lower;
};

struct list_around {
    oriented_rows oriented;
    around_lists lists; ///< counts 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t const vertices = oriented.vertices;
        exec::for_each_group_item(warp, (vertices + warp.size() - 1) / warp.size(), [&](std::uint64_t group) {
            std::uint64_t const v = group * warp.size() + warp.rank();
            oriented_row row{};
            if (v < vertices) row = oriented.rows[v];
            bool const counts = row.higher != 0 && row.lower != 0;
            bool const small = row.higher <= table_of_warp::ids;
            std::uint32_t const step = small ? table_of_warp::lower : table_of_block::lower;
            std::uint64_t const own = counts ? (row.lower + step - 1) / step : 0;
            std::uint64_t const of_warps = append(thread, warp, lists.count->warps, small ? own : 0);
            std::uint64_t const of_blocks = append(thread, warp, lists.count->blocks, small ? 0 : own);
            for (std::uint64_t i = 0; i < own; ++i)
                lists.items[small ? of_warps + i : lists.capacity - 1 - of_blocks - i] = {
                    static_cast<graph::vertex_id>(v), static_cast<std::uint32_t>(i) * step};
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
struct table_search {
    oriented_rows oriented;

    /// Puts higher neighbours first to first + many - 1 of the row into the table. Called by all lanes of a
    /// group.
    template <class Thread, class Group>
    RZ_HD void fill(Thread const& thread, Group const& group, id_table const& table, oriented_row const& row,
                    std::uint32_t first, std::uint32_t many) const {
        table.clear(group);
        group.sync();
        for (std::uint32_t i = group.rank(); i < many; i += group.size())
            table.insert(thread, oriented.neighbours[row.begin + first + i]);
        group.sync();
    }

    /// This lane's part of what the table holds of the higher neighbours of lower[begin] to lower[end - 1].
    /// Called by all lanes of a warp.
    template <class Warp>
    [[nodiscard]] RZ_HD std::uint64_t count(Warp const& warp, id_table const& table,
                                            graph::vertex_id const* lower, std::uint32_t begin,
                                            std::uint32_t end) const {
        std::uint64_t found = 0;
        for (std::uint32_t window = begin; window < end; window += warp.size()) {
            oriented_row own{};
            if (window + warp.rank() < end) own = oriented.rows[lower[window + warp.rank()]];
            std::uint32_t const many = end - window < warp.size() ? end - window : warp.size();
            for (std::uint32_t r = 0; r < many; ++r) {
                graph::vertex_id const* const ids = oriented.neighbours + warp.shuffle(own.begin, r);
                std::uint32_t const size = warp.shuffle(own.higher, r);
                found += count(warp, table, ids, size);
            }
        }
        return found;
    }

private:
    template <class Warp>
    [[nodiscard]] static RZ_HD std::uint32_t count(Warp const& warp, id_table const& table,
                                                   graph::vertex_id const* ids, std::uint32_t size) {
        constexpr std::uint32_t side_by_side = 4; // loads, before the first is looked for
        std::uint32_t found = 0;
        for (std::uint32_t first = warp.rank(); first < size; first += side_by_side * warp.size()) {
            graph::vertex_id wanted[side_by_side];
            for (std::uint32_t k = 0; k < side_by_side; ++k) {
                std::uint32_t const at = first + k * warp.size();
                wanted[k] = at < size ? ids[at] : id_table::nobody;
            }
            for (graph::vertex_id const id : wanted)
                if (id != id_table::nobody && table.contains(id)) ++found;
        }
        return found;
    }
};

/// A warp an item.
struct count_around_by_warps {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
        graph::vertex_id words[tuning::warps_per_block][2 * table_of_warp::ids];
    };
    table_search search;
    around_lists lists;
    triangle_total* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        auto& storage = thread.block().storage();
        auto* const words = storage.words[thread.block().rank() / warp.size()];
        std::uint64_t found = 0;
        exec::for_each_group_item(warp, lists.count->warps, [&](std::uint64_t i) {
            around_vertex const item = lists.items[i];
            oriented_row const row = search.oriented.rows[item.vertex];
            id_table const table(words, 2 * table_of_warp::ids, row.higher);
            warp.sync(); // nobody looks into the last table any more
            search.fill(thread, warp, table, row, 0, row.higher);
            std::uint32_t const end = item.first + table_of_warp::lower;
            found += search.count(warp, table, search.oriented.lower(row, item.vertex), item.first,
                                  end < row.lower ? end : row.lower);
        });
        total->add(thread, storage.sums, found);
    }
};

/// A block an item; rows with more higher neighbours than a table holds, in parts.
struct count_around_by_blocks {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
        graph::vertex_id words[2 * table_of_block::ids];
    };
    table_search search;
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
            oriented_row const row = search.oriented.rows[item.vertex];
            graph::vertex_id const* const lower = search.oriented.lower(row, item.vertex) + item.first;
            std::uint32_t const left = row.lower - item.first;
            std::uint32_t const many = left < table_of_block::lower ? left : table_of_block::lower;
            std::uint32_t const share = (many + warps - 1) / warps;
            std::uint32_t const begin = own * share < many ? own * share : many;
            std::uint32_t const end = begin + share < many ? begin + share : many;
            for (std::uint32_t first = 0; first < row.higher; first += table_of_block::ids) {
                std::uint32_t const rest = row.higher - first;
                std::uint32_t const part = rest < table_of_block::ids ? rest : table_of_block::ids;
                id_table const table(storage.words, 2 * table_of_block::ids, part);
                block.sync(); // nobody looks into the last table any more
                search.fill(thread, block, table, row, first, part);
                found += search.count(warp, table, lower, begin, end);
            }
        });
        total->add(thread, storage.sums, found);
    }
};

} // namespace rhizome::algorithms::detail
