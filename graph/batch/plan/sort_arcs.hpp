// SPDX-License-Identifier: Apache-2.0
// Plans a batch, the other way: arcs are sorted by row and target over the whole device, and judged
// there. Used for batches that are large compared with their graph, for rows with more arcs than a block
// sorts, and where memory is scarce: it is exact, so that reserve asks for what the batch needs and not for
// the most that it may need.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/batch_run.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/plan/arc_bits.hpp>
#include <rhizome/graph/batch/plan/for_each_arc.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/format/row_search.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

template <class Id, bool HasValues>
struct make_keys {
    static constexpr bool overlaps_launch = true;
    arc_rules<Id> rules;
    packed_keys<Id> keys;
    basic_edge<Id> const* edges;
    std::uint64_t edge_count;
    sorting_arrays<Id> s;
    arrays<Id, HasValues> a;

    bool looks; ///< whether to check the order

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        bool unordered = false;
        std::uint64_t dropped = 0;
        for_each_arc(thread, rules, edges, edge_count, a,
                     [&](std::uint64_t arc, std::uint64_t edge, row_arc<Id> const& in, bool taken) {
                         auto const key = key_of(in, taken);
                         s.pairs.keys[arc] = key;
                         if (HasValues) s.pairs.values[arc] = static_cast<std::uint32_t>(edge);
                         dropped += taken ? 0 : 1;
                         if (looks && edge != 0) unordered = unordered || key < key_before(edge);
                     });
        exec::add_to_total(thread, a.now().dropped, dropped);
        // Set once: additions of the whole device to one word take longer than making the keys.
        auto const word = thread.device(a.now().unordered);
        if (unordered && word.load(exec::order::relaxed) == 0) word.store(1u, exec::order::relaxed);
    }

private:
    [[nodiscard]] RZ_HD typename packed_keys<Id>::key key_of(row_arc<Id> const& in, bool taken) const {
        return taken ? keys.make(in.row, in.target) : keys.dropped();
    }
    /// If each edge has one arc.
    [[nodiscard]] RZ_HD typename packed_keys<Id>::key key_before(std::uint64_t edge) const {
        basic_edge<Id> const before = edges[edge - 1];
        return key_of(rules.arc(before, 0), rules.judge(before) == verdict::taken);
    }
};

/// Marks the first arc of each row.
template <class Id>
struct mark_rows {
    static constexpr bool overlaps_launch = true;
    packed_keys<Id> keys;
    std::uint64_t slot_count;
    sorting_arrays<Id> s;
    progress const* now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const taken = slot_count - now->dropped;
        set_arc_bits(thread, s.firsts, slot_count + 1,
                     [&](std::uint64_t i) { return i < taken && s.is_first(keys, i); });
    }
};

/// For sorted arc i: notes its row, if it is the first arc of the row, or that all `taken` arcs have ended.
/// Returns whether the arc counts: of equal arcs the last one does.
template <class Id>
[[nodiscard]] RZ_HD bool note_row(packed_keys<Id> const& keys, std::uint64_t taken,
                                  sorting_arrays<Id> const& s, progress& now, std::uint64_t i) {
    if (i > taken) return false;
    bool const ends = i == taken;
    bool const begins = s.firsts.test(i);
    if (ends || begins) {
        std::uint32_t const slice = s.firsts.count(i);
        s.slice_begin[slice] = static_cast<std::uint32_t>(i);
        if (begins)
            s.slice_row[slice] =
                static_cast<typename sorting_arrays<Id>::row_type>(keys.row_of(s.pairs.keys[i]));
        if (ends) now.cursor = std::uint64_t{slice} << 32 | i;
    }
    return !ends && (i + 1 == taken || s.pairs.keys[i + 1] != s.pairs.keys[i]);
}

