// SPDX-License-Identifier: Apache-2.0
// Erasing vertices: lists the edges that they have.
#pragma once

#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/graph/dead_vertices.hpp>
#include <rhizome/graph/detail/copy_lists.hpp>
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
            // relaxed: the bits are read by the next kernel at the earliest
            if (dead)
                word.fetch_or(bit, exec::order::relaxed);
            else
                word.fetch_and(~bit, exec::order::relaxed);
        });
    }
};

/// The edges of vertices, as lists: those that leave ids[0] to ids[count - 1], then, if these are not the
/// same edges, those that lead to them.
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
    /// Copies edges first to last - 1 of a list, by the lanes of a group.
    template <class Group>
    RZ_HD void copy(Group const& group, std::uint64_t list, std::uint64_t first, std::uint64_t last) const {
        basic_edge<id_type>* const to = edges + offsets[list];
        bool const leaving = list < vertices;
        id_type const v = ids[leaving ? list : list - vertices];
        auto const row = leaving ? view.neighbours(v) : view.in_neighbours(v);
        row.for_each(group, first, last, [&](std::uint64_t k, id_type other) {
            to[k] = leaving ? basic_edge<id_type>{v, other} : basic_edge<id_type>{other, v};
        });
    }
};

/// offsets receives the sizes of the lists, and 0.
template <class Lists>
struct measure_lists {
    Lists lists;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, lists.count + 1,
                            [&](std::uint64_t i) { lists.offsets[i] = lists.size(i); });
    }
};

/// All edges with a marked end, for graphs without in-arcs. Long rows are searched in parts, so that several
/// warps share a hub.
template <class View>
struct marked_edges {
    using id_type = typename View::id_type;
    static constexpr std::uint64_t part_degree = tuning::heavy_degree;
    struct part {
        id_type row;
        std::uint32_t number;
    };
    struct counts {
        std::uint64_t edges;
        std::uint64_t parts;
    };
    /// The most parts that the rows longer than a part can have.
    [[nodiscard]] static constexpr std::uint64_t parts_at_most(std::uint64_t arcs) {
        return 2 * (arcs / part_degree);
    }

    View view;
    std::uint32_t const* marked; ///< one bit per vertex
    counts* found;
    part* parts;
    basic_edge<id_type>* edges; ///< nullptr: edges are only counted

    /// Searches edges first to last - 1 of a row, by the lanes of a group.
    template <class Thread, class Group>
    RZ_HD void look(Thread const& thread, Group const& group, id_type v, std::uint64_t first,
                    std::uint64_t last) const {
        bool const all = is_dead(marked, v);
        auto const next = thread.device(found->edges);
        std::uint64_t number = 0;
        view.neighbours(v).for_each(group, first, last, [&](std::uint64_t, id_type target) {
            if (!all && !is_dead(marked, target)) return;
            if (edges != nullptr)
                edges[next.fetch_add(1, exec::order::relaxed)] = {v, target};
            else
                ++number;
        });
        if (number != 0) next.fetch_add(number, exec::order::relaxed);
    }
};

/// Searches rows of one part, one tile per row. While edges are counted, it lists the parts of longer rows.
template <class View>
struct look_in_short_rows {
    marked_edges<View> sought;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        using id_type = typename View::id_type;
        constexpr std::uint64_t part_degree = marked_edges<View>::part_degree;
        auto const tile = thread.tile(exec::width<tuning::row_tile>);
        exec::for_each_group_item(tile, sought.view.vertex_count(), [&](std::uint64_t i) {
            auto const v = static_cast<id_type>(i);
            std::uint64_t const degree = sought.view.degree(v);
            if (degree == 0) return; // or another rank has the row
            if (degree <= part_degree) {
                sought.look(thread, tile, v, 0, degree);
            } else if (sought.edges == nullptr && tile.rank() == 0) {
                std::uint64_t const count = (degree + part_degree - 1) / part_degree;
                std::uint64_t const first =
                    thread.device(sought.found->parts).fetch_add(count, exec::order::relaxed);
                for (std::uint64_t k = 0; k < count; ++k)
                    sought.parts[first + k] = {v, static_cast<std::uint32_t>(k)};
            }
        });
    }
};
/// Searches the parts, one warp per part.
template <class View>
struct look_in_parts {
    marked_edges<View> sought;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        constexpr std::uint64_t part_degree = marked_edges<View>::part_degree;
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, sought.found->parts, [&](std::uint64_t i) {
            auto const [row, number] = sought.parts[i];
            std::uint64_t const degree = sought.view.degree(row);
            std::uint64_t const first = number * part_degree;
            std::uint64_t const end = first + part_degree;
            sought.look(thread, warp, row, first, end < degree ? end : degree);
        });
    }
};

