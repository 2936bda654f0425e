// SPDX-License-Identifier: Apache-2.0
// Merges a short row by one thread. Windows of the row pass through the thread's registers in ascending
// order, so that each thread works on a row of its own and many rows are on their way from memory at once.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/merge_context.hpp>

#include <cstdint>

namespace rhizome::graph {

/// Four ids, ascending. Places that hold none have no_id, which is greater than every id: the largest number
/// is no vertex id.
template <class Id>
struct alignas(16) id_window {
    static constexpr std::uint32_t width = 4;
    static constexpr Id no_id = static_cast<Id>(~Id{0});

    Id ids[width];

    [[nodiscard]] static RZ_HD id_window none() { return {{no_id, no_id, no_id, no_id}}; }

    RZ_HD void sort() {
        order(ids[0], ids[1]);
        order(ids[2], ids[3]);
        order(ids[0], ids[2]);
        order(ids[1], ids[3]);
        order(ids[1], ids[2]);
    }
    /// The four smallest ids of both come into `low`, the others into `high`. Both stay ascending.
    static RZ_HD void merge(id_window& low, id_window& high) {
        order(low.ids[0], high.ids[3]);
        order(low.ids[1], high.ids[2]);
        order(low.ids[2], high.ids[1]);
        order(low.ids[3], high.ids[0]);
        low.sort_bitonic();
        high.sort_bitonic();
    }
    [[nodiscard]] RZ_HD bool contains(Id id) const {
        return ids[0] == id || ids[1] == id || ids[2] == id || ids[3] == id;
    }

private:
    static RZ_HD void order(Id& left, Id& right) {
        Id const less = left < right ? left : right;
        right = left < right ? right : left;
        left = less;
    }
    RZ_HD void sort_bitonic() {
        order(ids[0], ids[2]);
        order(ids[1], ids[3]);
        order(ids[0], ids[1]);
        order(ids[2], ids[3]);
    }
};

/// For rows of at most `Windows` windows of arcs.
template <class Format, bool Erasing, std::uint32_t Windows>
struct contiguous_short_merge {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using window = id_window<id_type>;
    using context_type = batch::merge_context<Format>;
    static constexpr std::uint32_t width = window::width;

    /// Called by one thread.
    static RZ_HD void run(context_type const& context, batch::slice& slice, batch::merge_tally& tally) {
        batch::slice const own = slice;
        record_type* const place = context.rows + own.row;
        record_type const record = *place;
        window arcs[Windows];
        for (std::uint32_t n = 0; n < Windows * width; ++n)
            arcs[n / width].ids[n % width] =
                n < own.count ? context.a.arcs[own.begin + n].target : window::no_id;
        for (window& some : arcs)
            some.sort();
        sort(arcs);

        std::uint32_t const windows = (record.degree + width - 1) / width;
        window row[at_a_time]; // the first windows of the row
        load(row, record, 0, windows);
        std::uint32_t present = present_in(row, arcs);
        RZ_NO_UNROLL
        for (std::uint32_t first = at_a_time; first < windows; first += at_a_time) {
            window some[at_a_time];
            load(some, record, first, windows);
            present |= present_in(some, arcs);
        }
        if (context.notes.wanted()) note_all(context, own, arcs, present);
        std::uint32_t changes = 0;
        id_type before = window::no_id;
        for (std::uint32_t n = 0; n < Windows * width; ++n) {
            if (n >= own.count) break;
            id_type& target = arcs[n / width].ids[n % width];
            bool const repeated = target == before;
            bool const effective = !repeated && ((present >> n & 1) != 0) == Erasing;
            before = target;
            if (!repeated) tally.count(effective, context.rules.stands_for_edge(own.row, target));
            if (effective)
                ++changes;
            else
                target = window::no_id;
        }
        if (changes == 0) return;
        if (Windows == 1) arcs[0].sort();
        if (Windows > 1) {
            for (window& some : arcs)
                some.sort();
            sort(arcs);
        }

        auto const target = contiguous_target<Format>::template of<Erasing>(
            place, record, own, Erasing ? record.degree - changes : record.degree + changes);
        bool const is_inline = Format::is_inline(target.record.degree);
        id_type const least = arcs[0].ids[0];
        constexpr std::uint32_t waiting = Erasing ? 1 : Windows;
        window last[waiting]; // what is not written yet, ascending
        for (std::uint32_t w = 0; w < waiting; ++w)
            last[w] = Erasing ? window::none() : arcs[w];
        std::uint32_t written = 0; // windows
        auto const take = [&](std::uint32_t number, window next) {
            if (!target.moves && least > next.ids[width - 1]) {
                written = number + 1; // it stays where it is, as all before it
                return;
            }
            if constexpr (Erasing) {
                for (std::uint32_t k = 0; k < width; ++k)
                    if (contain(arcs, next.ids[k])) next.ids[k] = window::no_id;
                next.sort();
            }
            window::merge(last[0], next);
            window const least_four = last[0];
            if (is_inline || (Erasing && least_four.ids[width - 1] == window::no_id))
                return; // `next` is empty
            for (std::uint32_t w = 1; w < waiting; ++w) {
                window::merge(last[w], next);
                last[w - 1] = last[w];
            }
            last[waiting - 1] = next;
            store(target, written++, least_four);
        };
        for (std::uint32_t i = 0; i < at_a_time; ++i)
            if (i < windows) take(i, row[i]);
        RZ_NO_UNROLL
        for (std::uint32_t number = at_a_time; number < windows; ++number)
            take(number, loaded(record, number));
        if (is_inline) {
            for (std::uint32_t k = 0; k < Format::inline_ids; ++k)
                if (k < target.record.degree) place->ids[k] = last[0].ids[k];
        } else {
            for (std::uint32_t w = 0; w < waiting; ++w)
                if ((written + w) * width < target.record.degree) store(target, written + w, last[w]);
        }
        target.commit(place, slice);
    }

private:
    static RZ_HD void sort(window (&all)[Windows]) {
        static_assert(Windows == 1 || Windows == 4);
        if constexpr (Windows == 4) {
            window::merge(all[0], all[1]);
            window::merge(all[2], all[3]);
            window::merge(all[0], all[2]);
            window::merge(all[1], all[3]);
            window::merge(all[1], all[2]);
        }
    }
    [[nodiscard]] static RZ_HD bool contain(window const (&all)[Windows], id_type id) {
        bool found = false;
        for (std::uint32_t w = 0; w < Windows; ++w)
            found = found || all[w].contains(id);
        return found;
    }
    static constexpr std::uint32_t at_a_time = 4; ///< windows that a thread waits for together

