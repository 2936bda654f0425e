// Program 1 of a batch: which arcs, grouped by row, without duplicates; where each belongs.
//
// A row is a line of the vertex table: an out-adjacency, or an in-adjacency where the graph keeps them. An
// undirected edge is two arcs; so is a directed one with in_arcs; both are applied together because they are
// one batch.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/vertex_record.hpp>

#include <bit>
#include <cstdint>

namespace rhizome::graph::batch {

/// Counts of one batch, in the memory of the space; read by the host once, at the end.
struct counters {
    std::uint64_t rejected;        ///< edges with an endpoint that is no live vertex
    std::uint64_t self_loops;      ///< edges refused as self-loops
    std::uint64_t unique_keys;     ///< distinct arcs, the key of dropped edges included
    std::uint64_t arcs;            ///< distinct arcs
    std::uint64_t segments;        ///< rows touched
    std::uint64_t heavy_segments;  ///< rows touched that are moved by a block each
    std::uint64_t edges;           ///< distinct edges
    std::uint64_t effective_arcs;  ///< arcs that change something
    std::uint64_t effective_edges; ///< edges that change something
    std::uint64_t needed_bytes;    ///< of pages, for the whole batch
    std::uint64_t refused_pages;   ///< pages that the allocator did not have; not 0: nothing is applied
};

/// How arcs are packed into sortable keys: row above, target below. The key past every row marks dropped
/// edges.
struct arc_keys {
    std::uint64_t vertices;
    std::uint32_t stride; ///< rows a vertex
    bool directed;
    bool self_loops;
    unsigned target_bits;

    [[nodiscard]] static arc_keys of(std::uint64_t vertices, std::uint32_t stride, bool directed,
                                     bool self_loops) {
        return {vertices, stride, directed, self_loops, static_cast<unsigned>(std::bit_width(vertices | 1))};
    }
    [[nodiscard]] unsigned bits() const {
        return target_bits + static_cast<unsigned>(std::bit_width(vertices * stride));
    }
    /// Keys an edge takes.
    [[nodiscard]] RZ_HD std::uint32_t arcs_per_edge() const { return directed && stride == 1 ? 1 : 2; }
    [[nodiscard]] RZ_HD std::uint64_t dropped() const { return vertices * stride << target_bits; }
    [[nodiscard]] RZ_HD std::uint64_t make(std::uint64_t row, vertex_id target) const {
        return row << target_bits | target;
    }
    [[nodiscard]] RZ_HD std::uint64_t row_of(std::uint64_t key) const { return key >> target_bits; }
    [[nodiscard]] RZ_HD vertex_id target_of(std::uint64_t key) const {
        return static_cast<vertex_id>(key & ((std::uint64_t{1} << target_bits) - 1));
    }
    /// Of the arcs of one edge, exactly one is its representative.
    [[nodiscard]] RZ_HD bool stands_for_edge(std::uint64_t key) const {
        if (!directed) return row_of(key) <= target_of(key);
        return stride == 1 || row_of(key) % 2 == 0;
    }
};

/// The arrays of a batch, in scratch of the space. M = edges * arcs_per_edge.
struct arrays {
    std::uint64_t* keys;          ///< M; then the distinct ones, ascending
    std::uint64_t* alternate;     ///< M
    std::uint32_t* flags;         ///< M + 1: first arc of its row; then: arc changes something
    std::uint32_t* segment_of;    ///< M + 1: flags scanned
    std::uint32_t* before;        ///< M + 1: effective arcs before this one
    std::uint32_t* place;         ///< M: neighbours of the row that are smaller than the target
    std::uint64_t* segment_begin; ///< M + 1: first arc of a touched row
    std::uint32_t* heavy;         ///< M: touched rows with many neighbours, in any order
    vertex_id** page;             ///< M: what reserve obtained for a touched row, or nullptr
    counters* counts;
};

struct make_arcs {
    arc_keys keys;
    edge const* edges;
    std::uint64_t edge_count;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t rejected = 0;
        std::uint64_t self_loops = 0;
        std::uint32_t const width = keys.arcs_per_edge();
        exec::for_each_item(thread, edge_count, [&](std::uint64_t i) {
            edge const e = edges[i];
            bool const known = e.source < keys.vertices && e.target < keys.vertices;
            bool const refused = known && e.source == e.target && !keys.self_loops;
            rejected += known ? 0 : 1;
            self_loops += refused ? 1 : 0;
            bool const taken = known && !refused;
            std::uint64_t const out = keys.make(std::uint64_t{e.source} * keys.stride, e.target);
            a.keys[i * width] = taken ? out : keys.dropped();
            if (width == 1) return;
            bool const second = taken && (keys.directed || e.source != e.target);
            std::uint64_t const back =
                keys.make(std::uint64_t{e.target} * keys.stride + (keys.directed ? 1 : 0), e.source);
            a.keys[i * width + 1] = second ? back : keys.dropped();
        });
        exec::add_to_total(thread, a.counts->rejected, rejected);
        exec::add_to_total(thread, a.counts->self_loops, self_loops);
    }
};

