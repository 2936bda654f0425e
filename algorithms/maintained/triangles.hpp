// SPDX-License-Identifier: Apache-2.0
// The triangles of each vertex of a graph that changes.
#pragma once

#include <rhizome/algorithms/detail/changed_arcs.hpp>
#include <rhizome/algorithms/local_triangles.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/find_edge.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace rhizome::algorithms {
namespace detail {

/// The changes of a graph, seen from the graph after them. An edge is new, gone, or old: the graph before has
/// the old and the gone ones.
template <class View>
struct changed_graph {
    View view;
    graph::edge const* inserted;
    std::uint64_t inserted_count;
    graph::edge const* erased;
    std::uint64_t count; ///< of all changed edges
    changed_arcs new_arcs;
    changed_arcs gone_arcs;

    [[nodiscard]] RZ_HD bool is_new(std::uint64_t i) const { return i < inserted_count; }
    [[nodiscard]] RZ_HD graph::edge edge(std::uint64_t i) const {
        return is_new(i) ? inserted[i] : erased[i - inserted_count];
    }
};

/// The ends of a changed edge. The neighbours of `end`, which has fewer, are looked up among those of
/// `other`. Neighbours are those after the changes and, of a gone edge, the gone ones.
struct edge_ends {
    graph::vertex_id end;
    graph::vertex_id other;
    changed_arcs::row end_gone;
    changed_arcs::row other_gone;

    template <class View>
    [[nodiscard]] static RZ_HD edge_ends of(changed_graph<View> const& changed, std::uint64_t i) {
        graph::edge const edge = changed.edge(i);
        changed_arcs::row first{};
        changed_arcs::row second{};
        if (!changed.is_new(i)) {
            first = changed.gone_arcs.row_of(edge.source);
            second = changed.gone_arcs.row_of(edge.target);
        }
        auto const first_size = changed.view.neighbours(edge.source).size() + first.size();
        auto const second_size = changed.view.neighbours(edge.target).size() + second.size();
        return first_size <= second_size ? edge_ends{edge.source, edge.target, first, second}
                                         : edge_ends{edge.target, edge.source, second, first};
    }
    /// How many neighbours are looked up.
    template <class View>
    [[nodiscard]] RZ_HD std::uint64_t work(View const& view) const {
        return end == other ? 0 : view.neighbours(end).size() + end_gone.size();
    }
};

/// What an update has found so far, in the memory of the space; zero at its beginning.
struct triangle_changes {
    std::uint64_t triangles; ///< more than before, modulo 2^64
    std::uint64_t work;      ///< neighbours to look up
    std::uint64_t pieces;    ///< of rows that are not light
};

/// A part of the neighbours of a changed edge, for one warp.
struct changed_piece {
    std::uint32_t edge;
    std::uint32_t number;
};

/// Finds the ends of each changed edge, adds up the work, and lists its pieces where it is not light, as far
/// as there is room.
template <class View>
struct plan_changed_edges {
    static constexpr bool overlaps_launch = true;

    changed_graph<View> changed;
    edge_ends* ends; ///< one per changed edge
    changed_piece* pieces;
    std::uint64_t room;
    triangle_changes* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto const warp = thread.warp();
        std::uint64_t work = 0;
        std::uint64_t const groups = (changed.count + warp.size() - 1) / warp.size();
        exec::for_each_group_item(warp, groups, [&](std::uint64_t group) {
            std::uint64_t const i = group * warp.size() + warp.rank();
            std::uint64_t size = 0;
            if (i < changed.count) {
                edge_ends const own = edge_ends::of(changed, i);
                ends[i] = own;
                size = own.work(changed.view);
            }
            work += size;
            std::uint64_t const own =
                graph::is_light_row(size) ? 0 : (size + tuning::triangle_piece - 1) / tuning::triangle_piece;
            std::uint64_t const all = warp.sum(own);
            if (all == 0) return;
            std::uint64_t first = 0;
            if (warp.rank() == 0) first = thread.device(found->pieces).fetch_add(all, exec::order::relaxed);
            first = warp.broadcast(first, 0) + warp.exclusive_scan(own);
            for (std::uint32_t lane = 0; lane < warp.size(); ++lane) {
                std::uint64_t const number = warp.broadcast(own, lane);
                std::uint64_t const place = warp.broadcast(first, lane);
                for (std::uint64_t k = warp.rank(); k < number && place + k < room; k += warp.size())
                    pieces[place + k] = {static_cast<std::uint32_t>(group * warp.size() + lane),
                                         static_cast<std::uint32_t>(k)};
            }
        });
        exec::add_to_total(thread, found->work, work);
    }
};

/// Adds the triangles that new edges make, and subtracts those that gone edges broke; nothing if there was no
/// room for all pieces, or if there is more work than `most_work`. A triangle with several changed edges of
/// one kind belongs to the least of these, as {smaller end, larger end}.
template <class View>
struct count_changed_triangles {
    using id_type = typename View::id_type;
    using range_type = graph::range_of_view<View>;

