// Program 1 of a batch, the other way: arcs sorted by row and target over the whole device. For batches with
// rows that have more arcs than a block sorts; and where memory is scarce, since it is exact: reserve then
// asks for what the batch needs, and not for what it may need at most.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/reserve.hpp>
#include <rhizome/graph/layout/row_search.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::graph::batch {

/// How row and target make one key: row above, target below. Dropped arcs come after every row.
struct packed_keys {
    unsigned target_bits;
    std::uint64_t rows;

    template <class Id>
    [[nodiscard]] static packed_keys of(arc_rules<Id> const& rules) {
        return {static_cast<unsigned>(std::bit_width(rules.vertices | 1)), rules.vertices * rules.stride};
    }
    [[nodiscard]] unsigned bits() const { return target_bits + static_cast<unsigned>(std::bit_width(rows)); }
    [[nodiscard]] RZ_HD std::uint64_t dropped() const { return rows << target_bits; }
    [[nodiscard]] RZ_HD std::uint64_t make(std::uint64_t row, std::uint64_t target) const {
        return row << target_bits | target;
    }
    [[nodiscard]] RZ_HD std::uint64_t row_of(std::uint64_t key) const { return key >> target_bits; }
    [[nodiscard]] RZ_HD std::uint64_t target_of(std::uint64_t key) const {
        return key & ((std::uint64_t{1} << target_bits) - 1);
    }
};

/// M arcs.
struct sorting_arrays {
    exec::key_pairs pairs;        ///< M: key; which edge of the batch it is of
    exec::key_pairs alternate;    ///< M
    std::uint32_t* flags;         ///< M + 1: first arc of its row; then: arc that is new to its row
    std::uint32_t* numbers;       ///< M + 1: flags scanned
    std::uint32_t* segment_begin; ///< R + 1
};

template <class Id, bool HasValues>
struct make_keys {
    arc_rules<Id> rules;
    packed_keys keys;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    sorting_arrays s;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t rejected = 0;
        std::uint64_t self_loops = 0;
        std::uint32_t const width = rules.arcs_per_edge();
        exec::for_each_item(thread, edge_count, [&](std::uint64_t i) {
            basic_edge<Id> const e = edges[i];
            verdict const found = rules.judge(e);
            rejected += found == verdict::rejected ? 1 : 0;
            self_loops += found == verdict::self_loop ? 1 : 0;
            for (std::uint32_t which = 0; which < width; ++which) {
                row_arc<Id> const arc = rules.arc(e, which);
                bool const taken = found == verdict::taken && arc.exists;
                s.pairs.keys[i * width + which] = taken ? keys.make(arc.row, arc.target) : keys.dropped();
                s.pairs.values[i * width + which] = static_cast<std::uint32_t>(i);
            }
        });
        exec::add_to_total(thread, a.share(thread.rank()).rejected, rejected);
        exec::add_to_total(thread, a.share(thread.rank()).self_loops, self_loops);
    }
};

/// flags[i] = 1 where arc i is the first of its row.
struct mark_rows {
    packed_keys keys;
    std::uint64_t slot_count;
    sorting_arrays s;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, slot_count + 1, [&](std::uint64_t i) {
            bool const live = i < slot_count && s.pairs.keys[i] != keys.dropped();
            s.flags[i] = live && (i == 0 || keys.row_of(s.pairs.keys[i]) != keys.row_of(s.pairs.keys[i - 1]));
        });
    }
};

/// Where each touched row's arcs begin; the arcs; and flags anew: which are distinct and, as `Erasing` says,
/// present or absent.
template <class Format, bool Erasing>
struct place_rows {
    using id_type = typename Format::id_type;

    packed_keys keys;
    std::uint64_t slot_count;
    typename Format::record_type const* rows;
    sorting_arrays s;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, slot_count + 1, [&](std::uint64_t i) {
            bool const live = i < slot_count && s.pairs.keys[i] != keys.dropped();
            bool const ends = !live && (i == 0 || s.pairs.keys[i - 1] != keys.dropped());
            if (s.flags[i] != 0 || ends) s.segment_begin[s.numbers[i]] = static_cast<std::uint32_t>(i);
            if (ends) a.now().cursor = std::uint64_t{s.numbers[i]} << 32 | i;
            bool effective = false;
            if (live) {
                std::uint64_t const key = s.pairs.keys[i];
                auto const target = static_cast<id_type>(keys.target_of(key));
                a.arcs[i] = segment_arc<id_type, Format::has_values>::of(target, s.pairs.values[i]);
                auto const* const place = rows + keys.row_of(key);
                auto const record = *place;
                effective =
                    (i == 0 || s.pairs.keys[i - 1] != key) &&
                    find_in_row(Format::ids_of(place, record), record.degree, target).present == Erasing;
            }
            s.flags[i] = effective ? 1 : 0;
        });
    }
};

/// The segments, with a page each where the row needs one.
template <class Layout, class Format, class AllocatorRef, bool Erasing>
struct reserve_sorted_rows {
    static constexpr std::uint32_t blocks_side_by_side = 4; // as reserve_rows
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    packed_keys keys;
    vertex_record<id_type> const* rows;
    sorting_arrays s;
    arrays<id_type, Format::has_values> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_reserver<Layout, Format, AllocatorRef, Erasing> reserver(allocator, a);
        exec::for_each_item(thread, a.now().segments(), [&](std::uint64_t i) {
            std::uint32_t const begin = s.segment_begin[i];
            std::uint32_t const end = s.segment_begin[i + 1];
            std::uint64_t const row = keys.row_of(s.pairs.keys[begin]);
            reserver.reserve(thread, static_cast<std::uint32_t>(i), row, rows[row], begin, end - begin,
                             s.numbers[end] - s.numbers[begin]);
        });
        reserver.add_totals(thread);
    }
};

} // namespace rhizome::graph::batch
