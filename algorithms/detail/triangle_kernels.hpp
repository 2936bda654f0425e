// Triangle counting: every edge points from its lower end to its higher one in the order of (degree, id),
// which leaves no row longer than the square root of twice the edges; a triangle is then an arc u -> v and a
// common target of both.
#pragma once

#include <rhizome/algorithms/detail/row_chunks.hpp>
#include <rhizome/algorithms/detail/sorted_search.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The graph with each edge once, from low to high; targets ascend within a row.
struct oriented_arcs {
    std::uint64_t* offsets; ///< vertices + 1
    graph::vertex_id* sources;
    graph::vertex_id* targets;
    std::uint64_t count;
};

/// The order of the vertices. A self-loop counts into the degree and points nowhere.
template <class View>
[[nodiscard]] RZ_HD bool points_to(View const& view, graph::vertex_id from, graph::vertex_id to) {
    std::uint64_t const from_degree = view.degree(from);
    std::uint64_t const to_degree = view.degree(to);
    return from_degree != to_degree ? from_degree < to_degree : from < to;
}

/// kept[i] = arcs of chunk i that point from low to high.
template <class View>
struct count_oriented {
    View view;
    chunk_map chunks;
    std::uint64_t* kept; ///< chunks + 1; the last is 0

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, chunks.count, [&](std::uint64_t i) {
            chunk const piece = chunks[i];
            graph::neighbour_range const row = view.neighbours(piece.row);
            std::uint64_t const end = end_of(piece, row);
            std::uint64_t mine = 0;
            for (std::uint64_t at = piece.begin + tile.rank(); at < end; at += tile.size())
                mine += points_to(view, piece.row, row[at]) ? 1 : 0;
            std::uint64_t const sum = tile.sum(mine);
            if (tile.rank() == 0) kept[i] = sum;
        });
        if (thread.rank() == 0) kept[chunks.count] = 0;
    }
};

/// Copies those arcs, in their order.
template <class View>
struct fill_oriented {
    View view;
    chunk_map chunks;
    std::uint64_t const* kept_before; ///< chunks + 1: kept, scanned
    oriented_arcs arcs;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, chunks.count, [&](std::uint64_t i) {
            chunk const piece = chunks[i];
            graph::neighbour_range const row = view.neighbours(piece.row);
            std::uint64_t const end = end_of(piece, row);
            std::uint64_t place = kept_before[i];
            for (std::uint64_t window = piece.begin; window < end; window += tile.size()) {
                std::uint64_t const at = window + tile.rank();
                graph::vertex_id const target = at < end ? row[at] : piece.row;
                std::uint32_t const keep = points_to(view, piece.row, target) ? 1 : 0;
                std::uint32_t const before = tile.exclusive_scan(keep);
                if (keep != 0) {
                    arcs.sources[place + before] = piece.row;
                    arcs.targets[place + before] = target;
                }
                place += tile.sum(keep);
            }
        });
        exec::for_each_item(thread, view.vertex_count() + 1,
                            [&](std::uint64_t v) { arcs.offsets[v] = kept_before[chunks.first[v]]; });
    }
};

/// Adds up the common targets of the ends of every arc: the shorter row is searched for in the longer.
struct intersect_rows {
    oriented_arcs arcs;
    std::uint64_t* total;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        std::uint64_t mine = 0;
        exec::for_each_group_item(tile, arcs.count, [&](std::uint64_t i) {
            graph::neighbour_range const one = row(arcs.sources[i]);
            graph::neighbour_range const other = row(arcs.targets[i]);
            bool const swapped = other.size() < one.size();
            mine += common(tile, swapped ? other : one, swapped ? one : other);
        });
        std::uint64_t const sum = tile.sum(mine);
        if (tile.rank() == 0 && sum != 0) thread.device(*total).fetch_add(sum, exec::order::relaxed);
    }

private:
    [[nodiscard]] RZ_HD graph::neighbour_range row(graph::vertex_id v) const {
        std::uint64_t const begin = arcs.offsets[v];
        return {arcs.targets + begin, arcs.offsets[std::uint64_t{v} + 1] - begin};
    }

    /// This lane's part of the common neighbours.
    template <class Tile>
    [[nodiscard]] RZ_HD static std::uint64_t common(Tile const& tile, graph::neighbour_range const& shorter,
                                                    graph::neighbour_range const& longer) {
        std::uint64_t found = 0;
        std::uint64_t low = 0; // what this lane looks for ascends
        for (std::uint64_t at = tile.rank(); at < shorter.size(); at += tile.size()) {
            low = gallop_to_not_less(longer.begin(), low, longer.size(), shorter[at]);
            if (low == longer.size()) break;
            found += longer[low] == shorter[at] ? 1 : 0;
        }
        return found;
    }
};

} // namespace rhizome::algorithms::detail
