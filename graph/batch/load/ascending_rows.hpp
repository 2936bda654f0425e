// SPDX-License-Identifier: Apache-2.0
// Turns rows without neighbours into those of ascending edges: sizes, pages, records, arcs.
#pragma once

#include <rhizome/alloc/abilities.hpp>
#include <rhizome/alloc/page_run.hpp>
#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/load/ascending_edges.hpp>
#include <rhizome/graph/batch/plan/place_rows.hpp>
#include <rhizome/graph/batch/size_lists.hpp>
#include <rhizome/graph/limits.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// What is known of the rows.
template <class Format>
struct ascending_rows {
    using id_type = typename Format::id_type;
    using record_type = typename Format::record_type;

    arc_rules<id_type> rules;
    std::uint32_t const* first; ///< the first edge of each vertex
    std::uint32_t* mirrored;    ///< of each vertex, the arcs by edges that lead to it; nullptr: edges have
                                ///< one arc
    record_type* rows;

    [[nodiscard]] RZ_HD std::uint32_t forward(std::uint64_t v) const { return first[v + 1] - first[v]; }
    /// Where the arcs of a vertex's own edges begin in its row. Precondition: no mirrored arc has been
    /// counted again.
    [[nodiscard]] RZ_HD std::uint32_t forward_begin(std::uint64_t v) const {
        return rules.directed || mirrored == nullptr ? 0 : mirrored[v];
    }
    /// Calls function(row, degree) for the rows of a vertex that have arcs.
    template <class Function>
    RZ_HD void for_each_row(std::uint64_t v, Function&& function) const {
        std::uint64_t const own = std::uint64_t{forward(v)} + forward_begin(v);
        if (own != 0) function(v * rules.stride, own);
        if (rules.stride == 2 && mirrored[v] != 0) function(v * 2 + 1, std::uint64_t{mirrored[v]});
    }
};

/// Counts how many pages of each exact size the rows of each part of the vertices need: counts[size][part];
/// and the bytes of all pages.
template <class Format, class AllocatorRef>
struct size_ascending {
    AllocatorRef allocator;
    ascending_rows<Format> r;
    even_parts parts; ///< of vertices
    std::uint32_t* counts;
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
            std::uint32_t own[size_buckets::exact] = {};
            std::uint64_t bytes = 0;
            std::uint64_t largest = 0;
            bool large = false;
            for (std::uint64_t v = parts.begin(part); v < parts.end(part); ++v)
                r.for_each_row(v, [&](std::uint64_t, std::uint64_t degree) {
                    largest = degree > largest ? degree : largest;
                    if (Format::is_inline(degree)) return;
                    std::uint64_t const wanted = Format::bytes_for(degree);
                    std::uint32_t const bucket = size_buckets::of(wanted);
                    if (bucket < size_buckets::exact) {
                        ++own[bucket];
                    } else {
                        bytes += allocator.usable_bytes(wanted);
                        large = true;
                    }
                });
            for (std::uint32_t bucket = 0; bucket < size_buckets::exact; ++bucket) {
                counts[bucket * parts.count + part] = own[bucket];
                if (own[bucket] != 0)
                    bytes += own[bucket] * allocator.usable_bytes(size_buckets::bytes_of_exact(bucket));
            }
            if (largest > most_neighbours<typename Format::id_type>)
                thread.device(find->refused).store(1u, exec::order::relaxed);
            if (largest > most_block_arcs<slice_arc<typename Format::id_type, Format::has_values>>)
                thread.device(find->crowded).store(1u, exec::order::relaxed);
            if (large) thread.device(find->large).store(1u, exec::order::relaxed);
            if (bytes != 0) thread.device(find->page_bytes).fetch_add(bytes, exec::order::relaxed);
        });
    }
};

/// places[size][part] becomes the number of pages in all entries before it: the running sum of the counts of
/// size_ascending. The last entry is the number of all pages. By one thread: there are few entries.
struct sum_places {
    std::uint64_t count;
    std::uint32_t* places; ///< count + 1

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (thread.rank() != 0) return;
        std::uint32_t sum = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            std::uint32_t const own = places[i];
            places[i] = sum;
            sum += own;
        }
        places[count] = sum;
    }
};

/// Obtains a run of pages for each exact size that fills several chunks, if there is one. By one warp, as
/// take_runs.
template <class AllocatorRef>
struct take_ascending_runs {
    AllocatorRef allocator;
    std::uint64_t part_count;
    std::uint32_t const* places; ///< the sums of what size_ascending counted
    alloc::page_run* runs;
    bool bulk; ///< false: no runs
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        if (warp.index() != 0) return;
        bulk_tally tally = find->bulk; // of the tries before
        for (std::uint32_t bucket = 0; bucket < size_buckets::exact; ++bucket) {
            std::uint32_t const count = places[(bucket + 1) * part_count] - places[bucket * part_count];
            std::uint64_t const bytes = size_buckets::bytes_of_exact(bucket);
            alloc::page_run run{};
            if constexpr (alloc::gives_runs<AllocatorRef>)
                if (bulk && count * bytes >= tuning::least_run_bytes) {
                    run = allocator.allocate_run(thread, warp, bytes, count);
                    tally.count(run.first != nullptr, count);
                }
            if (warp.rank() == 0) runs[bucket] = run;
        }
        if (warp.rank() == 0) find->bulk = tally;
    }
};

