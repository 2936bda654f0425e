// SPDX-License-Identifier: Apache-2.0
// The oriented rows of a graph over ranks, dealt to all ranks, so that each counts as many triangles
// whichever rows it owns. Vertices of the whole graph are numbered by degree, highest first, as on one
// device. Here "rank" is a rank of the communicator, and the place of a vertex in the order of degrees
// (degree_rank) is its "number".
#pragma once

#include <rhizome/algorithms/detail/triangle_orientation.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/bits.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/read_only.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// What a rank has of the vertices that it owns, in the memory of its space. Arrays by slot hold what
/// number_rows says.
struct own_part {
    std::uint64_t rows;
    std::uint64_t arcs;
    degree_packing packing;
    degree_rank* all_numbers;     ///< by place, and twice as many; once number_ids has run, by id
    std::uint32_t* sizes;         ///< by slot, and 0: arcs
    std::uint32_t* degrees;       ///< highest first
    degree_rank* numbers;         ///< by row
    std::uint32_t* slots;         ///< by row
    degree_rank* slot_numbers;    ///< by slot
    std::uint32_t* higher;        ///< by slot, and 0: how many higher neighbours
    std::uint64_t* begins;        ///< by slot, and where the last row ends; before that, keys
    std::uint64_t* higher_begins; ///< the same for higher neighbours alone; before that, keys
    std::uint64_t* sorted_keys;   ///< one of these two arrays
    oriented_row* oriented;       ///< by slot, and one more
    degree_rank* neighbours;
};

/// Which rank gets a row. Its owner deals its rows in the order of degree, highest first, to all ranks in
/// turn, beginning with itself. So all ranks get rows of all lengths, from each owner, and hubs are spread.
struct row_dealing {
    std::uint64_t rows; ///< of the owner
    std::uint32_t owner;
    std::uint32_t ranks;

    /// The rank that counts around the owner's row number k, in the order of degree.
    [[nodiscard]] RZ_HD std::uint32_t receiver(std::uint64_t k) const {
        return static_cast<std::uint32_t>((k + owner) % ranks);
    }
    /// How many rows before the k-th one go to the same rank.
    [[nodiscard]] RZ_HD std::uint64_t earlier(std::uint64_t k) const { return k / ranks; }
    /// How many rows a rank gets.
    [[nodiscard]] std::uint64_t count(std::uint32_t receiver) const {
        std::uint64_t const first = (receiver + ranks - owner) % ranks;
        return (rows + ranks - 1 - first) / ranks;
    }
};

/// Writes the degrees of the own vertices, highest first.
struct write_sorted_degrees {
    degree_packing packing;
    std::uint64_t const* keys; ///< sorted
    std::uint32_t* degrees;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, packing.vertices,
                            [&](std::uint64_t k) { degrees[k] = packing.degree_of(keys[k]); });
    }
};

/// Numbers the own vertices: before the k-th one come k own ones, and those of other ranks that are found in
/// their sorted degrees by binary search. Of equal degrees, those of the lower rank come first. Also says
/// where the row of each goes: into a slot, which are sorted by receiver, and for one receiver by number.
struct number_rows {
    degree_packing packing;
    std::uint64_t const* keys; ///< sorted
    row_dealing dealing;
    std::uint32_t const* degrees; ///< of all ranks, each highest first
    std::uint64_t const* begins;  ///< where the degrees of each rank begin, and where they end
    std::uint64_t const* firsts;  ///< the first slot of each receiver
    degree_rank* numbers;         ///< by row
    std::uint32_t* slots;         ///< by row
    std::uint32_t* sizes;         ///< by slot: arcs
    degree_rank* slot_numbers;    ///< by slot

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, dealing.rows, [&](std::uint64_t k) {
            std::uint64_t const row = packing.vertex_of(keys[k]);
            std::uint32_t const degree = packing.degree_of(keys[k]);
            std::uint64_t number = k;
            for (std::uint32_t rank = 0; rank < dealing.ranks; ++rank)
                if (rank != dealing.owner) number += before(rank, degree);
            std::uint64_t const slot = firsts[dealing.receiver(k)] + dealing.earlier(k);
            numbers[row] = static_cast<degree_rank>(number);
            slots[row] = static_cast<std::uint32_t>(slot);
            sizes[slot] = degree;
            slot_numbers[slot] = static_cast<degree_rank>(number);
        });
    }

private:
    [[nodiscard]] RZ_HD std::uint64_t before(std::uint32_t rank, std::uint32_t degree) const {
        std::uint64_t low = begins[rank];
        for (std::uint64_t high = begins[rank + 1]; low < high;) {
            std::uint64_t const middle = low + (high - low) / 2;
            bool const is_before =
                rank < dealing.owner ? degrees[middle] >= degree : degrees[middle] > degree;
            if (is_before)
                low = middle + 1;
            else
                high = middle;
        }
        return low - begins[rank];
    }
};

/// Writes numbers by id from numbers by place, so that orienting an arc takes no division.
template <class Places>
struct number_ids {
    std::uint64_t vertices;
    Places places;
    degree_rank const* by_place;
    degree_rank* by_id;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) { by_id[v] = by_place[places(v)]; });
    }
};

/// For orient_rows: the numbers of all vertices, and where the rows of the own ones go.
template <class Id>
struct numbers_of_part {
    static constexpr std::uint32_t blocks_side_by_side = 5; // 48 instead of 64 registers, none spilled
    degree_rank const* numbers;                             ///< by id
    degree_rank const* own_numbers;                         ///< by row
    std::uint32_t const* slots;                             ///< by row

