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

} // namespace detail

/// Which arrays a batch needs, and how large.
struct cut_sizes {
    std::uint64_t arcs;       ///< of the batch
    std::uint64_t rows;       ///< of the graph: each arc touches one row
    std::uint64_t graph_arcs; ///< before the batch
    bool lists_arcs;          ///< arcs are listed row by row
    bool sorts;               ///< arcs are sorted over the whole device
    bool orders;              ///< arcs are brought into order, and not judged before their rows are merged
    bool in_pieces;           ///< several blocks merge a large row, if there are pages for it
    bool bulk;                ///< pages are requested in bulk
};

template <class Id, bool HasValues>
struct cut_arrays {
    arrays<Id, HasValues> a;
    sorting_arrays<Id> s; ///< empty if nothing is sorted
    bulk_arrays bulk;     ///< empty if nothing is requested in bulk
};

template <class Space, class Id, bool HasValues>
class scratch {
public:
    /// Takes all memory from `resource`, or from the space if that is nullptr.
    scratch(Space space, exec::memory_resource* resource)
        : arrays_(space, resource), chains_(space, resource), notes_(space, resource),
          edges_(space, resource), ids_(space, resource), values_(space, resource), offsets_(space, resource),
          columns(space, resource), primitives(std::move(space), resource) {}

    /// The arrays for the arcs of a batch, in one allocation. Loading a graph sorts arcs and does not list
    /// them; the memory it took is enough for erasing as many arcs by counting. Throws out_of_memory.
    [[nodiscard]] cut_arrays<Id, HasValues> cut(beginning* counts, cut_sizes const& sizes) {
        using arc_type = slice_arc<Id, HasValues>;
        using key_type = typename packed_keys<Id>::key;
        std::uint64_t const touched = std::min(sizes.arcs, sizes.rows);
        std::uint64_t const listed_arcs = sizes.lists_arcs ? sizes.arcs : 0;
        std::uint64_t const keys_each = sizes.sorts || sizes.orders ? sizes.arcs + 1 : 0;
        std::uint64_t const values_each = HasValues && keys_each != 0 ? sizes.arcs : 0;
        std::uint32_t piece_degree = ~std::uint32_t{0};
        if (sizes.in_pieces)
            piece_degree =
                sizes.arcs < tuning::small_piece_arcs ? tuning::small_piece_degree : tuning::piece_degree;
        detail::cutter cutter;
        auto const slices = cutter.reserve<batch::slice>(touched);
        auto const listed = cutter.reserve<std::uint32_t>(touched);
        auto const numbers = cutter.reserve<std::uint32_t>(listed_arcs);
        auto const arcs = cutter.reserve<arc_type>(listed_arcs);
        auto const places = cutter.reserve<std::uint32_t>(listed_arcs);
        auto const keys = cutter.reserve<key_type>(keys_each);
        auto const other_keys = cutter.reserve<key_type>(keys_each);
        auto const own_values = cutter.reserve<std::uint32_t>(values_each);
        auto const other_values = cutter.reserve<std::uint32_t>(values_each);
        auto const flags = cutter.reserve<std::uint32_t>(sizes.sorts ? keys_each : 0);
        auto const begin = cutter.reserve<std::uint32_t>(sizes.sorts ? touched + 1 : 0);
        bulk_arrays bulk{};
        bulk.parts = sizes.bulk ? bulk_arrays::parts_of(touched) : 0;
        bulk.mark_words = sizes.bulk && !sizes.sorts ? bulk_arrays::words_of(sizes.rows) : 0;
        auto const runs = cutter.reserve<alloc::page_run>(sizes.bulk ? size_buckets::exact : 0);
        auto const counts_of_parts = cutter.reserve<std::uint32_t>(sizes.bulk ? bulk.count_words() : 0);
        auto const marks = cutter.reserve<std::uint32_t>(bulk.mark_words);
        auto const before = cutter.reserve<std::uint32_t>(bulk.mark_words == 0 ? 0 : bulk.mark_words + 1);
        auto const pieces = cutter.reserve<row_piece>(
            sizes.sorts ? touched + (sizes.arcs + sizes.graph_arcs) / piece_degree : 0);
        holds_tiny_ = false;
        auto* const base = static_cast<std::byte*>(arrays_.at_least(cutter.bytes()));
        auto const words = [base](std::uint64_t start) {
            return reinterpret_cast<std::uint32_t*>(base + start);
        };
        cut_arrays<Id, HasValues> all{};
        all.a = {counts,
                 &counts->all,
                 words(numbers),
                 reinterpret_cast<arc_type*>(base + arcs),
                 words(places),
                 reinterpret_cast<batch::slice*>(base + slices),
                 words(listed),
                 static_cast<std::uint32_t>(touched),
                 piece_degree,
                 static_cast<std::uint32_t>(
                     std::max<std::uint64_t>(piece_degree, sizes.arcs / tuning::wish_share))};
        if (sizes.bulk) {
            bulk.runs = reinterpret_cast<alloc::page_run*>(base + runs);
            bulk.counts = words(counts_of_parts);
            bulk.marks = words(marks);
            bulk.before = words(before);
            all.bulk = bulk;
        }
        if (keys_each == 0) return all;
        all.s.pairs = {reinterpret_cast<key_type*>(base + keys), words(own_values)};
        all.s.alternate = {reinterpret_cast<key_type*>(base + other_keys), words(other_values)};
        all.s.flags = words(flags);
        all.s.slice_begin = words(begin);
        all.s.pieces = reinterpret_cast<row_piece*>(base + pieces);
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
