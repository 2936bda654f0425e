// The graph's invariants as equations, executed.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/layout/contiguous.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <cstdint>

namespace rhizome::graph {

/// What validate() counts over the rows of the vertex table.
struct row_audit {
    std::uint64_t arcs;            ///< sum of degrees
    std::uint64_t pages_bytes;     ///< usable bytes of all pages that rows own
    std::uint64_t capacity_bytes;  ///< room for neighbours in them
    std::uint64_t overfull_rows;   ///< degree > capacity
    std::uint64_t pageless_rows;   ///< capacity = 0 without nullptr, or the other way round
    std::uint64_t unsorted_places; ///< neighbours not greater than the one before
    std::uint64_t unknown_targets; ///< neighbours that are no live vertex
    std::uint64_t missing_mirrors; ///< arcs whose reverse (undirected) or in-arc (in_arcs) is absent
    std::uint64_t refused_loops;   ///< self-loops in a graph that refuses them
};

template <class AllocatorRef>
struct audit_rows {
    AllocatorRef allocator;
    vertex_record const* rows;
    std::uint64_t vertices;
    std::uint32_t stride;
    bool directed;
    bool self_loops;
    row_audit* audit;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_audit mine{};
        exec::for_each_item(thread, vertices * stride, [&](std::uint64_t row) { look_at(row, mine); });
        auto const add = [&](std::uint64_t& word, std::uint64_t more) {
            exec::add_to_total(thread, word, more);
        };
        add(audit->arcs, mine.arcs);
        add(audit->pages_bytes, mine.pages_bytes);
        add(audit->capacity_bytes, mine.capacity_bytes);
        add(audit->overfull_rows, mine.overfull_rows);
        add(audit->pageless_rows, mine.pageless_rows);
        add(audit->unsorted_places, mine.unsorted_places);
        add(audit->unknown_targets, mine.unknown_targets);
        add(audit->missing_mirrors, mine.missing_mirrors);
        add(audit->refused_loops, mine.refused_loops);
    }

private:
    RZ_HD void look_at(std::uint64_t row, row_audit& mine) const {
        vertex_record const record = rows[row];
        auto const vertex = static_cast<vertex_id>(row / stride);
        mine.overfull_rows += record.degree > record.capacity ? 1 : 0;
        mine.pageless_rows += (record.capacity == 0) != (record.neighbours == nullptr) ? 1 : 0;
        mine.arcs += record.degree;
        if (record.neighbours == nullptr) return;
        mine.capacity_bytes += std::uint64_t{record.capacity} * sizeof(vertex_id);
        mine.pages_bytes += allocator.usable_bytes(std::uint64_t{record.capacity} * sizeof(vertex_id));
        for (std::uint32_t i = 0; i < record.degree; ++i) {
            vertex_id const target = record.neighbours[i];
            mine.unsorted_places += i != 0 && record.neighbours[i - 1] >= target ? 1 : 0;
            mine.refused_loops += target == vertex && !self_loops ? 1 : 0;
            if (target >= vertices) {
                ++mine.unknown_targets;
                continue;
            }
            // The mirror of an out-row is the target's in-row, and the other way round; undirected: its only
            // row.
            if (directed && stride == 1) continue;
            std::uint64_t const mirror = std::uint64_t{target} * stride + (directed ? 1 - row % 2 : 0);
            mine.missing_mirrors += contiguous::find(rows[mirror], vertex).present ? 0 : 1;
        }
    }
};

} // namespace rhizome::graph
