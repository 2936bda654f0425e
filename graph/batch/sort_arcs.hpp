// Program 1 of a batch, the other way: arcs sorted by row and target over the whole device, and judged there.
// For batches that are large for their graph; for rows with more arcs than a block sorts; and where memory is
// scarce, since it is exact: reserve then asks for what the batch needs, and not for what it may need at
// most.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/for_each_arc.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/layout/row_search.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

/// How row and target make one key: row above, target below. Dropped arcs come after every row.
struct packed_keys {
    unsigned target_bits;
    std::uint64_t rows;

    [[nodiscard]] static packed_keys of(std::uint64_t vertices, std::uint64_t rows) {
        return {static_cast<unsigned>(std::bit_width(vertices | 1)), rows};
    }
    template <class Id>
    [[nodiscard]] static packed_keys of(arc_rules<Id> const& rules) {
        return of(rules.vertices, rules.vertices * rules.stride);
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

/// A part of a row that one block merges.
struct row_piece {
    std::uint32_t segment;
    std::uint32_t number;
};

/// M arcs, R touched rows at most.
struct sorting_arrays {
    exec::key_pairs pairs;         ///< M: key; with values, which edge of the batch it is of
    exec::key_pairs alternate;     ///< M
    std::uint32_t* flags;          ///< M + 1: first arc of its row; then: arc that changes it
    std::uint32_t* rows_before;    ///< M + 1: the former, scanned
    std::uint32_t* changes_before; ///< M + 1: the latter, scanned
    std::uint32_t* segment_begin;  ///< R + 1
    row_piece* pieces;

    [[nodiscard]] RZ_HD bool is_first(packed_keys const& keys, std::uint64_t i) const {
        return i == 0 || keys.row_of(pairs.keys[i]) != keys.row_of(pairs.keys[i - 1]);
    }
    [[nodiscard]] RZ_HD std::uint32_t segment_of(std::uint64_t i) const { return rows_before[i + 1] - 1; }
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
        for_each_arc(thread, rules, edges, edge_count, a,
                     [&](std::uint64_t arc, std::uint64_t edge, row_arc<Id> const& in, bool taken) {
                         s.pairs.keys[arc] = taken ? keys.make(in.row, in.target) : keys.dropped();
                         if (HasValues) s.pairs.values[arc] = static_cast<std::uint32_t>(edge);
                     });
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
            s.flags[i] = live && s.is_first(keys, i) ? 1 : 0;
        });
    }
};

/// For sorted arc i: notes where its row begins, or that all arcs have ended. Whether it counts: of equal
/// arcs the last does.
[[nodiscard]] inline RZ_HD bool note_row(packed_keys const& keys, std::uint64_t slot_count,
                                         sorting_arrays const& s, progress& now, std::uint64_t i) {
    std::uint64_t const key = i < slot_count ? s.pairs.keys[i] : keys.dropped();
    bool const live = key != keys.dropped();
    bool const ends = !live && (i == 0 || s.pairs.keys[i - 1] != keys.dropped());
    if (ends || (live && s.is_first(keys, i)))
        s.segment_begin[s.rows_before[i]] = static_cast<std::uint32_t>(i);
    if (ends) now.cursor = std::uint64_t{s.rows_before[i]} << 32 | i;
    return live && (i + 1 == slot_count || s.pairs.keys[i + 1] != key);
}

/// flags[i] anew: whether it counts.
struct mark_distinct {
    packed_keys keys;
    std::uint64_t slot_count;
    sorting_arrays s;
    progress* now;
    std::uint32_t* places; ///< of arcs: nothing yet

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, slot_count + 1, [&](std::uint64_t i) {
            s.flags[i] = note_row(keys, slot_count, s, *now, i) ? 1 : 0;
            if (i < slot_count) places[i] = 0;
        });
    }
};

struct sorted_arcs {
    packed_keys keys;
    sorting_arrays s;
};

