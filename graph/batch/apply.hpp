// Program 3 of a batch: moves and merges. Allocates nothing, and does nothing where a page was refused.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/batch/plan.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>

namespace rhizome::graph::batch {

namespace detail {
struct key_target {
    arc_keys keys;
    std::uint64_t const* arcs;
    [[nodiscard]] RZ_HD vertex_id operator()(std::uint64_t i) const { return keys.target_of(arcs[i]); }
};
[[nodiscard]] inline RZ_HD row_batch<key_target> batch_of(arc_keys const& keys, arrays const& a,
                                                          std::uint64_t segment) {
    return {{keys, a.keys}, a.before, a.segment_begin[segment], a.segment_begin[segment + 1]};
}
} // namespace detail

/// Moves the neighbours of touched rows, light rows by tiles or heavy ones by blocks.
template <class Layout, bool Heavy>
struct move_rows {
    arc_keys keys;
    vertex_record const* rows;
    bool erasing;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.counts->refused_pages != 0) return;
        if constexpr (Heavy) {
            auto const block = thread.block();
            exec::for_each_group_item(block, a.counts->heavy_segments,
                                      [&](std::uint64_t i) { move(block, a.heavy[i]); });
        } else {
            auto const tile = thread.tile(exec::width<tuning::row_tile>);
            exec::for_each_group_item(tile, a.counts->segments,
                                      [&](std::uint64_t segment) { move(tile, segment); });
        }
    }

private:
    template <class Group>
    RZ_HD void move(Group const& group, std::uint64_t segment) const {
        auto const batch = detail::batch_of(keys, a, segment);
        vertex_record const row = rows[keys.row_of(a.keys[batch.begin])];
        if ((row.degree > tuning::heavy_degree) != Heavy || batch.size() == 0) return;
        std::uint32_t const first_place = a.place[batch.begin];
        if (erasing) {
            Layout::close_gaps(group, row, batch, first_place);
        } else {
            vertex_id* const page = a.page[segment] != nullptr ? a.page[segment] : row.neighbours;
            Layout::make_gaps(group, row, page, batch, first_place);
        }
    }
};

/// Writes the new neighbours into the gaps.
struct fill_gaps {
    arc_keys keys;
    vertex_record const* rows;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.counts->refused_pages != 0) return;
        exec::for_each_item(thread, a.counts->arcs, [&](std::uint64_t i) {
            if (a.flags[i] == 0) return;
            std::uint64_t const key = a.keys[i];
            // segment_of counts the rows that begin before arc i; the one arc i lies in is the last of those
            // begun.
            std::uint64_t const following = a.segment_of[i + 1];
            std::uint64_t const segment = following - 1;
            std::uint64_t const begin = a.segment_begin[segment];
            vertex_id* const page =
                a.page[segment] != nullptr ? a.page[segment] : rows[keys.row_of(key)].neighbours;
            page[a.place[i] + (a.before[i] - a.before[begin])] = keys.target_of(key);
        });
    }
};

/// Writes the records, and gives back the pages that they no longer name.
template <class AllocatorRef>
struct finish_rows {
    AllocatorRef allocator;
    arc_keys keys;
    vertex_record* rows;
    bool erasing;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (a.counts->refused_pages != 0) return;
        exec::for_each_item(thread, a.counts->segments, [&](std::uint64_t segment) {
            std::uint64_t const begin = a.segment_begin[segment];
            std::uint32_t const changed = a.before[a.segment_begin[segment + 1]] - a.before[begin];
            if (changed == 0) return;
            vertex_record& record = rows[keys.row_of(a.keys[begin])];
            vertex_record row = record;
            vertex_id* unused = nullptr;
            if (erasing) {
                row.degree -= changed;
                if (row.degree == 0) {
                    unused = row.neighbours;
                    row = {nullptr, 0, 0};
                }
            } else {
                row.degree += changed;
                if (a.page[segment] != nullptr) {
                    unused = row.neighbours;
                    std::uint64_t const bytes =
                        allocator.usable_bytes(std::uint64_t{row.degree} * sizeof(vertex_id));
                    row.neighbours = a.page[segment];
                    row.capacity = static_cast<std::uint32_t>(bytes / sizeof(vertex_id));
                }
            }
            record = row;
            allocator.deallocate(thread, unused);
        });
    }
};

} // namespace rhizome::graph::batch