/// Marks the arcs that count.
template <class Id>
struct mark_distinct {
    packed_keys<Id> keys;
    std::uint64_t slot_count;
    sorting_arrays<Id> s;
    progress* now;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const taken = slot_count - now->dropped;
        set_arc_bits(thread, s.changes, slot_count + 1,
                     [&](std::uint64_t i) { return note_row(keys, taken, s, *now, i); });
    }
};

template <class Format>
struct ordered_arcs {
    packed_keys<typename Format::id_type> keys;
    sorting_arrays<typename Format::id_type> s;
    batch_run<Format> work; ///< with the arrays that are in use from now on
};

/// Adds up the bits before each word of the marks of so many arcs.
template <class Space, class Scratch>
void add_up_marks(Space& space, Scratch& scratch, arc_bits const& bits, std::uint64_t arcs) {
    exclusive_scan(space, scratch.primitives, bits.sums, bits.sums, arc_bits::words_of(arcs + 1));
}

/// Brings the arcs of a batch into the order of their rows and targets; equal ones keep their order. Throws
/// out_of_memory. If a graph is loaded, a kernel first checks whether the keys are in order, as those of
/// files and compressed rows often are. Waiting for the answer takes little time compared with the sort.
template <class Space, class Format, class Scratch>
[[nodiscard]] ordered_arcs<Format> order_arcs(Space& space, batch_run<Format> const& work, Scratch& scratch) {
    using id_type = typename Format::id_type;
    std::uint64_t const arcs = work.arc_count;
    auto const keys = packed_keys<id_type>::of(work.context.rules, Format::has_values);
    sorting_arrays<id_type> const& s = work.sorted[0].s;
    if constexpr (!Format::has_values)
        if (work.is_packed()) { // all of them are taken; they stay as they are for another try
            using key_type = typename packed_keys<id_type>::key;
            sort_keys_into(space, scratch.primitives, reinterpret_cast<key_type const*>(work.edges),
                           s.pairs.keys, s.alternate.keys, arcs, work.form->ordered_bits, keys.bits(true));
            ordered_arcs<Format> ordered{keys, s, work};
            ordered.work.context.a = work.sorted[0].a;
            return ordered;
        }
    bool swapped = false;
    progress* const now = &work.context.a.all->now;
    bool const looks = work.graph_arcs == 0 && work.context.rules.arcs_per_edge() == 1;
    launch(space, cover_threads(space, work.edge_count),
           make_keys<id_type, Format::has_values>{work.context.rules, keys, work.edges, work.edge_count, s,
                                                  work.context.a, looks});
    progress found{};
    found.unordered = 1; // until the check says otherwise
    found.dropped = 1;
    if (looks) space.copy_out(&found, now, sizeof(found));
    if (found.unordered != 0) {
        unsigned const bits = keys.bits(found.dropped == 0);
        typename packed_keys<id_type>::key* sorted = nullptr;
        if constexpr (Format::has_values)
            sorted = sort_pairs(space, scratch.primitives, s.pairs, s.alternate, arcs, bits).keys;
        else
            sorted = sort_keys(space, scratch.primitives, s.pairs.keys, s.alternate.keys, arcs, bits);
        swapped = sorted != s.pairs.keys;
    }
    ordered_arcs<Format> ordered{keys, work.sorted[swapped ? 1 : 0].s, work};
    ordered.work.context.a = work.sorted[swapped ? 1 : 0].a;
    return ordered;
}

/// The same, and marks where the rows begin that the arcs touch.
template <class Space, class Format, class Scratch>
[[nodiscard]] ordered_arcs<Format> sort_arcs(Space& space, batch_run<Format> const& work, Scratch& scratch) {
    std::uint64_t const arcs = work.arc_count;
    ordered_arcs<Format> ordered = order_arcs(space, work, scratch);
    launch(space, cover_threads(space, arcs + 1),
           mark_rows<typename Format::id_type>{ordered.keys, arcs, ordered.s, &work.context.a.all->now});
    add_up_marks(space, scratch, ordered.s.firsts, arcs);
    return ordered;
}