/// Sorts the arcs of a batch, and numbers the rows that they touch. Throws out_of_memory.
template <class Space, class Format, class Scratch>
[[nodiscard]] sorted_arcs sort_arcs(Space& space, batch_run<Format> const& work, Scratch& scratch) {
    using id_type = typename Format::id_type;
    std::uint64_t const arcs = work.arc_count;
    auto const keys = packed_keys::of(work.context.rules);
    sorting_arrays s = scratch.cut_for_sorting(arcs, work.row_count, work.graph_arcs);
    launch(space, cover_threads(space, work.edge_count),
           make_keys<id_type, Format::has_values>{work.context.rules, keys, work.edges, work.edge_count, s,
                                                  work.context.a});
    std::uint64_t* sorted = nullptr;
    if constexpr (Format::has_values)
        sorted = sort_pairs(space, scratch.primitives, s.pairs, s.alternate, arcs, keys.bits()).keys;
    else
        sorted = sort_keys(space, scratch.primitives, s.pairs.keys, s.alternate.keys, arcs, keys.bits());
    if (sorted != s.pairs.keys) std::swap(s.pairs, s.alternate);
    launch(space, cover_threads(space, arcs + 1), mark_rows{keys, arcs, s});
    exclusive_scan(space, scratch.primitives, s.flags, s.rows_before, arcs + 1);
    return {keys, s};
}

/// Where each touched row's arcs begin, and how many there are; flags anew: whether an arc changes its row;
/// and its place there. Of equal arcs the last counts.
template <class Format, bool Erasing>
struct judge_arcs {
    using id_type = typename Format::id_type;

    packed_keys keys;
    std::uint64_t slot_count;
    sorting_arrays s;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        merge_tally tally;
        exec::for_each_item(thread, slot_count + 1, [&](std::uint64_t i) {
            bool const counts = note_row(keys, slot_count, s, a.now(), i);
            bool effective = false;
            if (counts) {
                std::uint64_t const key = s.pairs.keys[i];
                std::uint64_t const row = keys.row_of(key);
                auto const target = static_cast<id_type>(keys.target_of(key));
                auto const record = context.rows[row];
                auto const found =
                    find_in_row(Format::ids_of(context.rows + row, record), record.degree, target);
                a.rank[i] = found.place;
                effective = found.present == Erasing;
                tally.count(effective, context.rules.stands_for_edge(row, target));
            }
            s.flags[i] = effective ? 1 : 0;
        });
        tally.add_to(thread, a.share(thread.rank()));
    }
};

/// Lists the arcs that change each row, with their places.
template <class Id, bool HasValues>
struct list_arcs {
    packed_keys keys;
    sorting_arrays s;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, static_cast<std::uint32_t>(a.now().cursor), [&](std::uint64_t i) {
            if (s.flags[i] == 0) return;
            std::uint32_t const begin = s.segment_begin[s.segment_of(i)];
            std::uint32_t const to = begin + (s.changes_before[i] - s.changes_before[begin]);
            auto const target = static_cast<Id>(keys.target_of(s.pairs.keys[i]));
            a.arcs[to] = segment_arc<Id, HasValues>::of(target, HasValues ? s.pairs.values[i] : 0);
            a.places[to] = a.rank[i];
        });
    }
};

/// Inserting edges with values: present ones get the new value, before their rows move.
template <class Format>
struct update_values {
    packed_keys keys;
    std::uint64_t slot_count;
    sorting_arrays s;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        exec::for_each_item(thread, static_cast<std::uint32_t>(a.now().cursor), [&](std::uint64_t i) {
            bool const counts = i + 1 == slot_count || s.pairs.keys[i + 1] != s.pairs.keys[i];
            if (!counts || s.flags[i] != 0) return;
            auto const record = context.rows[keys.row_of(s.pairs.keys[i])];
            Format::values_of(record.page(), record.capacity())[a.rank[i]] =
                context.new_values[s.pairs.values[i]];
        });
    }
};

} // namespace rhizome::graph::batch
