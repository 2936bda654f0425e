// SPDX-License-Identifier: Apache-2.0
// Merges a row with arcs that ascend, by one thread.
#pragma once

#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/apply/contiguous_target.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/outcome.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>

#include <cstdint>
#include <cstring>

namespace rhizome::graph {

/// First the arcs that change the row are listed with their places; then the stretches of neighbours between
/// these places move.
template <class Format, bool Erasing>
class contiguous_ordered_merge {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;
    using value_type = typename Format::value_type;
    using keys_type = batch::packed_keys<id_type>;
    using key_type = typename keys_type::key;

public:
    /// The slice's part of s.pairs is scratch afterwards. The slice keeps the page to give back, as after
    /// every merge.
    static RZ_HD void run(batch::merge_context<Format> const& context, keys_type const& keys,
                          batch::sorting_arrays<id_type> const& s, batch::slice& slice,
                          batch::merge_tally& tally) {
        batch::slice const own = slice;
        auto* const place = context.rows + own.row;
        auto const record = *place;
        list listed{s.pairs.keys + own.begin, Format::has_values ? s.pairs.values + own.begin : nullptr, 0};
        listed.judge(context, keys, place, record, own, tally);
        std::uint32_t const changes = listed.count;
        if (changes == 0) return; // the page obtained for it goes back
        auto const target = contiguous_target<Format>::template of<Erasing>(
            place, record, own, Erasing ? record.degree - changes : record.degree + changes);
        id_type* const ids = Format::ids_of(place, record);
        move(target.ids, ids, record.degree, target.moves, listed,
             [&](std::uint32_t i) { return listed.target(i); });
        if constexpr (Format::has_values)
            if (record.degree != 0 || !Erasing) {
                value_type const* const values =
                    Format::is_inline(record.degree) ? nullptr : Format::values_of_row(record);
                move(target.values(), values, record.degree, target.moves, listed,
                     [&](std::uint32_t i) { return context.new_values[listed.edges[i]]; });
            }
        target.commit(place, slice);
    }

private:
    /// The arcs that change the row. A key holds the place, which is the number of smaller neighbours, above
    /// the target.
    struct list {
        static constexpr unsigned id_bits = 8 * sizeof(id_type);

        key_type* keys;
        std::uint32_t* edges; ///< where edges have values
        std::uint32_t count;

        [[nodiscard]] RZ_HD std::uint32_t place(std::uint32_t i) const {
            return static_cast<std::uint32_t>(keys[i] >> id_bits);
        }
        [[nodiscard]] RZ_HD id_type target(std::uint32_t i) const { return static_cast<id_type>(keys[i]); }

        /// Turns the arcs of a slice into the list. Counts them, and writes the values of present edges.
        RZ_HD void judge(batch::merge_context<Format> const& context, keys_type const& packed,
                         record_type* row, record_type const& record, batch::slice const& own,
                         batch::merge_tally& tally) {
            id_type const* const ids = Format::ids_of(row, record);
            std::uint32_t low = 0;
            for (std::uint32_t i = 0; i < own.count; ++i) {
                id_type const target = packed.target_of(keys[i]);
                // Of equal arcs the last one counts.
                if (i + 1 < own.count && packed.target_of(keys[i + 1]) == target) {
                    context.note_nothing(own.begin + i);
                    continue;
                }
                low += count_below(ids + low, record.degree - low, target);
                bool const present = low < record.degree && ids[low] == target;
                bool const effective = present == Erasing;
                bool const stands = context.rules.stands_for_edge(own.row, target);
                tally.count(effective, stands);
                context.template note<Erasing>(
                    own.begin + i, own.row, target, Format::has_values ? edges[i] : 0, stands, present,
                    [&] { return Format::values_of(record.page(), record.capacity())[low]; });
                if constexpr (Format::has_values && !Erasing)
                    if (present)
                        Format::values_of(record.page(), record.capacity())[low] =
                            context.new_values[edges[i]];
                if (!effective) continue;
                keys[count] = key_type{low} << id_bits | target;
                if constexpr (Format::has_values) edges[count] = edges[i];
                ++count;
            }
        }
    };

    /// How many of `count` ascending ids are less than the target: a binary search without branches that
    /// cannot be predicted.
    [[nodiscard]] static RZ_HD std::uint32_t count_below(id_type const* ids, std::uint32_t count,
                                                         id_type target) {
        if (count == 0) return 0;
        std::uint32_t below = 0;
        while (count > 1) {
            std::uint32_t const half = count / 2;
            below += half * static_cast<std::uint32_t>(ids[below + half - 1] < target);
            count -= half;
        }
        return below + static_cast<std::uint32_t>(ids[below] < target);
    }

    /// Copies a stretch of neighbours. The memory may overlap.
    template <class T>
    static RZ_HD void copy(T* to, T const* from, std::uint32_t count) {
        if (count != 0) std::memmove(to, from, count * sizeof(T));
    }
    /// Moves `degree` elements of a row from `from` to `to`, and opens or closes the listed places.
    /// `apart`: these are different memory.
    template <class T, class Fresh>
    static RZ_HD void move(T* to, T const* from, std::uint32_t degree, bool apart, list const& listed,
                           [[maybe_unused]] Fresh const& fresh) {
        if constexpr (Erasing) {
            std::uint32_t begin = 0; // of the neighbours that have not moved
            for (std::uint32_t i = 0; i < listed.count; ++i) {
                std::uint32_t const place = listed.place(i);
                if (apart || i != 0) copy(to + begin - i, from + begin, place - begin);
                begin = place + 1;
            }
            copy(to + begin - listed.count, from + begin, degree - begin);
        } else {
            std::uint32_t end = degree; // of the neighbours that have not moved
            for (std::uint32_t i = listed.count; i-- != 0;) {
                std::uint32_t const place = listed.place(i);
                copy(to + place + i + 1, from + place, end - place);
                to[place + i] = fresh(i);
                end = place;
            }
            if (apart) copy(to, from, end);
        }
    }
};

namespace batch {

/// Merges all rows, each by one thread, and gives unused and replaced pages back at once. Ends the batch,
/// unless its changes are to be listed.
template <class Format, class AllocatorRef, bool Erasing>
struct merge_ordered_rows {
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    packed_keys<id_type> keys;
    sorting_arrays<id_type> s;
    merge_context<Format> context;
    report_batch report;
    bool reports; ///< false: a later kernel does

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        bool const stopped = a.now().stopped();
        std::uint32_t const slices = a.now().slices();
        merge_tally tally;
        exec::for_each_item(thread, slices, [&](std::uint64_t i) {
            batch::slice& own = a.slices[i];
            if (!stopped) contiguous_ordered_merge<Format, Erasing>::run(context, keys, s, own, tally);
            allocator.deallocate(exec::alone(thread), own.page);
        });
        if (!stopped) tally.add_to(thread, a.share(thread.rank()));
        if (reports) report.by_last_block(thread);
    }
};

} // namespace batch

} // namespace rhizome::graph
