// SPDX-License-Identifier: Apache-2.0
// The graph's invariants as equations, and the kernels that check them.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/batch/arc_rules.hpp>
#include <rhizome/graph/batch/slots.hpp>
#include <rhizome/graph/core/move_rows.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/format/row_search.hpp>
#include <rhizome/graph/format/row_types.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::graph {

/// What validate() counts over the rows of the vertex table.
struct row_audit {
    std::uint64_t arcs;            ///< sum of degrees
    std::uint64_t pages_bytes;     ///< usable bytes of all pages that rows own
    std::uint64_t fitted_bytes;    ///< the same after compact(), which leaves extents as they are
    std::uint64_t paged_arcs;      ///< neighbours in pages; the others are in records
    std::uint64_t overfull_rows;   ///< pages do not fit the degree
    std::uint64_t pageless_rows;   ///< more neighbours than a record holds, and a page is missing
    std::uint64_t dead_rows;       ///< rows of erased vertices that have neighbours
    std::uint64_t dead_vertices;   ///< vertices marked as erased
    std::uint64_t used_slots;      ///< words that should be 0 between batches and are not
    std::uint64_t unsorted_places; ///< neighbours not greater than the one before
    std::uint64_t unknown_targets; ///< neighbours that are no live vertices
    std::uint64_t missing_mirrors; ///< arcs whose reverse (undirected) or in-arc (in_arcs) is absent
    std::uint64_t refused_loops;   ///< self-loops in a graph that refuses them
    std::uint64_t unequal_values;  ///< arcs whose mirror has another value

    /// Calls function(word of this, word of the other) for each count.
    template <class Function>
    RZ_HD void with(row_audit const& other, Function&& function) {
        function(arcs, other.arcs);
        function(pages_bytes, other.pages_bytes);
        function(fitted_bytes, other.fitted_bytes);
        function(paged_arcs, other.paged_arcs);
        function(overfull_rows, other.overfull_rows);
        function(pageless_rows, other.pageless_rows);
        function(dead_rows, other.dead_rows);
        function(dead_vertices, other.dead_vertices);
        function(used_slots, other.used_slots);
        function(unsorted_places, other.unsorted_places);
        function(unknown_targets, other.unknown_targets);
        function(missing_mirrors, other.missing_mirrors);
        function(refused_loops, other.refused_loops);
        function(unequal_values, other.unequal_values);
    }
    RZ_HD void add(row_audit const& other) {
        with(other, [](std::uint64_t& word, std::uint64_t more) { word += more; });
    }
    /// Adds the counts of all threads. Called by all threads of the warp.
    template <class Thread>
    RZ_HD void add_all(Thread const& thread, row_audit const& mine) {
        with(mine, [&](std::uint64_t& word, std::uint64_t more) { exec::add_to_total(thread, word, more); });
    }
};

/// Checks the records and pages of the rows, in any order of neighbours.
template <class Format, class AllocatorRef>
struct audit_rows {
    AllocatorRef allocator;
    typename Format::record_type const* rows;
    batch::row_slots slots;
    std::uint64_t vertices;
    std::uint32_t stride;
    std::uint32_t const* dead; ///< or nullptr
    row_audit* audit;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_audit mine{};
        exec::for_each_item(thread, vertices * stride, [&](std::uint64_t row) { look_at(row, mine); });
        audit->add_all(thread, mine);
    }

private:
    RZ_HD void look_at(std::uint64_t row, row_audit& mine) const {
        auto const record = rows[row];
        mine.arcs += record.degree;
        mine.used_slots += slots.exist() && slots[row] != 0 ? 1 : 0;
        if (dead != nullptr && is_dead(dead, row / stride)) {
            mine.dead_rows += record.degree != 0 ? 1 : 0;
            mine.dead_vertices += row % stride == 0 ? 1 : 0;
        }
        if (Format::is_inline(record.degree)) return;
        mine.paged_arcs += record.degree;
        mine.overfull_rows += Format::is_overfull(record) ? 1 : 0;
        bool pageless = record.page() == nullptr;
        if (!pageless)
            Format::for_each_page(record, [&](typename Format::id_type const* page, std::uint64_t bytes) {
                pageless = pageless || page == nullptr;
                mine.pages_bytes += allocator.usable_bytes(bytes);
            });
        mine.pageless_rows += pageless ? 1 : 0;
        if constexpr (requires { Format::bytes_for(record.degree); })
            mine.fitted_bytes += fitted_bytes(record);
    }
    template <class Record>
    [[nodiscard]] RZ_HD std::uint64_t fitted_bytes(Record const& record) const {
        std::uint64_t const fitted = allocator.usable_bytes(Format::bytes_for(record.degree));
        return fitted <= batch::most_row_bytes<AllocatorRef>()
                   ? fitted
                   : allocator.usable_bytes(Format::bytes_for(record.capacity()));
    }
};