    changed_graph<View> changed;
    edge_ends const* ends;
    changed_piece const* pieces;
    std::uint64_t room;
    std::uint64_t most_work;
    std::uint64_t* counts; ///< per vertex
    triangle_changes* found;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t const piece_count = found->pieces;
        if (piece_count > room || found->work > most_work) return;
        std::uint64_t change = 0; // modulo 2^64
        auto const warp = thread.warp();
        exec::for_each_group_item(warp, piece_count, [&](std::uint64_t k) {
            changed_piece const piece = pieces[k];
            edge_ends const own = ends[piece.edge];
            std::uint64_t const size = own.work(changed.view);
            std::uint64_t const begin = std::uint64_t{piece.number} * tuning::triangle_piece;
            std::uint64_t const end = begin + tuning::triangle_piece;
            change += look_up(thread, warp, piece.edge, own, begin, end < size ? end : size);
        });
        auto const tile = thread.tile(exec::width<graph::tuning::row_tile>);
        exec::for_each_group_item(tile, changed.count, [&](std::uint64_t i) {
            edge_ends const own = ends[i];
            std::uint64_t const size = own.work(changed.view);
            if (size != 0 && graph::is_light_row(size)) change += look_up(thread, tile, i, own, 0, size);
        });
        exec::add_to_total(thread, found->triangles, change);
    }

private:
    /// Looks up neighbours `begin` to `end` - 1 of an edge. Returns how many triangles more there are, of
    /// this lane.
    template <class Thread, class Group>
    RZ_HD std::uint64_t look_up(Thread const& thread, Group const& group, std::uint64_t i,
                                edge_ends const& own, std::uint64_t begin, std::uint64_t end) const {
        bool const is_new = changed.is_new(i);
        auto const row = changed.view.neighbours(own.end);
        auto const other = changed.view.neighbours(own.other);
        std::uint64_t const split = row.size();
        std::uint64_t found_here = 0;
        auto const take = [&](id_type w, bool gone) {
            if (!makes_triangle(is_new, own, other, w, gone)) return;
            add(thread, counts[w], is_new, 1);
            ++found_here;
        };
        if (begin < split)
            row.for_each(group, begin, end < split ? end : split,
                         [&](std::uint64_t, id_type w) { take(w, false); });
        for (std::uint64_t k = (begin < split ? split : begin) + group.rank(); k < end; k += group.size())
            take(changed.gone_arcs.target(own.end_gone.begin + (k - split)), true);
        std::uint64_t const of_group = group.sum(found_here);
        if (group.rank() == 0 && of_group != 0) {
            add(thread, counts[own.end], is_new, of_group);
            add(thread, counts[own.other], is_new, of_group);
        }
        return is_new ? found_here : 0 - found_here;
    }
    template <class Thread>
    static RZ_HD void add(Thread const& thread, std::uint64_t& count, bool is_new, std::uint64_t more) {
        (void)thread.device(count).fetch_add(is_new ? more : 0 - more, exec::order::relaxed);
    }
    /// Whether the ends u, v and the neighbour w of u are a triangle that belongs to this edge.
    RZ_HD bool makes_triangle(bool is_new, edge_ends const& own, range_type const& other, id_type w,
                              bool gone) const {
        id_type const u = own.end;
        id_type const v = own.other;
        if (w == u || w == v) return false;
        bool const after = graph::find_neighbour<View::sorted>(other, w).present;
        if (is_new)
            return after && !(is_before(u, w, u, v) && changed.new_arcs.has(u, w)) &&
                   !(is_before(v, w, u, v) && changed.new_arcs.has(v, w));
        // Before the changes: old edges, and gone ones.
        if (!after && !changed.gone_arcs.has_in(own.other_gone, v, w)) return false;
        if (!gone && changed.new_arcs.has(u, w)) return false;
        bool other_gone = !after;
        if (after && changed.new_arcs.has(v, w)) {
            other_gone = changed.gone_arcs.has_in(own.other_gone, v, w);
            if (!other_gone) return false;
        }
        return !(gone && is_before(u, w, u, v)) && !(other_gone && is_before(v, w, u, v));
    }
    /// Whether edge {a, b} is less than edge {c, d}.
    [[nodiscard]] static RZ_HD bool is_before(id_type a, id_type b, id_type c, id_type d) {
        return ordered(a, b) < ordered(c, d);
    }
    [[nodiscard]] static RZ_HD std::uint64_t ordered(id_type a, id_type b) {
        return a < b ? changed_arcs::key(a, b) : changed_arcs::key(b, a);
    }
};

} // namespace detail

