// SPDX-License-Identifier: Apache-2.0
// The scratch of a batch: allocations that are divided into its arrays and kept between batches.
#pragma once

#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/key_pairs.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/change_notes.hpp>
#include <rhizome/graph/batch/plan/sorting_arrays.hpp>
#include <rhizome/graph/batch/reserve/bulk_arrays.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/layout/chained/chained_arrays.hpp>
#include <rhizome/graph/tuning.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

namespace detail {

/// Places arrays one behind the other, each at a multiple of 256 bytes.
class cutter {
public:
    template <class T>
    [[nodiscard]] std::uint64_t reserve(std::uint64_t count) {
        std::uint64_t const start = bytes_;
        bytes_ += (count * sizeof(T) + 255) / 256 * 256;
        return start;
    }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    std::uint64_t bytes_ = 0;
};

/// The two halves of the memory in which keys are sorted: the keys are in one of them afterwards, and the
/// other one is free. Where they lie is known once the arcs are sorted.
struct halves {
    std::byte* sorted;
    std::byte* other;
    std::byte* other_values; ///< of the other half
};

/// The place of an array: in the allocation, or in a half.
struct place {
    enum class home { allocation, sorted, other } where = home::allocation;
    std::uint64_t start = 0;

    template <class T>
    [[nodiscard]] T* in(std::byte* allocation, halves const& half) const {
        std::byte* const base = where == home::sorted  ? half.sorted
                                : where == home::other ? half.other
                                                       : allocation;
        return reinterpret_cast<T*>(base + start);
    }
};

/// Memory in a half that is free after a certain step, for arrays that are written later.
class free_half {
public:
    free_half(place::home where, std::uint64_t bytes) : where_(where), left_(bytes) {}

    /// A place here if there is room, and otherwise in the allocation.
    template <class T>
    [[nodiscard]] place reserve(cutter& allocation, std::uint64_t count) {
        std::uint64_t const bytes = (count * sizeof(T) + 15) / 16 * 16;
        if (bytes > left_) return {place::home::allocation, allocation.reserve<T>(count)};
        place const found{where_, start_};
        start_ += bytes;
        left_ -= bytes;
        return found;
    }

    [[nodiscard]] std::uint64_t left() const { return left_; }

private:
    place::home where_;
    std::uint64_t start_ = 0;
    std::uint64_t left_;
};

} // namespace detail

/// Which arrays a batch needs, and how large.
struct cut_sizes {
    std::uint64_t arcs;       ///< of the batch
    std::uint64_t rows;       ///< of the graph: each arc touches one row
    std::uint64_t graph_arcs; ///< before or after the batch, whichever is more
    bool lists_arcs;          ///< arcs are listed row by row
    bool keeps_keys;          ///< sorted keys are needed after arcs are listed
    bool sorts;               ///< arcs are sorted over the whole device
    bool orders;              ///< arcs are brought into order, and not judged before their rows are merged
    bool in_pieces;           ///< several blocks merge a large row, if there are pages for it
    bool bulk;                ///< pages are requested in bulk
    std::uint64_t sort_bytes = 0; ///< of the other half, if sorting takes more than the keys
};

template <class Id, bool HasValues>
struct cut_arrays {
    arrays<Id, HasValues> a;
    sorted_arrays<Id, HasValues> sorted[2]; ///< as batch_run::sorted; empty if nothing is sorted
    bulk_arrays bulk;                       ///< empty if nothing is requested in bulk
};

template <class Space, class Id, bool HasValues>
class scratch {
public:
    /// Takes all memory from `resource`, or from the space if that is nullptr.
    scratch(Space space, exec::memory_resource* resource)
        : arrays_(space, resource), chains_(space, resource), notes_(space, resource),
          edges_(space, resource), ids_(space, resource), values_(space, resource), offsets_(space, resource),
          columns(space, resource), primitives(std::move(space), resource) {}