/// Gives each row its record and the page that it needs. With Large: rows whose page is in no run, since they
/// find room before the heap is fragmented; otherwise the others. A row without a page stays without
/// neighbours.
template <class Format, class AllocatorRef, bool Large>
struct begin_ascending_rows {
    using record_type = typename Format::record_type;

    AllocatorRef allocator;
    ascending_rows<Format> r;
    even_parts parts; ///< of vertices
    std::uint32_t const* places;
    alloc::page_run const* runs;
    ascending_find* find;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const lacking = thread.device(find->refused);
        exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
            std::uint32_t next[size_buckets::exact] = {};
            if constexpr (!Large)
                for (std::uint32_t bucket = 0; bucket < size_buckets::exact; ++bucket)
                    next[bucket] = places[bucket * parts.count + part] - places[bucket * parts.count];
            for (std::uint64_t v = parts.begin(part); v < parts.end(part); ++v)
                r.for_each_row(v, [&](std::uint64_t row, std::uint64_t degree) {
                    auto const count = static_cast<std::uint32_t>(degree);
                    std::uint64_t const bytes = Format::is_inline(degree) ? 0 : Format::bytes_for(degree);
                    std::uint32_t const bucket = bytes == 0 ? 0 : size_buckets::of(bytes);
                    if ((bucket >= size_buckets::exact) != Large) return;
                    if (bytes == 0) {
                        record_type record{};
                        record.degree = count;
                        r.rows[row] = record;
                        return;
                    }
                    void* page = nullptr;
                    std::uint64_t has_bytes = 0;
                    if (!Large && runs[bucket].first != nullptr) {
                        page = runs[bucket].page(next[bucket]++);
                        has_bytes = runs[bucket].usable_bytes;
                    } else if (lacking.load(exec::order::relaxed) == 0) { // relaxed: at worst it asks
                                                                          // although there is nothing left
                        page = allocator.allocate(exec::alone(thread), bytes);
                        has_bytes = allocator.usable_bytes(bytes);
                    }
                    if (page == nullptr) {
                        lacking.store(1u, exec::order::relaxed);
                        return;
                    }
                    r.rows[row] = record_type::of(static_cast<typename Format::id_type*>(page),
                                                  Format::capacity_of(has_bytes), count);
                });
        });
    }
};

/// Undoes begin_ascending_rows: all rows are without neighbours again.
template <class Format, class AllocatorRef>
struct undo_ascending_rows {
    AllocatorRef allocator;
    ascending_rows<Format> r;
    even_parts parts; ///< of vertices

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
            for (std::uint64_t v = parts.begin(part); v < parts.end(part); ++v)
                r.for_each_row(v, [&](std::uint64_t row, std::uint64_t) {
                    auto const record = r.rows[row];
                    if (!Format::is_inline(record.degree))
                        allocator.deallocate(exec::alone(thread), record.page());
                    r.rows[row] = {};
                });
        });
    }
};

/// Writes the arcs of the vertices' own edges, and resets mirrored[] to count again.
template <class Format, class List>
struct place_forward {
    using id_type = typename Format::id_type;

    ascending_rows<Format> r;
    even_parts parts; ///< of vertices
    List list;
    typename Format::value_type const* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, parts.count, [&](std::uint64_t part) {
            for (std::uint64_t v = parts.begin(part); v < parts.end(part); ++v) {
                std::uint32_t const count = r.forward(v);
                auto* const place = r.rows + v * r.rules.stride;
                auto const record = *place;
                std::uint32_t const begin = r.forward_begin(v);
                std::uint32_t const from = r.first[v];
                id_type* const ids = Format::ids_of(place, record) + begin;
                for (std::uint32_t i = 0; i < count; ++i)
                    ids[i] = list.target(from + std::uint64_t{i});
                if constexpr (Format::has_values)
                    for (std::uint32_t i = 0; i < count; ++i)
                        Format::values_of(record.page(), record.capacity())[begin + i] = values[from + i];
                if (r.mirrored != nullptr) r.mirrored[v] = 0;
            }
        });
    }
};

/// Writes the mirrored arcs of all edges. One thread writes those of the rows of a range, in the order of the
/// edges, so that rows ascend and threads share no word. A thread skips stretches without edges to its range.
/// If all stretches have some, it reads all edges, which takes a fraction of the time of writing the arcs.
template <class Format, class List>
struct place_mirrored {
    using id_type = typename Format::id_type;

    ascending_rows<Format> r;
    List list;
    target_span<id_type> const* span;
    even_parts ranges; ///< of vertices
    typename Format::value_type const* values;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const visit = [&](std::uint64_t stretch, wanted_targets wanted) {
            list.for_each(stretch, wanted, [&](id_type source, id_type target, std::uint64_t edge) {
                if (r.rules.directed || source != target) place(source, target, edge);
            });
        };
        for_each_range(thread, ranges, span, list.stretches(), visit);
    }

private:
    RZ_HD void place(id_type source, id_type target, [[maybe_unused]] std::uint64_t edge) const {
        auto* const row = r.rows + (std::uint64_t{target} * r.rules.stride + (r.rules.directed ? 1u : 0u));
        std::uint32_t const place = r.mirrored[target]++;
        auto const record = *row; // one thread writes all of a row
        Format::ids_of(row, record)[place] = source;
        if constexpr (Format::has_values)
            Format::values_of(record.page(), record.capacity())[place] = values[edge];
    }
};

} // namespace rhizome::graph::batch
