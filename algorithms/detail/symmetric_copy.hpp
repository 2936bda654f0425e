// SPDX-License-Identifier: Apache-2.0
// The undirected graph that underlies any view, as compressed sparse rows.
#pragma once

#include <rhizome/algorithms/detail/sorted_search.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/block_algorithms.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <bit>
#include <cstdint>
#include <utility>

namespace rhizome::algorithms::detail {

/// How an arc is packed into a sortable key: source above, target below.
struct arc_packing {
    std::uint64_t vertices;
    unsigned target_bits;

    [[nodiscard]] static arc_packing of(std::uint64_t vertices) {
        return {vertices, static_cast<unsigned>(std::bit_width(vertices))};
    }
    [[nodiscard]] unsigned bits() const { return 2 * target_bits; }
    [[nodiscard]] RZ_HD std::uint64_t first_of(std::uint64_t source) const { return source << target_bits; }
    [[nodiscard]] RZ_HD std::uint64_t pack(graph::vertex_id source, graph::vertex_id target) const {
        return first_of(source) | target;
    }
    [[nodiscard]] RZ_HD graph::vertex_id target_of(std::uint64_t key) const {
        return static_cast<graph::vertex_id>(key & ((std::uint64_t{1} << target_bits) - 1));
    }
};

/// Writes the lengths of all rows, and sums them.
template <class View>
struct write_row_lengths {
    struct shared {
        exec::block_sum_storage<std::uint64_t> sums;
    };
    graph::out_rows<View> rows;
    std::uint64_t vertices;
    std::uint32_t* lengths; ///< vertices + 1; the last is 0
    graph::row_totals* totals;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t arcs = 0;
        std::uint64_t pieces = 0;
        exec::for_each_item(thread, vertices + 1, [&](std::uint64_t v) {
            std::uint64_t const size = v < vertices ? rows(static_cast<graph::vertex_id>(v)).size() : 0;
            lengths[v] = static_cast<std::uint32_t>(size);
            arcs += size;
            pieces += graph::pieces_of_row(size);
        });
        totals->add(thread, thread.block().storage().sums, arcs, pieces);
    }
};

/// Two keys per arc: the arc and its reverse.
template <class View>
struct pack_both_ways {
    graph::out_rows<View> rows;
    graph::row_schedule schedule;
    arc_packing packing;
    std::uint64_t const* first_arc; ///< vertices + 1
    std::uint64_t* keys;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(thread, rows, schedule,
                                  [&](auto const& group, graph::vertex_id v, auto const& row,
                                      std::uint64_t begin, std::uint64_t end) {
                                      std::uint64_t const first = first_arc[v];
                                      row.for_each(group, begin, end,
                                                   [&](std::uint64_t at, graph::vertex_id id) {
                                                       keys[2 * (first + at)] = packing.pack(v, id);
                                                       keys[2 * (first + at) + 1] = packing.pack(id, v);
                                                   });
                                  });
    }
};

/// offsets[v] becomes the number of keys with smaller sources.
struct find_offsets {
    arc_packing packing;
    std::uint64_t const* keys;
    std::uint64_t const* key_count;
    std::uint64_t* offsets; ///< vertices + 1

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const count = *key_count;
        exec::for_each_item(thread, packing.vertices + 1, [&](std::uint64_t v) {
            offsets[v] = first_not_less(keys, 0, count, packing.first_of(v));
        });
    }
};

struct unpack_targets {
    arc_packing packing;
    std::uint64_t const* keys;
    std::uint64_t count;
    graph::vertex_id* targets;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) { targets[i] = packing.target_of(keys[i]); });
    }
};

/// Makes symmetric copies without parallel arcs, self-loops included. Keeps their memory between calls.
template <class Space>
class symmetric_copy {
public:
    /// Allocates nothing; of() does. `scratch`: source of the memory; nullptr: the space. The resource must
    /// outlive this object and its copies.
    symmetric_copy(Space space, exec::memory_resource* scratch)
        : scheduler_(space, scratch), lengths_(space, scratch), begins_(space, scratch),
          primitives_(space, scratch), offsets_(space, scratch), keys_(space, scratch),
          alternate_(space, scratch), targets_(space, scratch), key_count_(space, scratch),
          totals_(std::move(space), scratch) {}

    /// Valid until the next call. Throws out_of_memory. Cost: one sort of twice the arcs and two waits; 40
    /// bytes of scratch per arc, and 20 per vertex.
    template <class View>
    [[nodiscard]] graph::csr_view of(Space& space, View const& view) {
        std::uint64_t const vertices = view.vertex_count();
        graph::out_rows<View> const rows{view};
        auto* const lengths = lengths_.template at_least_of<std::uint32_t>(vertices + 1);
        auto* const begins = begins_.template at_least_of<std::uint64_t>(vertices + 1);
        auto* const device_totals = totals_.template at_least_of<graph::row_totals>(1);
        graph::row_totals totals{};
        space.fill(device_totals, 0, sizeof(totals));
        launch(space, cover_threads(space, vertices + 1),
               write_row_lengths<View>{rows, vertices, lengths, device_totals});
        exclusive_scan(space, primitives_, lengths, begins, vertices + 1);
        space.copy_out(&totals, device_totals, sizeof(totals));
        auto const schedule = scheduler_.plan_counted(
            space, rows, graph::all_vertices<graph::vertex_id>{vertices}, totals, device_totals);
        return copy(space, view, schedule, begins, totals.arcs);
    }

private:
    template <class View>
    [[nodiscard]] graph::csr_view copy(Space& space, View const& view, graph::row_schedule const& schedule,
                                       std::uint64_t const* first_arc, std::uint64_t arcs) {
        std::uint64_t const vertices = view.vertex_count();
        auto const packing = arc_packing::of(vertices);
        auto* const offsets = offsets_.template at_least_of<std::uint64_t>(vertices + 1);
        auto* const keys = keys_.template at_least_of<std::uint64_t>(2 * arcs);
        auto* const alternate = alternate_.template at_least_of<std::uint64_t>(2 * arcs);
        launch(space, cover_rows(space, schedule),
               pack_both_ways<View>{{view}, schedule, packing, first_arc, keys});
        std::uint64_t* const sorted =
            sort_keys(space, primitives_, keys, alternate, 2 * arcs, packing.bits());
        std::uint64_t* const distinct = sorted == keys ? alternate : keys;
        auto* const key_count = key_count_.template at_least_of<std::uint64_t>(1);
        unique(space, primitives_, sorted, distinct, key_count, 2 * arcs);

        launch(space, cover_threads(space, vertices + 1),
               find_offsets{packing, distinct, key_count, offsets});
        std::uint64_t kept = 0;
        space.copy_out(&kept, offsets + vertices, sizeof(kept));
        auto* const targets = targets_.template at_least_of<graph::vertex_id>(kept);
        launch(space, cover_threads(space, kept), unpack_targets{packing, distinct, kept, targets});
        return {offsets, targets, vertices, kept, true};
    }

    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> lengths_;
    exec::workspace<Space> begins_;
    exec::workspace<Space> primitives_;
    exec::workspace<Space> offsets_;
    exec::workspace<Space> keys_;
    exec::workspace<Space> alternate_;
    exec::workspace<Space> targets_;
    exec::workspace<Space> key_count_;
    exec::workspace<Space> totals_;
};

} // namespace rhizome::algorithms::detail