/// Rows whose neighbours ascend.
template <class Format>
struct graph_rows {
    using id_type = typename Format::id_type;
    using value_type = typename Format::value_type;
    static constexpr bool has_values = Format::has_values;

    typename Format::record_type const* rows;

    [[nodiscard]] RZ_HD std::uint32_t degree(std::uint64_t row) const { return rows[row].degree; }
    [[nodiscard]] RZ_HD id_type const* ids(std::uint64_t row) const {
        return Format::ids_of(rows + row, rows[row]);
    }
    [[nodiscard]] RZ_HD value_type const* values(std::uint64_t row) const {
        return Format::values_of_row(rows[row]);
    }
};
/// A sorted copy of rows whose neighbours do not ascend.
template <class Id, class Value>
struct copied_rows {
    using id_type = Id;
    using value_type = typename row_types<Id, Value>::value_type;
    static constexpr bool has_values = row_types<Id, Value>::has_values;

    std::uint64_t const* offsets;
    Id const* targets;
    value_type const* all_values;

    [[nodiscard]] RZ_HD std::uint32_t degree(std::uint64_t row) const {
        return static_cast<std::uint32_t>(offsets[row + 1] - offsets[row]);
    }
    [[nodiscard]] RZ_HD Id const* ids(std::uint64_t row) const { return targets + offsets[row]; }
    [[nodiscard]] RZ_HD value_type const* values(std::uint64_t row) const {
        return all_values + offsets[row];
    }
};

/// Checks the arcs: no repeats, only live targets, each arc with its mirror.
template <class Rows>
struct audit_arcs {
    using id_type = typename Rows::id_type;
    using value_type = typename Rows::value_type;

    Rows rows;
    batch::arc_rules<id_type> rules;
    row_audit* audit;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        row_audit mine{};
        exec::for_each_item(thread, rules.vertices * rules.stride,
                            [&](std::uint64_t row) { look_at(row, mine); });
        audit->add_all(thread, mine);
    }

private:
    RZ_HD void look_at(std::uint64_t row, row_audit& mine) const {
        auto const vertex = static_cast<id_type>(rules.vertex_of(row));
        std::uint32_t const* const dead = rules.dead;
        id_type const* const ids = rows.ids(row);
        std::uint32_t const degree = rows.degree(row);
        for (std::uint32_t i = 0; i < degree; ++i) {
            id_type const target = ids[i];
            mine.unsorted_places += i != 0 && ids[i - 1] >= target ? 1 : 0;
            mine.refused_loops += target == vertex && !rules.self_loops ? 1 : 0;
            if (target >= rules.target_count() || (dead != nullptr && is_dead(dead, target))) {
                ++mine.unknown_targets;
                continue;
            }
            // The mirror of an arc in an out-row is in the target's in-row, and vice versa. In an undirected
            // graph it is in the target's only row. The mirror of a part's arc may be in another part.
            if (rules.is_part || (rules.directed && rules.stride == 1)) continue;
            std::uint64_t const mirror =
                std::uint64_t{target} * rules.stride + (rules.directed ? 1 - row % 2 : 0);
            look_at_mirror(row, i, mirror, vertex, mine);
        }
    }
    /// Whether the arc is in the `mirror` row, with the same value.
    RZ_HD void look_at_mirror(std::uint64_t row, std::uint32_t place, std::uint64_t mirror, id_type vertex,
                              row_audit& mine) const {
        auto const found = find_in_row(rows.ids(mirror), rows.degree(mirror), vertex);
        if (!found.present) {
            ++mine.missing_mirrors;
            return;
        }
        if constexpr (Rows::has_values) {
            auto const* const left = reinterpret_cast<unsigned char const*>(rows.values(row) + place);
            auto const* const right =
                reinterpret_cast<unsigned char const*>(rows.values(mirror) + found.place);
            bool same = true;
            for (std::uint64_t byte = 0; byte < sizeof(value_type); ++byte)
                same = same && left[byte] == right[byte];
            mine.unequal_values += same ? 0 : 1;
        }
    }
};

} // namespace rhizome::graph
