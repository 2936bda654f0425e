// The graph's invariants as equations, executed.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/layout/row_format.hpp>
#include <rhizome/graph/layout/row_search.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <cstdint>

namespace rhizome::graph {

/// What validate() counts over the rows of the vertex table.
struct row_audit {
    std::uint64_t arcs;            ///< sum of degrees
    std::uint64_t pages_bytes;     ///< usable bytes of all pages that rows own
    std::uint64_t paged_arcs;      ///< neighbours in them; the others are in records
    std::uint64_t overfull_rows;   ///< degree > capacity
    std::uint64_t pageless_rows;   ///< more neighbours than a record holds, and no page
    std::uint64_t unsorted_places; ///< neighbours not greater than the one before
    std::uint64_t unknown_targets; ///< neighbours that are no live vertex
    std::uint64_t missing_mirrors; ///< arcs whose reverse (undirected) or in-arc (in_arcs) is absent
    std::uint64_t refused_loops;   ///< self-loops in a graph that refuses them
    std::uint64_t unequal_values;  ///< arcs whose mirror has another value
    std::uint64_t used_slots;      ///< words that are 0 between batches, and are not
};

template <class Format, class AllocatorRef>
struct audit_rows {
    using id_type = typename Format::id_type;

    AllocatorRef allocator;
    typename Format::record_type const* rows;
    batch::row_slots slots;
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
        add(audit->paged_arcs, mine.paged_arcs);
        add(audit->overfull_rows, mine.overfull_rows);
        add(audit->pageless_rows, mine.pageless_rows);
        add(audit->unsorted_places, mine.unsorted_places);
        add(audit->unknown_targets, mine.unknown_targets);
        add(audit->missing_mirrors, mine.missing_mirrors);
        add(audit->refused_loops, mine.refused_loops);
        add(audit->unequal_values, mine.unequal_values);
        add(audit->used_slots, mine.used_slots);
    }

private:
    RZ_HD void look_at(std::uint64_t row, row_audit& mine) const {
        auto const record = rows[row];
        auto const vertex = static_cast<id_type>(row / stride);
        mine.arcs += record.degree;
        mine.used_slots += slots[row] != 0 ? 1 : 0;
        if (!Format::is_inline(record.degree)) {
            mine.pageless_rows += record.page() == nullptr ? 1 : 0;
            mine.overfull_rows += record.degree > record.capacity() ? 1 : 0;
            mine.paged_arcs += record.degree;
            mine.pages_bytes += allocator.usable_bytes(Format::bytes_for(record.capacity()));
            if (record.page() == nullptr) return;
        }
        id_type const* const ids = Format::ids_of(rows + row, record);
        for (std::uint32_t i = 0; i < record.degree; ++i) {
            id_type const target = ids[i];
            mine.unsorted_places += i != 0 && ids[i - 1] >= target ? 1 : 0;
            mine.refused_loops += target == vertex && !self_loops ? 1 : 0;
            if (target >= vertices) {
                ++mine.unknown_targets;
                continue;
            }
            // The mirror of an out-row is the target's in-row, and the other way round; undirected: its only
            // row.
            if (directed && stride == 1) continue;
            std::uint64_t const mirror = std::uint64_t{target} * stride + (directed ? 1 - row % 2 : 0);
            look_at_mirror(row, i, mirror, vertex, mine);
        }
    }
    /// The arc in the `mirror` row is there, and has the same value.
    RZ_HD void look_at_mirror(std::uint64_t row, std::uint32_t place, std::uint64_t mirror, id_type vertex,
                              row_audit& mine) const {
        auto const other = rows[mirror];
        if (!Format::is_inline(other.degree) && (other.page() == nullptr || other.degree > other.capacity()))
            return; // counted where it is
        auto const found = find_in_row(Format::ids_of(rows + mirror, other), other.degree, vertex);
        if (!found.present) {
            ++mine.missing_mirrors;
            return;
        }
        if constexpr (Format::has_values) {
            auto const record = rows[row];
            auto const& value = Format::values_of(record.page(), record.capacity())[place];
            auto const& mirrored = Format::values_of(other.page(), other.capacity())[found.place];
            auto const* const left = reinterpret_cast<unsigned char const*>(&value);
            auto const* const right = reinterpret_cast<unsigned char const*>(&mirrored);
            bool same = true;
            for (std::uint32_t byte = 0; byte < Format::value_bytes; ++byte)
                same = same && left[byte] == right[byte];
            mine.unequal_values += same ? 0 : 1;
        }
    }
};

} // namespace rhizome::graph