/// Writes the touched rows, and where their arcs begin; whether each arc changes its row, and its place in
/// the row. Of equal arcs the last one counts. In a graph without arcs (First) each arc is new.
template <class Format, bool Erasing, bool First = false>
struct judge_arcs {
    static constexpr bool overlaps_launch = true;
    using id_type = typename Format::id_type;

    packed_keys<id_type> keys;
    std::uint64_t slot_count;
    sorting_arrays<id_type> s;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        merge_tally tally;
        std::uint64_t const taken = slot_count - a.now().dropped;
        set_arc_bits(thread, s.changes, slot_count + 1, [&](std::uint64_t i) {
            bool const counts = note_row(keys, taken, s, a.now(), i);
            bool effective = false;
            if (counts) {
                auto const key = s.pairs.keys[i];
                std::uint64_t const row = keys.row_of(key);
                id_type const target = keys.target_of(key);
                effective = First || changes_row(row, target, a.numbers[i]);
                bool const stands = context.rules.stands_for_edge(row, target);
                tally.count(effective, stands);
                context.template note<Erasing>(i, row, target, Format::has_values ? s.pairs.values[i] : 0,
                                               stands, effective == Erasing, [&] {
                                                   auto const record = context.rows[row];
                                                   return Format::values_of(record.page(),
                                                                            record.capacity())[a.numbers[i]];
                                               });
            } else if (i < slot_count) {
                context.note_nothing(i);
            }
            return effective;
        });
        tally.add_to(thread, a.share(thread.rank()));
    }

private:
    [[nodiscard]] RZ_HD bool changes_row(std::uint64_t row, id_type target, std::uint32_t& place) const {
        auto const record = context.rows[row];
        auto const found = find_in_row(Format::ids_of(context.rows + row, record), record.degree, target);
        place = found.place;
        return found.present == Erasing;
    }
};

/// Lists the arcs that change their rows, in order.
template <class Id, bool HasValues>
struct list_arcs {
    static constexpr bool overlaps_launch = true;
    packed_keys<Id> keys;
    sorting_arrays<Id> s;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, static_cast<std::uint32_t>(a.now().cursor), [&](std::uint64_t i) {
            if (s.changes.test(i))
                a.arcs[s.changes.count(i)] = slice_arc<Id, HasValues>::of(keys.target_of(s.pairs.keys[i]),
                                                                          HasValues ? s.pairs.values[i] : 0);
        });
    }
};

/// Lists their places. A kernel of its own: the list lies where the keys lay, unless these are needed later.
template <class Id, bool HasValues>
struct list_places {
    static constexpr bool overlaps_launch = true;
    arc_bits changes;
    arrays<Id, HasValues> a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, static_cast<std::uint32_t>(a.now().cursor), [&](std::uint64_t i) {
            if (changes.test(i)) a.places[changes.count(i)] = a.numbers[i];
        });
    }
};

/// Inserting edges with values: writes the new values of present edges, before their rows move.
template <class Format>
struct update_values {
    static constexpr bool overlaps_launch = true;
    using id_type = typename Format::id_type;

    packed_keys<id_type> keys;
    sorting_arrays<id_type> s;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        if (a.now().stopped()) return;
        auto const taken = static_cast<std::uint32_t>(a.now().cursor);
        exec::for_each_item(thread, taken, [&](std::uint64_t i) {
            if (s.changes.test(i)) return; // new: before a key is loaded
            bool const counts = i + 1 == taken || s.pairs.keys[i + 1] != s.pairs.keys[i];
            if (!counts) return;
            auto const record = context.rows[keys.row_of(s.pairs.keys[i])];
            Format::values_of(record.page(), record.capacity())[a.numbers[i]] =
                context.new_values[s.pairs.values[i]];
        });
    }
};

} // namespace rhizome::graph::batch