    /// The arrays for the arcs of a batch, in one allocation. Arrays that are not in use at the same time
    /// share memory. If arcs are sorted:
    ///
    ///     step       one half of the keys     the other half
    ///     sort       keys                     keys; if arcs come packed, memory of the sort
    ///     judge      sorted keys              first arcs of rows; numbers
    ///     list       sorted keys              arcs; numbers
    ///     ... then   places, slices, ...      arcs; numbers
    ///
    /// With values, numbers lie where the values of the other half lay. If a graph is loaded, arcs are not
    /// listed, and slices lie in the other half. Arrays for which a half has no room have memory of their
    /// own. Throws out_of_memory.
    [[nodiscard]] cut_arrays<Id, HasValues> cut(beginning* counts, cut_sizes const& sizes) {
        using arc_type = slice_arc<Id, HasValues>;
        using key_type = typename packed_keys<Id>::key;
        using row_type = typename sorting_arrays<Id>::row_type;
        using home = detail::place::home;
        std::uint64_t const touched = std::min(sizes.arcs, sizes.rows);
        bool const has_keys = sizes.sorts || sizes.orders;
        bool const lists_sorted = sizes.lists_arcs && sizes.sorts;
        std::uint64_t const counted = sizes.lists_arcs && !sizes.sorts ? sizes.arcs : 0;
        // Arrays in a half begin at multiples of 16 bytes: there is room for that in four more keys.
        std::uint64_t const keys_each = has_keys ? sizes.arcs + 4 : 0;
        std::uint64_t const values_each = HasValues ? keys_each : 0;
        std::uint32_t piece_degree = ~std::uint32_t{0};
        if (sizes.in_pieces)
            piece_degree =
                sizes.arcs < tuning::small_piece_arcs ? tuning::small_piece_degree : tuning::piece_degree;
        detail::cutter cutter;
        auto const keys = cutter.reserve<key_type>(keys_each);
        auto const other_keys = cutter.reserve<key_type>(
            std::max(keys_each, (sizes.sort_bytes + sizeof(key_type) - 1) / sizeof(key_type)));
        auto const own_values = cutter.reserve<std::uint32_t>(values_each);
        auto const other_values = cutter.reserve<std::uint32_t>(values_each);

        std::uint64_t const half_bytes = keys_each * sizeof(key_type);
        detail::free_half other(home::other, has_keys ? half_bytes : 0);
        detail::place numbers{home::allocation, cutter.reserve<std::uint32_t>(counted)};
        if (lists_sorted && !HasValues) numbers = other.template reserve<std::uint32_t>(cutter, sizes.arcs);
        std::uint64_t const mark_words = sizes.sorts ? arc_bits::words_of(sizes.arcs + 1) : 0;
        detail::free_half judging = other; // arcs are listed when the first arcs of rows are no longer needed
        auto const firsts = judging.template reserve<std::uint32_t>(cutter, mark_words);
        auto const first_sums = judging.template reserve<std::uint32_t>(cutter, mark_words);
        // Beside the numbers: both together hold arcs in bins, before either is needed.
        detail::place places{home::allocation, cutter.reserve<std::uint32_t>(counted)};
        detail::place arcs{home::allocation, cutter.reserve<arc_type>(counted)};
        if (lists_sorted) arcs = other.template reserve<arc_type>(cutter, sizes.arcs);

        // The half that is free last: of the sorted keys, once arcs are listed, or the other one.
        bool const frees_keys = lists_sorted && !sizes.keeps_keys;
        detail::free_half late = frees_keys         ? detail::free_half(home::sorted, half_bytes)
                                 : sizes.lists_arcs ? detail::free_half(home::other, 0)
                                                    : judging;
        if (lists_sorted) places = late.template reserve<std::uint32_t>(cutter, sizes.arcs);
        auto const slices = late.template reserve<batch::slice>(cutter, touched);
        auto const listed = late.template reserve<std::uint32_t>(cutter, sizes.orders ? 0 : touched);
        std::uint64_t const most_arcs = sizes.arcs + sizes.graph_arcs;
        auto const pieces = late.template reserve<row_piece>(
            cutter,
            sizes.sorts ? std::min(touched, most_arcs / tuning::tile_degree) + most_arcs / piece_degree : 0);
        // Written while arcs are judged.
        detail::free_half& early = !sizes.lists_arcs ? late : other.left() < judging.left() ? other : judging;
        auto const changes = cutter.reserve<std::uint32_t>(mark_words);
        auto const change_sums = cutter.reserve<std::uint32_t>(mark_words);
        auto const begin = early.template reserve<std::uint32_t>(cutter, sizes.sorts ? touched + 1 : 0);
        auto const row = early.template reserve<row_type>(cutter, sizes.sorts ? touched : 0);

        bulk_arrays bulk{};
        bulk.parts = sizes.bulk ? bulk_arrays::parts_of(touched) : 0;
        bulk.mark_words = sizes.bulk && !sizes.sorts ? bulk_arrays::words_of(sizes.rows) : 0;
        auto const runs = cutter.reserve<alloc::page_run>(sizes.bulk ? size_buckets::exact : 0);
        auto const counts_of_parts = cutter.reserve<std::uint32_t>(sizes.bulk ? bulk.count_words() : 0);
        auto const marks = cutter.reserve<std::uint32_t>(bulk.mark_words);
        auto const before = cutter.reserve<std::uint32_t>(bulk.mark_words == 0 ? 0 : bulk.mark_words + 1);
        holds_tiny_ = false;
        auto* const base = static_cast<std::byte*>(arrays_.at_least(cutter.bytes()));
        auto const words = [base](std::uint64_t start) {
            return reinterpret_cast<std::uint32_t*>(base + start);
        };
        auto const arrays_in = [&](detail::halves const& half) -> arrays<Id, HasValues> {
            return {counts,
                    &counts->all,
                    HasValues && lists_sorted ? reinterpret_cast<std::uint32_t*>(half.other_values)
                                              : numbers.template in<std::uint32_t>(base, half),
                    arcs.template in<arc_type>(base, half),
                    places.template in<std::uint32_t>(base, half),
                    slices.template in<batch::slice>(base, half),
                    listed.template in<std::uint32_t>(base, half),
                    static_cast<std::uint32_t>(touched),
                    piece_degree,
                    static_cast<std::uint32_t>(
                        std::max<std::uint64_t>(piece_degree, sizes.arcs / tuning::wish_share))};
        };
        cut_arrays<Id, HasValues> all{};
        if (sizes.bulk) {
            bulk.runs = reinterpret_cast<alloc::page_run*>(base + runs);
            bulk.counts = words(counts_of_parts);
            bulk.marks = words(marks);
            bulk.before = words(before);
            all.bulk = bulk;
        }
        detail::halves const made{base + keys, base + other_keys, base + other_values};
        all.a = arrays_in(made);
        if (!has_keys) return all;
        detail::halves const swapped{base + other_keys, base + keys, base + own_values};
        for (bool const swaps : {false, true}) {
            detail::halves const& half = swaps ? swapped : made;
            sorted_arrays<Id, HasValues>& found = all.sorted[swaps ? 1 : 0];
            found.a = arrays_in(half);
            found.s.pairs = {reinterpret_cast<key_type*>(half.sorted),
                             words(swaps ? other_values : own_values)};
            found.s.alternate = {reinterpret_cast<key_type*>(half.other),
                                 words(swaps ? own_values : other_values)};
            found.s.firsts = {firsts.template in<std::uint32_t>(base, half),
                              first_sums.template in<std::uint32_t>(base, half)};
            found.s.changes = {words(changes), words(change_sums)};
            found.s.slice_begin = begin.template in<std::uint32_t>(base, half);
            found.s.slice_row = row.template in<row_type>(base, half);
            found.s.pieces = pieces.template in<row_piece>(base, half);
        }
        return all;
    }

