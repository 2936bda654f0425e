// The graph with every edge seen from both of its ends: which end is the lower one in the order of (degree,
// id). No vertex has more higher neighbours than the square root of twice the edges.
#pragma once

#include <rhizome/algorithms/detail/row_schedule.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// Where the neighbours of a vertex lie: the higher ones from the front of its piece of memory, the lower
/// ones from its back. In no order. Self-loops are left out.
struct alignas(16) oriented_row {
    std::uint64_t begin;
    std::uint32_t higher;
    std::uint32_t lower;
};

struct oriented_rows {
    std::uint64_t vertices;
    std::uint32_t* degrees; ///< vertices + 1; the last is 0
    std::uint64_t* begins;  ///< degrees, scanned
    oriented_row* rows;     ///< all 0 before they are filled
    graph::vertex_id* neighbours;

    [[nodiscard]] RZ_HD bool is_higher(graph::vertex_id id, graph::vertex_id than,
                                       std::uint32_t its_degree) const {
        std::uint32_t const degree = degrees[id];
        return degree != its_degree ? degree > its_degree : id > than;
    }
    /// The lower neighbours of v, as many as row says.
    [[nodiscard]] RZ_HD graph::vertex_id const* lower(oriented_row const& row, graph::vertex_id v) const {
        return neighbours + row.begin + degrees[v] - row.lower;
    }
};

/// Degrees and the totals of the rows.
template <class Rows>
struct write_degrees {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };
    Rows rows;
    std::uint64_t vertices;
    std::uint32_t* degrees; ///< vertices + 1; the last is 0
    row_totals* totals;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        exec::for_each_item(thread, vertices + 1, [&](std::uint64_t v) {
            std::uint64_t const size = v < vertices ? rows(static_cast<graph::vertex_id>(v)).size() : 0;
            degrees[v] = static_cast<std::uint32_t>(size);
            arcs += size;
            pieces += pieces_of(size);
        });
        totals->add(thread, thread.block().storage().sums, arcs, pieces);
    }
};

/// Fills the rows: counts, then copies.
template <class Rows>
struct orient_rows {
    Rows rows;
    row_schedule schedule;
    oriented_rows oriented;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, graph::vertex_id v, auto const& row, std::uint64_t first,
                std::uint64_t last) {
                auto const degree = static_cast<std::uint32_t>(row.size());
                std::uint32_t higher = 0;
                std::uint32_t lower = 0;
                row.for_each(group, first, last, [&](std::uint64_t, graph::vertex_id id) {
                    if (id == v) return;
                    bool const up = oriented.is_higher(id, v, degree);
                    higher += up ? 1 : 0;
                    lower += up ? 0 : 1;
                });
                std::uint64_t const both = std::uint64_t{lower} << 32 | higher;
                std::uint64_t const before = group.exclusive_scan(both);
                std::uint64_t const all = group.sum(both);
                std::uint64_t earlier = 0; // pieces of this row
                std::uint64_t const begin = oriented.begins[v];
                if (group.rank() == 0) {
                    oriented_row& target = oriented.rows[v];
                    if (is_light(row.size())) {
                        target = {begin, static_cast<std::uint32_t>(all),
                                  static_cast<std::uint32_t>(all >> 32)};
                    } else {
                        if (first == 0) target.begin = begin;
                        earlier = std::uint64_t{thread.device(target.lower)
                                                    .fetch_add(static_cast<std::uint32_t>(all >> 32),
                                                               exec::order::relaxed)}
                                      << 32 |
                                  thread.device(target.higher)
                                      .fetch_add(static_cast<std::uint32_t>(all), exec::order::relaxed);
                    }
                }
                earlier = group.broadcast(earlier, 0) + before;
                std::uint64_t front = begin + (earlier & 0xffff'ffffu);
                std::uint64_t back = begin + degree - (earlier >> 32);
                row.for_each(group, first, last, [&](std::uint64_t, graph::vertex_id id) {
                    if (id == v) return;
                    if (oriented.is_higher(id, v, degree))
                        oriented.neighbours[front++] = id;
                    else
                        oriented.neighbours[--back] = id;
                });
            });
    }
};

} // namespace rhizome::algorithms::detail
