// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch whose arcs are sorted over the whole device.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/uint128.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/plan/arc_bits.hpp>

#include <bit>
#include <cstdint>
#include <type_traits>

namespace rhizome::graph::batch {

/// Packs row and target into one key: row above, target below. Arcs that are not taken come last, or among
/// the last: the keys alone do not tell which these are, but their number is known (`progress::dropped`). Two
/// ids of 32 bits and a key for such arcs fit into 64 bits; two ids of 64 bits may need more.
template <class Id>
struct packed_keys {
    using key = std::conditional_t<sizeof(Id) == 4, std::uint64_t, exec::uint128>;

    unsigned target_bits;
    std::uint64_t rows;
    bool drops_beyond; ///< such arcs have a key greater than those of all rows, and there is one more bit to
                       ///< sort by

    /// Targets are less than `targets`, rows less than `rows`.
    [[nodiscard]] static packed_keys of(std::uint64_t targets, std::uint64_t rows) {
        return {static_cast<unsigned>(targets < 2 ? 1 : std::bit_width(targets - 1)), rows, rows == 0};
    }
    /// The packing for a batch. If the last row can have an arc to the last of 2^k targets, the key of that
    /// arc is that of the arcs that are not taken. In a whole graph, this arc is a self-loop. With values
    /// that would mix up what comes along with the keys, so arcs that are not taken then have a key of their
    /// own.
    [[nodiscard]] static packed_keys of(arc_rules<Id> const& rules, bool has_values) {
        packed_keys keys = of(rules.target_count(), rules.vertices * rules.stride);
        bool const all_are_arcs = (rules.self_loops || rules.is_part) &&
                                  rules.target_count() == std::uint64_t{1} << keys.target_bits;
        keys.drops_beyond = keys.drops_beyond || (has_values && all_are_arcs);
        return keys;
    }
    /// How many bits differ between keys; fewer if all arcs are taken.
    [[nodiscard]] unsigned bits(bool none_dropped = false) const {
        std::uint64_t const last_row = (drops_beyond && !none_dropped) || rows == 0 ? rows : rows - 1;
        return target_bits + static_cast<unsigned>(std::bit_width(last_row));
    }
    [[nodiscard]] RZ_HD key dropped() const {
        return drops_beyond ? key{rows} << target_bits : (key{rows} << target_bits) - 1;
    }
    [[nodiscard]] RZ_HD key make(std::uint64_t row, std::uint64_t target) const {
        return key{row} << target_bits | target;
    }
    [[nodiscard]] RZ_HD std::uint64_t row_of(key const& arc) const {
        return static_cast<std::uint64_t>(arc >> target_bits);
    }
    [[nodiscard]] RZ_HD Id target_of(key const& arc) const {
        return static_cast<Id>(static_cast<std::uint64_t>(arc) & ((std::uint64_t{1} << target_bits) - 1));
    }
};

/// A part of a row, which one block merges.
struct row_piece {
    std::uint32_t slice;
    std::uint32_t number;
};

/// M: arcs of the batch. R: the most rows that it can touch. What is written after the sort lies, where it
/// fits, in memory that only the sort needs (scratch.hpp).
template <class Id>
struct sorting_arrays {
    using key_pairs = exec::basic_key_pairs<typename packed_keys<Id>::key>;
    using row_type = std::conditional_t<sizeof(Id) == 4, std::uint32_t, std::uint64_t>;

    key_pairs pairs;            ///< M: key; with values, the number of the edge
    key_pairs alternate;        ///< M; only while arcs are sorted
    arc_bits firsts;            ///< M + 1: first arc of its row; not needed once arcs are judged and listed
    arc_bits changes;           ///< M + 1: arc that changes its row
    std::uint32_t* slice_begin; ///< R + 1
    row_type* slice_row;        ///< R
    row_piece* pieces;

    [[nodiscard]] RZ_HD bool is_first(packed_keys<Id> const& keys, std::uint64_t i) const {
        return i == 0 || keys.row_of(pairs.keys[i]) != keys.row_of(pairs.keys[i - 1]);
    }
    [[nodiscard]] RZ_HD std::uint32_t slice_of(std::uint64_t i) const { return firsts.count(i + 1) - 1; }
    /// How many arcs change the rows before slice `number`.
    [[nodiscard]] RZ_HD std::uint32_t changes_before(std::uint64_t number) const {
        return changes.count(slice_begin[number]);
    }
};

/// The arrays of a batch whose arcs are sorted.
template <class Id, bool HasValues>
struct sorted_arrays {
    arrays<Id, HasValues> a;
    sorting_arrays<Id> s;
};

} // namespace rhizome::graph::batch