/// flags[i] = 1 where arc i is the first of its row. Counts distinct arcs and edges.
struct mark_segments {
    arc_keys keys;
    std::uint64_t slots; ///< M
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const unique = a.counts->unique_keys;
        std::uint64_t arcs = 0;
        std::uint64_t edges = 0;
        std::uint64_t segments = 0;
        exec::for_each_item(thread, slots + 1, [&](std::uint64_t i) {
            bool const live = i < unique && a.keys[i] != keys.dropped();
            bool const first = live && (i == 0 || keys.row_of(a.keys[i]) != keys.row_of(a.keys[i - 1]));
            a.flags[i] = first ? 1 : 0;
            arcs += live ? 1 : 0;
            segments += first ? 1 : 0;
            edges += live && keys.stands_for_edge(a.keys[i]) ? 1 : 0;
        });
        exec::add_to_total(thread, a.counts->arcs, arcs);
        exec::add_to_total(thread, a.counts->edges, edges);
        exec::add_to_total(thread, a.counts->segments, segments);
    }
};

/// Where each touched row's arcs begin; the heavy rows also in a list of their own.
struct place_segments {
    arc_keys keys;
    vertex_record const* rows;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const arcs = a.counts->arcs;
        exec::for_each_item(thread, arcs, [&](std::uint64_t i) {
            if (a.flags[i] == 0) return;
            std::uint32_t const segment = a.segment_of[i];
            a.segment_begin[segment] = i;
            if (rows[keys.row_of(a.keys[i])].degree > tuning::heavy_degree)
                a.heavy[thread.device(a.counts->heavy_segments).fetch_add(1, exec::order::relaxed)] = segment;
        });
        if (thread.rank() == 0) a.segment_begin[a.counts->segments] = arcs;
    }
};

/// Finds each arc in its row. Inserting: absent arcs are effective; erasing: present ones.
template <class Layout>
struct locate_arcs {
    arc_keys keys;
    vertex_record const* rows;
    std::uint64_t slots; ///< M
    bool erasing;
    arrays a;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const arcs = a.counts->arcs;
        std::uint64_t effective_arcs = 0;
        std::uint64_t effective_edges = 0;
        exec::for_each_item(thread, slots + 1, [&](std::uint64_t i) {
            bool effective = false;
            if (i < arcs) {
                std::uint64_t const key = a.keys[i];
                auto const found = Layout::find(rows[keys.row_of(key)], keys.target_of(key));
                a.place[i] = found.place;
                effective = found.present == erasing;
                if (effective) {
                    ++effective_arcs;
                    effective_edges += keys.stands_for_edge(key) ? 1 : 0;
                }
            }
            a.flags[i] = effective ? 1 : 0;
        });
        exec::add_to_total(thread, a.counts->effective_arcs, effective_arcs);
        exec::add_to_total(thread, a.counts->effective_edges, effective_edges);
    }
};

} // namespace rhizome::graph::batch