    [[nodiscard]] RZ_HD degree_rank own(Id row) const { return own_numbers[row]; }
    [[nodiscard]] RZ_HD degree_rank of(Id id) const { return exec::load_read_only(numbers + id); }
    [[nodiscard]] RZ_HD std::uint32_t place(Id row, degree_rank) const { return slots[row]; }
};

/// Writes where rows begin, before they are filled. One more row says where the last one ends.
struct begin_rows {
    std::uint64_t rows;
    std::uint64_t const* begins; ///< one more than there are rows
    oriented_row* oriented;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, rows + 1, [&](std::uint64_t i) { oriented[i] = {begins[i], 0, 0}; });
    }
};

/// Rows that have arrived from several ranks, one after the other, begin where those of their rank do.
/// Without ranks: the rows stay. Also writes the number of higher neighbours of each, and 0 behind the last.
struct settle_rows {
    std::uint64_t rows;
    std::uint64_t end; ///< of the memory of the last row
    std::uint32_t ranks;
    std::uint64_t const* firsts; ///< the first row from each rank
    std::uint64_t const* shifts; ///< what is added to the begins of the rows of each rank; may wrap
    oriented_row* oriented;
    std::uint32_t* higher;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, rows + 1, [&](std::uint64_t i) {
            if (i == rows) {
                oriented[i] = {end, 0, 0};
                higher[i] = 0;
                return;
            }
            if (ranks != 0) oriented[i].begin += shifts[sender_of(i)];
            higher[i] = oriented[i].higher;
        });
    }

private:
    [[nodiscard]] RZ_HD std::uint32_t sender_of(std::uint64_t row) const {
        std::uint32_t sender = 0; // the last one whose rows begin at the row, or before it
        for (std::uint32_t high = ranks; high - sender > 1;) {
            std::uint32_t const middle = sender + (high - sender) / 2;
            if (firsts[middle] <= row)
                sender = middle;
            else
                high = middle;
        }
        return sender;
    }
};

/// Copies entries of two arrays, those that the host wants to know.
struct pick_words {
    std::uint64_t count;
    std::uint64_t const* wanted;
    std::uint64_t const* first;
    std::uint64_t const* second;
    std::uint64_t* picked; ///< count of the first array, then count of the second

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            picked[i] = first[wanted[i]];
            picked[count + i] = second[wanted[i]];
        });
    }
};

/// Copies the higher neighbours of rows, those of one row directly behind those of the row before. A tile
/// copies a short list, a warp a long one.
struct pack_higher {
    std::uint64_t rows;
    oriented_row const* oriented;
    degree_rank const* neighbours;
    std::uint64_t const* begins; ///< of each list in `packed`
    degree_rank* packed;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, (rows + warp.size() - 1) / warp.size(), [&](std::uint64_t group) {
            std::uint64_t const first = group * warp.size();
            bool const is_long =
                first + warp.rank() < rows && oriented[first + warp.rank()].higher > tuning::packed_by_tile;
            for (std::uint32_t lanes = warp.ballot(is_long); lanes != 0; lanes &= lanes - 1)
                copy(warp, first + exec::countr_zero(lanes));
        });
        auto const tile = thread.tile(exec::width<graph::tuning::row_tile>);
        exec::for_each_group_item(tile, rows, [&](std::uint64_t i) {
            if (oriented[i].higher <= tuning::packed_by_tile) copy(tile, i);
        });
    }

private:
    template <class Group>
    RZ_HD void copy(Group const& group, std::uint64_t i) const {
        oriented_row const row = oriented[i];
        degree_rank const* const from = neighbours + row.begin;
        degree_rank* const to = packed + begins[i];
        for (std::uint32_t at = group.rank(); at < row.higher; at += group.size())
            to[at] = from[at];
    }
};

/// Writes gathered rows by number.
struct place_rows {
    std::uint64_t rows;
    degree_rank const* numbers;
    std::uint32_t const* higher;
    std::uint64_t const* begins;
    oriented_row* by_number;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, rows, [&](std::uint64_t i) {
            by_number[numbers[i]] = {begins[i], higher[i], 0};
        });
    }
};

/// For the kernels of triangle_sets.hpp: counts around the rows that were dealt to this rank. Of their lower
/// neighbours, the higher ones are known where the row has been gathered, and otherwise count as none.
struct dealt_rows {
    oriented_row const* rows;      ///< one more than there are; the last one says where the memory ends
    degree_rank const* numbers;    ///< of each row
    degree_rank const* neighbours; ///< numbers
    oriented_row const* by_number; ///< of all vertices
    degree_rank const* gathered;   ///< higher neighbours of these

    [[nodiscard]] RZ_HD oriented_row row(std::uint64_t i) const { return rows[i]; }
    [[nodiscard]] RZ_HD degree_rank rank_of(std::uint64_t i) const { return numbers[i]; }
    [[nodiscard]] RZ_HD degree_rank const* higher(oriented_row const& row) const {
        return neighbours + row.begin;
    }
    [[nodiscard]] RZ_HD degree_rank const* lower(oriented_row const& row, std::uint64_t i) const {
        return neighbours + rows[i + 1].begin - row.lower;
    }
    [[nodiscard]] RZ_HD oriented_row of_neighbour(degree_rank number) const {
        return exec::load_read_only(by_number + number);
    }
    [[nodiscard]] RZ_HD degree_rank const* higher_of_neighbour(std::uint64_t begin) const {
        return gathered + begin;
    }
};

} // namespace rhizome::algorithms::detail