    /// The additional arrays for rows in several pages.
    template <class Format>
    [[nodiscard]] chain_context<Format> cut_for_chains(merge_context<Format> const& context,
                                                       std::uint64_t slots) {
        std::uint64_t const touched = context.a.rows_at_most;
        detail::cutter cutter;
        auto const slices = cutter.reserve<chain_slice>(touched);
        auto const found = cutter.reserve<Id*>(slots);
        auto const pages =
            cutter.reserve<std::uint64_t>(chain_context<Format>::pages_at_most(slots, touched));
        auto* const base = static_cast<std::byte*>(chains_.at_least(cutter.bytes()));
        return {context, reinterpret_cast<chain_slice*>(base + slices), reinterpret_cast<Id**>(base + found),
                reinterpret_cast<std::uint64_t*>(base + pages)};
    }

    /// A T for tiny batches: all zero, or as the tiny batch before left it. Lies in the memory of the arrays.
    /// Throws out_of_memory.
    template <class T>
    [[nodiscard]] T* tiny(Space& space) {
        bool const keeps = std::exchange(holds_tiny_, false) && arrays_.held_bytes() >= sizeof(T);
        auto* const begin = arrays_.template at_least_of<T>(1);
        if (!keeps) space.fill(begin, 0, sizeof(T));
        holds_tiny_ = true;
        return begin;
    }