/// The number of triangles at each vertex of an undirected graph, and of all of them, kept up to date while
/// the graph changes. The results are those of local_triangles and triangle_counter. Self-loops do not
/// matter.
///
/// For each inserted or erased edge, the neighbours of the end that has fewer are looked up among those of
/// the other end, in the graph after the changes and in the lists of changes. A triangle that several edges
/// of one update make or break is counted with the least of them (inclusion and exclusion as in Green and
/// Bader, HiPC 2017, without the correcting passes). The unit of work is one neighbour that is looked up.
///
/// Memory: 8 bytes per vertex id. Scratch, kept between updates: 104 bytes per changed edge, 8 bytes
/// per 128 neighbours that are looked up, and that of local_triangles.
template <class Space>
class maintained_triangles : public maintained_result<maintained_triangles<Space>, Space> {
public:
    /// Allocates a few bytes. `scratch`: source of the scratch, which must outlive this object; nullptr: the
    /// space.
    explicit maintained_triangles(Space space, maintenance way = maintenance::cheaper,
                                  exec::memory_resource* scratch = nullptr)
        : base(way), space_(space), anew_(space, scratch), ends_(space, scratch), pieces_(space, scratch),
          new_(space, scratch), gone_(space, scratch), counts_(space), found_(std::move(space), 1) {}

    /// The number of triangles. Precondition: is_current().
    [[nodiscard]] std::uint64_t total() const { return total_; }
    /// The number of triangles at each vertex, indexed by id, in the memory of the space. Precondition:
    /// is_current(). Valid until the next call of start() or update().
    [[nodiscard]] std::span<std::uint64_t const> counts() const { return {counts_.data(), vertices_}; }

private:
    using base = maintained_result<maintained_triangles, Space>;
    friend base;
    static constexpr bool reads_values = false;

    template <class View>
    void find(View const& view);
    template <class View>
    repair_outcome repair(View const& view, changed_edges const& changes, std::uint64_t most_work);
    /// Gives new vertices their count, 0.
    void grow(std::uint64_t vertices) {
        if (vertices > counts_.size()) {
            exec::buffer<Space, std::uint64_t> larger(space_, vertices + vertices / 8);
            if (vertices_ != 0) space_.copy(larger.data(), counts_.data(), vertices_ * sizeof(std::uint64_t));
            counts_ = std::move(larger);
        }
        if (vertices > vertices_)
            space_.fill(counts_.data() + vertices_, 0, (vertices - vertices_) * sizeof(std::uint64_t));
        vertices_ = vertices;
    }

    static constexpr std::uint64_t least_pieces = 4096; ///< for which there is room at once

    Space space_;
    local_triangles<Space> anew_;
    exec::workspace<Space> ends_;
    exec::workspace<Space> pieces_;
    detail::arc_sorter<Space> new_;
    detail::arc_sorter<Space> gone_;
    exec::buffer<Space, std::uint64_t> counts_;
    exec::buffer<Space, detail::triangle_changes> found_;
    std::uint64_t vertices_ = 0;
    std::uint64_t total_ = 0;
};

template <class Space>
template <class View>
void maintained_triangles<Space>::find(View const& view) {
    grow(view.vertex_count());
    total_ = anew_.count(view, counts_.data());
}

template <class Space>
template <class View>
repair_outcome maintained_triangles<Space>::repair(View const& view, changed_edges const& changes,
                                                   std::uint64_t most_work) {
    std::span<graph::edge const> const inserted = changes.inserted();
    std::span<graph::edge const> const erased = changes.erased();
    std::uint64_t const edges = inserted.size() + erased.size();
    grow(view.vertex_count());
    if (edges == 0) return {};
    detail::changed_graph<View> const changed{view,
                                              inserted.data(),
                                              inserted.size(),
                                              erased.data(),
                                              edges,
                                              new_.sort(space_, inserted, vertices_),
                                              gone_.sort(space_, erased, vertices_)};
    auto* const ends = ends_.template at_least_of<detail::edge_ends>(edges);
    std::uint64_t pieces = std::max<std::uint64_t>(edges, least_pieces);
    detail::triangle_changes found{};
    do {
        auto* const list = pieces_.template at_least_of<detail::changed_piece>(pieces);
        std::uint64_t const room = pieces_.held_bytes() / sizeof(detail::changed_piece);
        found_.fill_bytes(0);
        launch(space_, cover_threads(space_, edges),
               detail::plan_changed_edges<View>{changed, ends, list, room, found_.data()});
        launch(space_, exec::cover_tiles<graph::tuning::row_tile>(space_, edges + 4 * least_pieces),
               detail::count_changed_triangles<View>{changed, ends, list, room, most_work, counts_.data(),
                                                     found_.data()});
        space_.copy_out(&found, found_.data(), sizeof(found));
        if (found.work > most_work) return {edges, repair_outcome::end::gave_up}; // looked at no neighbour
        pieces = found.pieces;
    } while (pieces * sizeof(detail::changed_piece) > pieces_.held_bytes());
    total_ += found.triangles;
    return {found.work};
}

} // namespace rhizome::algorithms
