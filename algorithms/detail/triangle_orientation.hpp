// SPDX-License-Identifier: Apache-2.0
// The graph by ranks. Vertices are numbered by degree, highest first, and each edge is stored at both of its
// ends. No vertex has more neighbours of smaller ranks than the square root of twice the number of edges.
#pragma once

#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/types.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::algorithms::detail {

using degree_rank = std::uint32_t;

/// Where the neighbours of a vertex are: those of smaller ranks (higher degrees) from the front of its piece
/// of memory, those of greater ranks from its back. In no order. Self-loops are left out.
struct alignas(16) oriented_row {
    std::uint64_t begin;
    std::uint32_t higher;
    std::uint32_t lower;
};

/// Neighbours are ranks. Where the rows of all vertices are in one memory, they are indexed by rank; the
/// functions below are those that triangle_sets.hpp takes.
struct oriented_rows {
    oriented_row* rows;        ///< counts are 0 before they are filled
    std::uint64_t const* ends; ///< where the memory of each row ends
    degree_rank* neighbours;

    [[nodiscard]] RZ_HD oriented_row row(std::uint64_t i) const { return rows[i]; }
    [[nodiscard]] RZ_HD degree_rank rank_of(std::uint64_t i) const { return static_cast<degree_rank>(i); }
    [[nodiscard]] RZ_HD degree_rank const* higher(oriented_row const& row) const {
        return neighbours + row.begin;
    }
    /// The lower neighbours of row i, as many as the row says.
    [[nodiscard]] RZ_HD degree_rank const* lower(oriented_row const& row, std::uint64_t i) const {
        return neighbours + ends[i] - row.lower;
    }
    /// The row of a neighbour, and where its higher neighbours are.
    [[nodiscard]] RZ_HD oriented_row of_neighbour(degree_rank rank) const {
        return exec::load_read_only(rows + rank);
    }
    [[nodiscard]] RZ_HD degree_rank const* higher_of_neighbour(std::uint64_t begin) const {
        return neighbours + begin;
    }
};

/// Keys that sort vertices by degree.
struct degree_packing {
    std::uint64_t vertices;    ///< that are sorted
    std::uint64_t most_degree; ///< no degree is greater
    unsigned id_bits;

    [[nodiscard]] static degree_packing of(std::uint64_t vertices, std::uint64_t most_degree) {
        return {vertices, most_degree, static_cast<unsigned>(std::bit_width(vertices))};
    }
    [[nodiscard]] unsigned bits() const {
        return id_bits + static_cast<unsigned>(std::bit_width(most_degree));
    }
    [[nodiscard]] RZ_HD std::uint64_t pack(std::uint64_t degree, std::uint64_t v) const {
        return (most_degree - degree) << id_bits | v;
    }
    [[nodiscard]] RZ_HD std::uint64_t vertex_of(std::uint64_t key) const {
        return key & ((std::uint64_t{1} << id_bits) - 1);
    }
    [[nodiscard]] RZ_HD std::uint32_t degree_of(std::uint64_t key) const {
        return static_cast<std::uint32_t>(most_degree - (key >> id_bits));
    }
};

/// Writes degrees and keys, and counts the totals of the rows.
template <class Rows>
struct write_degrees {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };
    Rows rows;
    degree_packing packing;
    std::uint32_t* degrees; ///< vertices + 1; the last is 0
    std::uint64_t* keys;
    graph::row_totals* totals;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        exec::for_each_item(thread, packing.vertices + 1, [&](std::uint64_t v) {
            bool const exists = v < packing.vertices;
            std::uint64_t const size = exists ? rows(static_cast<typename Rows::id_type>(v)).size() : 0;
            degrees[v] = static_cast<std::uint32_t>(size);
            if (exists) keys[v] = packing.pack(size, v);
            arcs += size;
            pieces += graph::pieces_of_row(size);
        });
        totals->add(thread, thread.block().storage().sums, arcs, pieces);
    }
};