    static RZ_HD void load(window (&to)[at_a_time], record_type const& record, std::uint32_t first,
                           std::uint32_t windows) {
        for (std::uint32_t i = 0; i < at_a_time; ++i)
            to[i] = first + i < windows ? loaded(record, first + i) : window::none();
    }
    /// Which arcs are among the ids: bit n for arc n.
    [[nodiscard]] static RZ_HD std::uint32_t present_in(window const (&ids)[at_a_time],
                                                        window const (&arcs)[Windows]) {
        std::uint32_t present = 0;
        for (std::uint32_t n = 0; n < Windows * width; ++n) {
            bool found = false;
            for (std::uint32_t i = 0; i < at_a_time; ++i)
                found = found || ids[i].contains(arcs[n / width].ids[n % width]);
            present |= found ? 1u << n : 0u;
        }
        return present;
    }
    /// Notes what the arcs do. They are put into the array of arcs in the order in which they are noted.
    static RZ_HD void note_all(context_type const& context, batch::slice const& own,
                               window const (&arcs)[Windows], std::uint32_t present) {
        for (std::uint32_t n = 0; n < Windows * width; ++n)
            if (n < own.count) context.a.arcs[own.begin + n].target = arcs[n / width].ids[n % width];
        RZ_NO_UNROLL
        for (std::uint32_t n = 0; n < own.count; ++n) {
            std::uint64_t const at = own.begin + n;
            id_type const target = context.a.arcs[at].target;
            if (n != 0 && context.a.arcs[at - 1].target == target)
                context.note_nothing(at);
            else
                context.template note<Erasing>(
                    at, own.row, target, 0, context.rules.stands_for_edge(own.row, target),
                    (present >> n & 1) != 0, [] { return typename Format::value_type{}; });
        }
    }
    [[nodiscard]] static RZ_HD window loaded(record_type const& record, std::uint32_t number) {
        window found;
        if (Format::is_inline(record.degree)) {
            for (std::uint32_t k = 0; k < width; ++k)
                found.ids[k] = k < record_type::ids_at_most ? record.ids[k] : window::no_id;
        } else {
            // A page ends at the end of a window, or later.
            found = reinterpret_cast<window const*>(record.page())[number];
        }
        for (std::uint32_t k = 0; k < width; ++k)
            if (number * width + k >= record.degree) found.ids[k] = window::no_id;
        return found;
    }
    template <class Target>
    static RZ_HD void store(Target const& target, std::uint32_t number, window const& ids) {
        reinterpret_cast<window*>(target.ids)[number] = ids;
    }
};

} // namespace rhizome::graph