    /// The notes of a batch that lists its changes. Throws out_of_memory.
    template <class Value>
    [[nodiscard]] change_notes<Id, Value> cut_notes(std::uint64_t arcs) {
        detail::cutter cutter;
        auto const kinds = cutter.reserve<edge_change>(arcs);
        auto const edges = cutter.reserve<basic_edge<Id>>(arcs);
        auto const numbers = cutter.reserve<std::uint32_t>(HasValues ? arcs : 0);
        auto const before = cutter.reserve<Value>(HasValues ? arcs : 0);
        auto* const base = static_cast<std::byte*>(notes_.at_least(cutter.bytes()));
        return {reinterpret_cast<edge_change*>(base + kinds), reinterpret_cast<basic_edge<Id>*>(base + edges),
                reinterpret_cast<std::uint32_t*>(base + numbers), reinterpret_cast<Value*>(base + before)};
    }

    [[nodiscard]] basic_edge<Id>* edges(std::uint64_t count) {
        return edges_.template at_least_of<basic_edge<Id>>(count);
    }
    [[nodiscard]] Id* ids(std::uint64_t count) { return ids_.template at_least_of<Id>(count); }
    [[nodiscard]] std::uint64_t* offsets(std::uint64_t count) {
        return offsets_.template at_least_of<std::uint64_t>(count);
    }
    template <class Value>
    [[nodiscard]] Value* values(std::uint64_t count) {
        return values_.template at_least_of<Value>(count);
    }

    [[nodiscard]] std::uint64_t held_bytes() const {
        return arrays_.held_bytes() + chains_.held_bytes() + notes_.held_bytes() + edges_.held_bytes() +
               ids_.held_bytes() + values_.held_bytes() + offsets_.held_bytes() + columns.held_bytes() +
               primitives.held_bytes();
    }
    /// Gives back the working memory of batches, but not the edges, values and ids that were put here for
    /// one.
    void give_back_working_memory() {
        for (auto* const piece : {&arrays_, &chains_, &notes_, &offsets_, &columns, &primitives})
            piece->give_back();
    }
    /// Gives back the edges, values and ids that were put here for a batch.
    void give_back_lists() {
        for (auto* const piece : {&edges_, &ids_, &values_})
            piece->give_back();
    }
    /// Gives back all memory; the next batch allocates what it needs.
    void give_back() {
        give_back_working_memory();
        give_back_lists();
    }

private:
    exec::workspace<Space> arrays_;
    exec::workspace<Space> chains_;
    exec::workspace<Space> notes_;
    exec::workspace<Space> edges_;
    exec::workspace<Space> ids_;
    exec::workspace<Space> values_;
    exec::workspace<Space> offsets_; ///< of lists of edges
    bool holds_tiny_ = false;        ///< whether the arrays hold what tiny() returned last

public:
    exec::workspace<Space> columns;    ///< of a batch, before they become pairs
    exec::workspace<Space> primitives; ///< working memory of sort and scan
};

} // namespace rhizome::graph::batch
