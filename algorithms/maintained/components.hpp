// SPDX-License-Identifier: Apache-2.0
// The connected components of a graph that changes.
#pragma once

#include <rhizome/algorithms/detail/changed_arcs.hpp>
#include <rhizome/algorithms/detail/components_program.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <span>
#include <utility>

namespace rhizome::algorithms {
namespace detail {

/// Takes erased edges out of the forest, and counts those that were in it.
struct cut_forest {
    changed_arcs erased;
    graph::edge* forest;
    std::uint64_t vertices;
    std::uint64_t* cuts; ///< 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t own = 0;
        exec::for_each_item(thread, vertices, [&](std::uint64_t i) {
            graph::edge const edge = forest[i];
            if (edge.source == graph::no_vertex || !erased.has(edge.source, edge.target)) return;
            forest[i] = kept_forest<graph::vertex_id>::no_edge();
            ++own;
        });
        exec::add_to_total(thread, *cuts, own);
    }
};

/// Components after edges were inserted, as a program of exec::run_steps().
template <class View>
struct join_inserted {
    using forest_type = kept_forest<graph::vertex_id>;
    using program_type = components_program<View, forest_type>;
    static constexpr std::uint32_t block_threads = program_type::block_threads;

    program_type trees;
    std::uint64_t known; ///< vertices that have labels
    graph::edge const* inserted;
    std::uint64_t count;

    struct progress {
        std::uint32_t number; ///< of the step: 1, 2, 3
    };
    [[nodiscard]] RZ_HD progress begin() const { return {0}; }
    [[nodiscard]] RZ_HD bool next(progress& now) const {
        ++now.number;
        return now.number < 4;
    }
    RZ_HD void finish(progress const&) const { *trees.count = trees.state->components; }
    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        return now.number == 2 ? count : trees.view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        if (now.number == 1) {
            exec::for_each_item(thread, trees.view.vertex_count(), [&](std::uint64_t i) { adjust(i); });
        } else if (now.number == 2) {
            exec::for_each_item(thread, count, [&](std::uint64_t i) {
                trees.join(thread, inserted[i].source, inserted[i].target);
            });
        } else {
            std::uint64_t roots = 0;
            exec::for_each_item(thread, trees.view.vertex_count(),
                                [&](std::uint64_t i) { roots += trees.settle(thread, i) ? 1 : 0; });
            exec::add_to_total(thread, trees.state->components, roots);
        }
    }

private:
    /// Vertices that have come are roots; those that have gone had no edges and are none any more.
    RZ_HD void adjust(std::uint64_t i) const {
        auto const v = static_cast<graph::vertex_id>(i);
        bool const live = trees.view.is_live(v);
        if (i >= known) trees.forest.edges[i] = forest_type::no_edge();
        if (!live)
            trees.labels[i] = graph::no_vertex;
        else if (i >= known || trees.labels[i] == graph::no_vertex)
            trees.labels[i] = v;
    }
};

} // namespace detail

/// The connected components of a graph, of a directed one the weakly connected ones, kept up to date while
/// the graph changes. The results are those of connected_components: for each vertex the least id of its
/// component.
///
/// A spanning forest is kept. Inserted edges join trees. An erased edge outside of the forest changes
/// nothing. If edges of the forest were erased, its other edges are joined anew, and the vertices outside of
/// the largest tree look for arcs to other trees, as in the last step of Afforest (Sutton, Ben-Nun and Barak,
/// IPDPS 2018): no arc of the largest tree is looked at, except in a directed view without in-arcs. The unit
/// of work is one vertex or changed edge that is looked at.
///
/// An update waits once, or twice if edges were erased. Cost: two passes over the vertices, of 4 bytes each,
/// and one over the inserted edges. If edges were erased, a search in their sorted list for each vertex. If
/// edges of the forest were erased, that of start() without the arcs of the largest tree.
///
/// Memory: 20 bytes per vertex id. Scratch, kept between updates: 8 bytes per vertex id and 32 per erased
/// edge.
template <class Space>
class maintained_components : public maintained_result<maintained_components<Space>, Space> {
public:
    /// Allocates a few bytes. `scratch`: source of the scratch, which must outlive this object; nullptr: the
    /// space.
    explicit maintained_components(Space space, maintenance way = maintenance::cheaper,
                                   exec::memory_resource* scratch = nullptr)
        : base(way), space_(space), lists_(space, scratch), erased_(space, scratch), labels_(space),
          forest_(space), old_forest_(space), state_(space, 1), cuts_(space, 1), found_(std::move(space)) {}

    /// The number of components. Precondition: is_current().
    [[nodiscard]] std::uint64_t count() const { return count_; }
    /// For each vertex the least id of its component, indexed by id, in the memory of the space; no_vertex
    /// for ids of erased vertices. Precondition: is_current(). Valid until the next call of start() or
    /// update().
    [[nodiscard]] std::span<graph::vertex_id const> components() const { return {labels_.data(), vertices_}; }

private:
    using base = maintained_result<maintained_components, Space>;
    friend base;
    static constexpr bool reads_values = false;