/// Writes ranks from sorted keys, and where rows begin and end.
struct write_ranks {
    degree_packing packing;
    std::uint64_t const* keys;
    std::uint64_t const* begins; ///< one more than there are vertices
    degree_rank* ranks;
    oriented_row* rows;
    std::uint64_t* ends;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, packing.vertices, [&](std::uint64_t rank) {
            std::uint64_t const v = packing.vertex_of(keys[rank]);
            ranks[v] = static_cast<degree_rank>(rank);
            rows[rank] = {begins[v], 0, 0};
            ends[rank] = begins[v + 1];
        });
    }
};

/// The ranks of all vertices, and where the row of each lies in oriented_rows: at its rank.
struct ranks_of_all {
    static constexpr std::uint32_t blocks_side_by_side = 1;
    degree_rank const* ranks;

    [[nodiscard]] RZ_HD degree_rank own(graph::vertex_id v) const { return ranks[v]; }
    [[nodiscard]] RZ_HD degree_rank of(graph::vertex_id id) const { return exec::load_read_only(ranks + id); }
    [[nodiscard]] RZ_HD std::uint32_t place(graph::vertex_id, degree_rank own) const { return own; }
};

/// Fills the rows: counts, then copies. Ranks: ranks_of_all, or the same for the rows of a part of a graph.
template <class Rows, class Ranks>
struct orient_rows {
    using id_type = typename Rows::id_type;
    static constexpr std::uint32_t blocks_side_by_side = Ranks::blocks_side_by_side;

    Rows rows;
    graph::basic_row_schedule<id_type> schedule;
    Ranks ranks;
    oriented_rows oriented;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(thread, rows, schedule,
                                  [&](auto const& group, id_type v, auto const& row, std::uint64_t first,
                                      std::uint64_t last) { orient(thread, group, v, row, first, last); });
    }

private:
    template <class Thread, class Group, class Row>
    RZ_HD void orient(Thread const& thread, Group const& group, id_type v, Row const& row,
                      std::uint64_t first, std::uint64_t last) const {
        degree_rank const own = ranks.own(v);
        std::uint32_t higher = 0;
        std::uint32_t lower = 0;
        row.for_each(group, first, last, [&](std::uint64_t, id_type id) {
            degree_rank const rank = ranks.of(id);
            higher += rank < own ? 1 : 0;
            lower += rank > own ? 1 : 0;
        });
        std::uint64_t const both = std::uint64_t{lower} << 32 | higher;
        std::uint64_t const before = group.exclusive_scan(both);
        std::uint64_t const all = group.sum(both);
        std::uint64_t earlier = 0; // of the pieces of this row that came before
        std::uint32_t const place = ranks.place(v, own);
        if (group.rank() == 0) {
            auto const all_lower = static_cast<std::uint32_t>(all >> 32);
            auto const all_higher = static_cast<std::uint32_t>(all);
            oriented_row& target = oriented.rows[place];
            if (graph::is_light_row(row.size())) {
                target.higher = all_higher;
                target.lower = all_lower;
            } else {
                std::uint32_t const lower_before =
                    thread.device(target.lower).fetch_add(all_lower, exec::order::relaxed);
                std::uint32_t const higher_before =
                    thread.device(target.higher).fetch_add(all_higher, exec::order::relaxed);
                earlier = std::uint64_t{lower_before} << 32 | higher_before;
            }
        }
        earlier = group.broadcast(earlier, 0) + before;
        degree_rank* front = oriented.neighbours + oriented.rows[place].begin + (earlier & 0xffff'ffffu);
        degree_rank* back = oriented.neighbours + oriented.ends[place] - (earlier >> 32);
        row.for_each(group, first, last, [&](std::uint64_t, id_type id) {
            degree_rank const rank = ranks.of(id);
            if (rank < own)
                *front++ = rank;
            else if (rank > own)
                *--back = rank;
        });
    }
};

} // namespace rhizome::algorithms::detail
