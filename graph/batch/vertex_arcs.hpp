// Erasing vertices: which edges they have.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/copy_lists.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::graph::batch {

/// Sets or clears the bits of vertices.
template <class Id>
struct mark_vertices {
    std::uint32_t* bits;
    Id const* ids; ///< each once
    std::uint64_t count;
    bool dead;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, count, [&](std::uint64_t i) {
            auto const word = thread.device(bits[ids[i] / 32]);
            std::uint32_t const bit = 1u << (ids[i] % 32);
            // relaxed: nobody looks before the next kernel
            if (dead)
                word.fetch_or(bit, exec::order::relaxed);
            else
                word.fetch_and(~bit, exec::order::relaxed);
        });
    }
};

/// The edges of vertices in lists: those that leave ids[0] to ids[count - 1], then those that arrive there,
/// where these are others.
template <class View>
struct vertex_edge_lists {
    using id_type = typename View::id_type;

    View view;
    id_type const* ids;
    std::uint64_t vertices;
    std::uint64_t count;    ///< of lists
    std::uint64_t* offsets; ///< count + 1
    basic_edge<id_type>* edges;

    [[nodiscard]] RZ_HD std::uint64_t size(std::uint64_t list) const {
        if (list >= count) return 0;
        return list < vertices ? view.degree(ids[list]) : view.in_neighbours(ids[list - vertices]).size();
    }
    /// Edges first to last - 1 of a list, by the lanes of a group.
    template <class Thread, class Group>
    RZ_HD void copy(Thread const&, Group const& group, std::uint64_t list, std::uint64_t first,
                    std::uint64_t last) const {
        basic_edge<id_type>* const to = edges + offsets[list];
        bool const leaving = list < vertices;
        id_type const v = ids[leaving ? list : list - vertices];
        auto const row = leaving ? view.neighbours(v) : view.in_neighbours(v);
        row.for_each(group, first, last, [&](std::uint64_t k, id_type other) {
            to[k] = leaving ? basic_edge<id_type>{v, other} : basic_edge<id_type>{other, v};
        });
    }
};

/// offsets = sizes of the lists, and 0.
template <class Lists>
struct measure_lists {
    Lists lists;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, lists.count + 1,
                            [&](std::uint64_t i) { lists.offsets[i] = lists.size(i); });
    }
};

/// Where nobody knows who leads to a vertex: all edges with a marked end, found in the lists of all vertices.
/// List = false: adds their number to *cursor; true: lists them.
template <class View, bool List>
struct marked_edges {
    using id_type = typename View::id_type;

    View view;
    std::uint64_t count;         ///< of vertices
    std::uint64_t* offsets;      ///< count + 1
    std::uint32_t const* marked; ///< a bit a vertex
    std::uint64_t* cursor;
    basic_edge<id_type>* edges;

    [[nodiscard]] RZ_HD std::uint64_t size(std::uint64_t v) const {
        return v < count ? view.degree(static_cast<id_type>(v)) : 0;
    }
    /// Looks at edges first to last - 1 of a vertex, by the lanes of a group.
    template <class Thread, class Group>
    RZ_HD void copy(Thread const& thread, Group const& group, std::uint64_t i, std::uint64_t first,
                    std::uint64_t last) const {
        auto const v = static_cast<id_type>(i);
        bool const all = is_dead(marked, v);
        auto const next = thread.device(*cursor);
        std::uint64_t found = 0;
        view.neighbours(v).for_each(group, first, last, [&](std::uint64_t, id_type target) {
            if (!all && !is_dead(marked, target)) return;
            if constexpr (List)
                edges[next.fetch_add(1, exec::order::relaxed)] = {v, target};
            else
                ++found;
        });
        if (found != 0) next.fetch_add(found, exec::order::relaxed);
    }
};

/// Lists the edges of vertices in the memory of the space, each once or more.
template <class Space, class View, class Scratch>
class vertex_arcs {
public:
    using id_type = typename View::id_type;

    /// Of a graph of `arcs`.
    vertex_arcs(Space space, Scratch& scratch, View const& view, std::uint64_t arcs)
        : space_(std::move(space)), scratch_(scratch), view_(view), arcs_(arcs) {}

    /// ids[0, count) lie in the space, each once. How many edges() there are; they stay until the scratch is
    /// asked for others. Throws out_of_memory. Waits.
    std::uint64_t of(id_type const* ids, std::uint64_t count) {
        return view_.has_in_arcs() ? of_rows(ids, count) : of_sweep(ids, count);
    }
    [[nodiscard]] basic_edge<id_type> const* edges() const { return edges_; }

private:
    std::uint64_t of_rows(id_type const* ids, std::uint64_t count) {
        std::uint64_t const all = view_.symmetric() ? count : 2 * count;
        vertex_edge_lists<View> lists{view_, ids, count, all, scratch_.offsets(all + 1), nullptr};
        place(lists, all);
        std::uint64_t const total = read(lists.offsets + all);
        lists.edges = edges_ = scratch_.edges(total);
        graph::detail::copy_all_lists(space_, lists, total);
        return total;
    }
    std::uint64_t of_sweep(id_type const* ids, std::uint64_t count) {
        std::uint64_t const vertices = view_.vertex_count();
        std::uint64_t const words = (vertices + 31) / 32;
        std::uint64_t* const offsets = scratch_.offsets(vertices + 1 + 1 + (words + 1) / 2);
        std::uint64_t* const cursor = offsets + vertices + 1;
        auto* const marked = reinterpret_cast<std::uint32_t*>(cursor + 1);
        space_.fill(cursor, 0, sizeof(std::uint64_t) + words * sizeof(std::uint32_t));
        launch(space_, cover_threads(space_, count), mark_vertices<id_type>{marked, ids, count, true});
        marked_edges<View, false> const counted{view_, vertices, offsets, marked, cursor, nullptr};
        place(counted, vertices);
        graph::detail::copy_all_lists(space_, counted, arcs_);
        std::uint64_t const total = read(cursor);
        edges_ = scratch_.edges(total);
        space_.fill(cursor, 0, sizeof(std::uint64_t));
        graph::detail::copy_all_lists(
            space_, marked_edges<View, true>{view_, vertices, offsets, marked, cursor, edges_}, arcs_);
        return total;
    }
    /// Where each of so many lists begins, were they one behind the other.
    template <class Lists>
    void place(Lists const& lists, std::uint64_t count) {
        launch(space_, cover_threads(space_, count + 1), measure_lists<Lists>{lists});
        exclusive_scan(space_, scratch_.primitives, lists.offsets, lists.offsets, count + 1);
    }
    [[nodiscard]] std::uint64_t read(std::uint64_t const* word) {
        std::uint64_t value = 0;
        space_.copy_out(&value, word, sizeof(value));
        return value;
    }

    Space space_;
    Scratch& scratch_; ///< batch::scratch
    View view_;
    std::uint64_t arcs_;
    basic_edge<id_type>* edges_ = nullptr;
};

} // namespace rhizome::graph::batch
