// SPDX-License-Identifier: Apache-2.0
// A batch that loads a graph without arcs. There is nothing to search and nothing to merge, so sorted arcs
// are written to their final places at once.
#pragma once

#include <rhizome/exec/alone.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/graph/batch/arrays.hpp>
#include <rhizome/graph/batch/merge_context.hpp>
#include <rhizome/graph/batch/plan/sort_arcs.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// Gives each row the page obtained for it. If the batch was stopped, the pages go back.
template <class Format, class AllocatorRef>
struct commit_first_rows {
    static constexpr std::uint32_t blocks_side_by_side = 3; // as finish_rows
    using record_type = typename Format::record_type;

    AllocatorRef allocator;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const& a = context.a;
        bool const stopped = a.now().stopped();
        exec::for_each_item(thread, a.now().slices(), [&](std::uint64_t i) {
            batch::slice const own = a.slices[i];
            auto* const page = static_cast<typename Format::id_type*>(own.page);
            if (stopped) {
                allocator.deallocate(exec::alone(thread), page);
                return;
            }
            record_type record{};
            record.degree = own.count;
            if (!Format::is_inline(own.count)) record = record_type::of(page, own.capacity, own.count);
            context.rows[own.row] = record;
        });
    }
};

/// Writes each distinct arc to its place in its row.
template <class Format>
struct place_first_arcs {
    using id_type = typename Format::id_type;

    packed_keys<id_type> keys;
    sorting_arrays<id_type> s;
    merge_context<Format> context;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        progress const now = context.a.now();
        if (now.stopped()) return;
        exec::for_each_item(thread, static_cast<std::uint32_t>(now.cursor), [&](std::uint64_t i) {
            if (!s.changes.test(i)) return;
            auto const key = s.pairs.keys[i];
            std::uint32_t const place = s.changes.count(i) - s.changes_before(s.slice_of(i));
            auto* const row = context.rows + keys.row_of(key);
            if (Format::is_inline(row->degree)) { // the record is not read as a whole: other threads write to
                                                  // it
                row->ids[place] = keys.target_of(key);
                return;
            }
            row->page()[place] = keys.target_of(key);
            if constexpr (Format::has_values)
                Format::values_of(row->page(), row->capacity())[place] =
                    context.new_values[s.pairs.values[i]];
        });
    }
};

} // namespace rhizome::graph::batch
