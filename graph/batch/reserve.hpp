// Program 2 of a batch: every page that it needs, into a list, before anything is changed.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/plan.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

/// A page for each touched row that outgrows its own. Where the allocator has none, the batch is flagged.
template <class AllocatorRef>
struct reserve_pages {
    AllocatorRef allocator;
    arc_keys keys;
    vertex_record const* rows;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t needed = 0;
        std::uint64_t refused = 0;
        exec::for_each_item(thread, a.counts->segments, [&](std::uint64_t segment) {
            std::uint64_t const begin = a.segment_begin[segment];
            std::uint32_t const added = a.before[a.segment_begin[segment + 1]] - a.before[begin];
            vertex_record const row = rows[keys.row_of(a.keys[begin])];
            vertex_id* page = nullptr;
            if (row.degree + added > row.capacity) {
                std::uint64_t const bytes = (std::uint64_t{row.degree} + added) * sizeof(vertex_id);
                page = static_cast<vertex_id*>(allocator.allocate(thread, bytes));
                needed += allocator.usable_bytes(bytes);
                refused += page == nullptr ? 1 : 0;
            }
            a.page[segment] = page;
        });
        if (needed != 0) thread.device(a.counts->needed_bytes).fetch_add(needed, exec::order::relaxed);
        if (refused != 0) thread.device(a.counts->refused_pages).fetch_add(refused, exec::order::relaxed);
    }
};

/// Gives every page back where one was refused.
template <class AllocatorRef>
struct return_pages {
    AllocatorRef allocator;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.counts->refused_pages == 0) return;
        exec::for_each_item(thread, a.counts->segments,
                            [&](std::uint64_t segment) { allocator.deallocate(thread, a.page[segment]); });
    }
};

} // namespace rhizome::graph::batch
