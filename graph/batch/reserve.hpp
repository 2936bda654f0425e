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
    static constexpr std::uint32_t blocks_side_by_side = 4; // requests wait for memory: 64 registers are enough

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
        exec::add_to_total(thread, a.counts->needed_bytes, needed);
        exec::add_to_total(thread, a.counts->refused_pages, refused);
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

/// Gives every row's page back, when the graph goes.
template <class AllocatorRef>
struct return_rows {
    AllocatorRef allocator;
    vertex_record const* rows;
    std::uint64_t count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count,
                            [&](std::uint64_t row) { allocator.deallocate(thread, rows[row].neighbours); });
    }
};

} // namespace rhizome::graph::batch
