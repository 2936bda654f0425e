// SPDX-License-Identifier: Apache-2.0
// Connected components of a graph over ranks.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/partition/exchange.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <vector>

namespace rhizome::algorithms {

namespace detail {

/// Trees over all vertices, one label per vertex: the vertex itself for a root, else a lesser vertex of the
/// tree.
template <class Id>
struct vertex_trees {
    Id* labels;

    template <class Thread>
    [[nodiscard]] RZ_HD Id label(Thread const& thread, Id v) const {
        // Relaxed: labels only move towards roots of the same tree, so an old one is as good.
        return thread.device(labels[v]).load(exec::order::relaxed);
    }
    template <class Thread>
    [[nodiscard]] RZ_HD Id root(Thread const& thread, Id v) const {
        for (Id next = label(thread, v); next != v; next = label(thread, v))
            v = next;
        return v;
    }
    /// Makes the trees of both vertices one. Returns whether they were two.
    template <class Thread>
    RZ_HD bool join(Thread const& thread, Id a, Id b) const {
        for (;;) {
            a = root(thread, a);
            b = root(thread, b);
            if (a == b) return false;
            Id const low = a < b ? a : b;
            Id high = a < b ? b : a;
            Id const place = high;
            // Relaxed: nothing but the label itself is handed over.
            if (thread.device(labels[place]).compare_exchange(high, low, exec::order::relaxed)) return true;
        }
    }
};

template <class Id>
struct begin_trees {
    vertex_trees<Id> trees;
    std::uint64_t vertices;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices, [&](std::uint64_t v) { trees.labels[v] = static_cast<Id>(v); });
    }
};

/// Joins the ends of this rank's arcs.
template <class View>
struct join_arcs {
    using id_type = typename View::id_type;
    using rows_type = graph::out_rows<typename View::rows_type>;

    View view;
    graph::basic_row_schedule<id_type> schedule;
    vertex_trees<id_type> trees;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        graph::for_each_row_piece(thread, rows_type{view.rows()}, schedule,
                                  [&](auto const& group, id_type row, auto const& neighbours,
                                      std::uint64_t begin, std::uint64_t end) {
                                      id_type const v = view.id_of(row);
                                      neighbours.for_each(group, begin, end, [&](std::uint64_t, id_type id) {
                                          static_cast<void>(trees.join(thread, v, id));
                                      });
                                  });
    }
};

/// least[v] = the root of v.
template <class Id>
struct write_roots {
    vertex_trees<Id> trees;
    std::uint64_t vertices;
    Id* least;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
            auto const v = static_cast<Id>(i);
            Id const found = trees.root(thread, v);
            least[v] = found;
            // Relaxed, as above: later searches are shorter.
            thread.device(trees.labels[v]).store(found, exec::order::relaxed);
        });
    }
};

/// Joins each vertex with the least root that any rank has found for it.
template <class Id>
struct join_least {
    vertex_trees<Id> trees;
    std::uint64_t vertices;
    Id const* least;
    std::uint64_t* joined;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t mine = 0;
        exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
            mine += trees.join(thread, static_cast<Id>(i), least[i]) ? 1 : 0;
        });
        exec::add_to_total(thread, *joined, mine);
    }
};

/// Writes the components of this rank's rows, and counts those whose least vertex is here.
template <class View>
struct write_components {
    using id_type = typename View::id_type;

    View view;
    id_type const* least;
    id_type* components;
    std::uint64_t* count;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t roots = 0;
        exec::for_each_item(thread, view.row_count(), [&](std::uint64_t row) {
            bool const lives = view.is_used(row) && view.is_live(view.id_of(row));
            components[row] = lives ? least[view.id_of(row)] : graph::no_vertex_of<id_type>;
            roots += lives && components[row] == view.id_of(row) ? 1 : 0;
        });
        exec::add_to_total(thread, *count, roots);
    }
};

} // namespace detail

/// Connected components over the ranks of a communicator, of a directed graph the weakly connected ones. Each
/// rank joins the ends of its own arcs in trees over all vertices. Then, until no rank joins anything more,
/// the least root of each vertex over all ranks is found (all_reduce), and each rank joins the vertex with
/// it. When that ends, the trees of all ranks have the same roots: a rank's root is not greater than the
/// least one, with which the vertex is joined, and not less than it.
///
/// Scratch on each rank, kept between runs: 2 ids per vertex of the whole graph, and 16 bytes per piece of a
/// row of more than 128 arcs.
template <class Space, class Id = graph::vertex_id>
class partitioned_components {
public:
    /// The communicator must outlive the object.
    explicit partitioned_components(comm::communicator<Space>& self, exec::memory_resource* scratch = nullptr)
        : self_(&self), labels_(self.space(), scratch), count_(self.space(), scratch),
          scheduler_(self.space(), scratch) {}

    /// Collective: all ranks pass their views of one graph. Returns the number of components of the whole
    /// graph, and waits. `components`: view.row_count() ids in the memory of the space. Gets for each row the
    /// least id of the vertex's component; no_vertex for erased vertices. Throws out_of_memory or
    /// graph::refused_by_rank, and comm::comm_error.
    ///
    /// Cost: one pass over the arcs; in each of a few rounds, an all_reduce of an id per vertex of the whole
    /// graph, two passes over these, and a wait.
    template <class View>
    std::uint64_t run(View const& view, Id* components) {
        Space& space = self_->space();
        std::uint64_t const vertices = view.vertex_count();
        detail::vertex_trees<Id> trees{};
        Id* least = nullptr;
        std::uint64_t* count = nullptr;
        graph::basic_row_schedule<Id> schedule{};
        static_cast<void>(graph::all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
            trees.labels = labels_.template at_least_of<Id>(2 * vertices);
            least = trees.labels + vertices;
            count = count_.template at_least_of<std::uint64_t>(1);
            schedule = scheduler_.plan(space, graph::out_rows<typename View::rows_type>{view.rows()},
                                       graph::all_vertices<Id>{view.row_count()});
            return {};
        }));
        if (vertices == 0) return 0;
        exec::launch_shape const shape = cover_threads(space, vertices);
        launch(space, shape, detail::begin_trees<Id>{trees, vertices});
        if (view.row_count() != 0)
            launch(space, cover_rows(space, schedule), detail::join_arcs<View>{view, schedule, trees});
        for (bool joins = true; joins;) {
            launch(space, shape, detail::write_roots<Id>{trees, vertices, least});
            self_->all_reduce(least, least, vertices, comm::reduction::min).or_throw();
            space.fill(count, 0, sizeof(*count));
            launch(space, shape, detail::join_least<Id>{trees, vertices, least, count});
            joins = sum(count) != 0;
        }
        space.fill(count, 0, sizeof(*count));
        if (view.row_count() != 0)
            launch(space, cover_threads(space, view.row_count()),
                   detail::write_components<View>{view, least, components, count});
        return sum(count);
    }

private:
    /// Over all ranks. Waits.
    [[nodiscard]] std::uint64_t sum(std::uint64_t const* word) {
        self_->wait().or_throw();
        std::uint64_t total = 0;
        for (std::uint64_t const each : graph::all_or_none(*self_, 1, [&] {
                 std::vector<std::uint64_t> mine(1);
                 self_->space().copy_out(mine.data(), word, sizeof(*word));
                 return mine;
             }))
            total += each;
        return total;
    }

    comm::communicator<Space>* self_;
    exec::workspace<Space> labels_;
    exec::workspace<Space> count_;
    graph::row_scheduler<Space> scheduler_;
};

} // namespace rhizome::algorithms
