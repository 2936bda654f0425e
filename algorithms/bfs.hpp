// SPDX-License-Identifier: Apache-2.0
// Breadth-first search from one or several sources.
#pragma once

#include <rhizome/algorithms/bfs_options.hpp>
#include <rhizome/algorithms/detail/bfs_program.hpp>
#include <rhizome/algorithms/detail/sources.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {

/// Breadth-first search, top-down and bottom-up (Beamer, Asanovic and Patterson, Direction-Optimizing
/// Breadth-First Search, SC 2012). Bottom-up needs in-arcs; without them all levels are searched top-down.
///
/// A search is one launch on cuda and simt: all blocks meet after each level, and one block alone works on
/// runs of levels with few vertices. On the host each level is a launch, except in such runs.
///
/// Scratch, kept between searches: 4 ids and 2 bits per vertex; an id per source.
template <class Space>
class breadth_first_search {
public:
    /// Allocates a few hundred bytes; run() allocates the rest of the scratch. Throws out_of_memory.
    ///
    /// `scratch`: source of all device memory of this object; nullptr: the space. The budget of the space
    /// counts these bytes either way. The resource must outlive this object.
    explicit breadth_first_search(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), sources_(space, scratch), lists_(space, scratch), masks_(space, scratch),
          state_(space, scratch), outcome_(std::move(space)) {
        static_cast<void>(kept());
    }

    /// Searches the view from `sources` (host memory; repetitions do not matter) along out-arcs, and waits.
    ///
    /// `levels`: view.vertex_count() words in the memory of the space. Gets the number of arcs of a shortest
    /// path from a source to each vertex; `unreached` if there is none, and for ids of erased vertices.
    /// `parents`: nullptr, or as many ids in the memory of the space. Gets a vertex before the vertex on such
    /// a path, for sources the source itself, no_vertex for ids without a level. If a vertex has several
    /// possible parents, any of them.
    ///
    /// Preconditions: the view's memory lies in this space, and the graph does not change during the call.
    /// Throws std::invalid_argument if options are out of range, or a source is no live vertex, and
    /// out_of_memory. After an exception the contents of both arrays are undefined.
    ///
    /// Cost: one launch and one wait; each arc of a reached vertex is looked at once, or fewer of them
    /// bottom-up. On the host a launch per level that does not fit into a run of narrow ones.
    template <graph::graph_view View>
    bfs_report run(View const& view, std::span<typename View::id_type const> sources, std::uint32_t* levels,
                   typename View::id_type* parents = nullptr, bfs_options const& options = {}) {
        return run_on(graph::untyped(view), sources, levels, parents, options);
    }

private:
    template <class View>
    bfs_report run_on(View const& view, std::span<typename View::id_type const> sources,
                      std::uint32_t* levels, typename View::id_type* parents, bfs_options const& options);
    [[nodiscard]] detail::bfs_state* kept() { return state_.template at_least_of<detail::bfs_state>(1); }

    Space space_;
    exec::workspace<Space> sources_;
    exec::workspace<Space> lists_;
    exec::workspace<Space> masks_;
    exec::workspace<Space> state_; ///< kept()
    exec::mailbox<Space, detail::bfs_outcome> outcome_;
};

template <class Space>
template <class View>
bfs_report breadth_first_search<Space>::run_on(View const& view,
                                               std::span<typename View::id_type const> sources,
                                               std::uint32_t* levels, typename View::id_type* parents,
                                               bfs_options const& options) {
    using id_type = typename View::id_type;
    static_assert(sizeof(id_type) == sizeof(graph::vertex_id), "bfs: ids must have 32 bits");
    options.check();
    std::uint64_t const vertices = view.vertex_count();
    for (id_type const source : sources)
        detail::expect_vertex("bfs", source, vertices);
    if (vertices == 0) return {};
    auto* const list = sources_.template at_least_of<id_type>(sources.size() + 1);
    auto* const lists = lists_.template at_least_of<id_type>(4 * vertices);
    auto* const masks = masks_.template at_least_of<std::uint32_t>(2 * ((vertices + 31) / 32));
    if (!sources.empty()) space_.copy_in(list, sources.data(), sources.size_bytes());
    auto* const state = kept();
    space_.fill(state, 0, sizeof(*state));
    exec::run_steps(space_, vertices,
                    detail::bfs_program<View>{view, options, state, list, sources.size(), levels, parents,
                                              lists, masks, outcome_.in_space()},
                    &state->barrier);
    detail::bfs_outcome const& outcome = outcome_.read();
    if (outcome.dead_source != 0) throw std::invalid_argument("bfs: a source is an erased vertex");
    return outcome.report;
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