/// Lists the edges of vertices in the memory of the space, each once or more often.
template <class Space, class View, class Scratch>
class vertex_arcs {
public:
    using id_type = typename View::id_type;

    /// For a graph of `arcs` arcs.
    vertex_arcs(Space space, Scratch& scratch, View const& view, std::uint64_t arcs)
        : space_(std::move(space)), scratch_(scratch), view_(view), arcs_(arcs) {}

    /// ids[0, count) lie in the space, each once. Returns how many edges() there are. They are valid until
    /// the scratch is used for others. Throws out_of_memory. Waits.
    std::uint64_t of(id_type const* ids, std::uint64_t count) {
        return view_.has_in_arcs() ? of_rows(ids, count) : of_sweep(ids, count);
    }
    [[nodiscard]] basic_edge<id_type> const* edges() const { return edges_; }

private:
    std::uint64_t of_rows(id_type const* ids, std::uint64_t count) {
        std::uint64_t const all = view_.symmetric() ? count : 2 * count;
        vertex_edge_lists<View> lists{view_, ids, count, all, scratch_.offsets(all + 1), nullptr};
        launch(space_, cover_threads(space_, all + 1), measure_lists<vertex_edge_lists<View>>{lists});
        exclusive_scan(space_, scratch_.primitives, lists.offsets, lists.offsets, all + 1);
        std::uint64_t const total = read(lists.offsets + all);
        lists.edges = edges_ = scratch_.edges(total);
        graph::detail::copy_all_lists(space_, lists, total);
        return total;
    }
    std::uint64_t of_sweep(id_type const* ids, std::uint64_t count) {
        using sought_type = marked_edges<View>;
        using counts = typename sought_type::counts;
        using part = typename sought_type::part;
        std::uint64_t const mark_words = (view_.vertex_count() + 63) / 64;
        std::uint64_t const parts = sought_type::parts_at_most(arcs_);
        std::uint64_t const part_words = (parts * sizeof(part) + 7) / 8;
        std::uint64_t* const words = scratch_.offsets(2 + mark_words + part_words);
        auto* const found = reinterpret_cast<counts*>(words);
        auto* const marked = reinterpret_cast<std::uint32_t*>(words + 2);
        space_.fill(words, 0, (2 + mark_words) * sizeof(std::uint64_t));
        launch(space_, cover_threads(space_, count), mark_vertices<id_type>{marked, ids, count, true});
        sought_type sought{view_, marked, found, reinterpret_cast<part*>(words + 2 + mark_words), nullptr};
        look(sought);
        std::uint64_t const total = read(&found->edges);
        sought.edges = edges_ = scratch_.edges(total);
        space_.fill(&found->edges, 0, sizeof(found->edges));
        if (total != 0) look(sought);
        return total;
    }
    void look(marked_edges<View> const& sought) {
        launch(space_, exec::cover_tiles<tuning::row_tile>(space_, view_.vertex_count()),
               look_in_short_rows<View>{sought});
        std::uint64_t const parts = sought.parts_at_most(arcs_);
        if (parts != 0) launch(space_, exec::cover_tiles<32>(space_, parts), look_in_parts<View>{sought});
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