    using forest_type = detail::kept_forest<graph::vertex_id>;
    template <class View>
    using program_type = detail::components_program<View, forest_type>;

    template <class View>
    void find(View const& view);
    template <class View>
    repair_outcome repair(View const& view, changed_edges const& changes, std::uint64_t most_work);
    /// Finds components, beginning with the edges of old_forest_, or with none.
    template <class View>
    void find_from(View const& view, bool with_forest);
    void grow(std::uint64_t vertices);
    [[nodiscard]] detail::components_state* cleared_state() {
        state_.fill_bytes(0);
        return state_.data();
    }

    Space space_;
    exec::workspace<Space> lists_;
    detail::arc_sorter<Space> erased_;
    exec::buffer<Space, graph::vertex_id> labels_;
    exec::buffer<Space, graph::edge> forest_;
    exec::buffer<Space, graph::edge> old_forest_; ///< while the forest is made anew
    exec::buffer<Space, detail::components_state> state_;
    exec::buffer<Space, std::uint64_t> cuts_;
    exec::mailbox<Space, std::uint64_t> found_;
    std::uint64_t vertices_ = 0;
    std::uint64_t count_ = 0;
    maintenance_choice joins_forest_; ///< or else computes anew, where edges of the forest were erased
};

template <class Space>
void maintained_components<Space>::grow(std::uint64_t vertices) {
    if (vertices > labels_.size()) {
        std::uint64_t const size = vertices + vertices / 8;
        exec::buffer<Space, graph::vertex_id> labels(space_, size);
        exec::buffer<Space, graph::edge> forest(space_, size);
        exec::buffer<Space, graph::edge> old_forest(space_, size);
        if (vertices_ != 0) {
            space_.copy(labels.data(), labels_.data(), vertices_ * sizeof(graph::vertex_id));
            space_.copy(forest.data(), forest_.data(), vertices_ * sizeof(graph::edge));
        }
        labels_ = std::move(labels);
        forest_ = std::move(forest);
        old_forest_ = std::move(old_forest);
    }
    vertices_ = vertices;
}

template <class Space>
template <class View>
void maintained_components<Space>::find_from(View const& view, bool with_forest) {
    count_ = 0;
    if (vertices_ == 0) return;
    auto* const lists = lists_.template at_least_of<graph::vertex_id>(2 * vertices_);
    auto* const state = cleared_state();
    program_type<View> const program{view,
                                     state,
                                     labels_.data(),
                                     lists,
                                     found_.in_space(),
                                     {forest_.data(), with_forest ? old_forest_.data() : nullptr}};
    exec::run_steps(space_, vertices_, program, &state->barrier);
    count_ = found_.read();
}

template <class Space>
template <class View>
void maintained_components<Space>::find(View const& view) {
    exec::wall_timer const timer;
    vertices_ = 0; // nothing of what is known counts
    grow(view.vertex_count());
    find_from(view, false);
    joins_forest_.recomputed(base::size_of(view), timer.elapsed_ms());
}

template <class Space>
template <class View>
repair_outcome maintained_components<Space>::repair(View const& view, changed_edges const& changes,
                                                    std::uint64_t most_work) {
    std::span<graph::edge const> const inserted = changes.inserted();
    std::span<graph::edge const> const erased = changes.erased();
    std::uint64_t const vertices = view.vertex_count();
    std::uint64_t const known = vertices_;
    std::uint64_t const work = inserted.size() + erased.size() + vertices;
    if (vertices == 0) return {};
    grow(vertices);
    std::uint64_t cuts = 0;
    if (!erased.empty() && known != 0) {
        cuts_.fill_bytes(0);
        launch(
            space_, cover_threads(space_, known),
            detail::cut_forest{erased_.sort(space_, erased, vertices), forest_.data(), known, cuts_.data()});
        space_.copy_out(&cuts, cuts_.data(), sizeof(cuts));
    }
    if (cuts == 0) {
        auto* const state = cleared_state();
        detail::join_inserted<View> const program{
            {view, state, labels_.data(), nullptr, found_.in_space(), {forest_.data(), nullptr}},
            known,
            inserted.data(),
            inserted.size()};
        exec::run_steps(space_, vertices, program, &state->barrier);
        count_ = found_.read();
        return {work};
    }
    update_size const update{inserted.size(), erased.size(), base::size_of(view)};
    exec::wall_timer const timer;
    if (most_work != base::no_limit && joins_forest_.most_work(update) == 0) {
        find_from(view, false);
        joins_forest_.recomputed(update.graph, timer.elapsed_ms());
        return {work, repair_outcome::end::recomputed};
    }
    // The program clears the forest of all vertices, and those that are new have none to begin with.
    if (vertices > known) space_.fill(forest_.data() + known, 0xff, (vertices - known) * sizeof(graph::edge));
    std::swap(forest_, old_forest_);
    find_from(view, true);
    joins_forest_.repaired(update, work, timer.elapsed_ms(), timer.elapsed_ms());
    return {work};
}

} // namespace rhizome::algorithms
