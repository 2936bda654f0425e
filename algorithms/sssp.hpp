// SPDX-License-Identifier: Apache-2.0
// Shortest paths from one or several sources.
#pragma once

#include <rhizome/algorithms/detail/sources.hpp>
#include <rhizome/algorithms/detail/sssp_program.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace rhizome::algorithms {

/// Shortest paths with weights that are not negative: the edge values of the graph. Vertices whose distances
/// lie below a limit are expanded until no distance below it changes; others wait in a pile, from which they
/// are taken when the limit rises by delta (delta-stepping: Meyer and Sanders, Journal of Algorithms 49(1),
/// 2003; with two lists, near and far: Davidson, Baxter, Garland and Owens, Work-Efficient Parallel GPU
/// Methods for Single-Source Shortest Paths, IPDPS 2014).
///
/// A search is one launch on cuda and simt: all blocks meet after each step, and one block alone works on
/// runs of steps with few vertices. On the host each step is a launch, except in such runs.
///
/// Scratch, kept between searches: 40 bytes per vertex, 36 if weights are float; 4 bytes per source.
template <class Space>
class shortest_paths {
public:
    /// Allocates a few hundred bytes; run() allocates the rest of the scratch. Throws out_of_memory.
    /// `scratch`: source of all device memory of this object, which must outlive it; nullptr: the space.
    explicit shortest_paths(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), sources_(space, scratch), words_(space, scratch), lists_(space, scratch),
          state_(space, scratch), outcome_(std::move(space)) {
        static_cast<void>(kept());
    }

    /// Searches the view from `sources` (host memory; repetitions do not matter) along out-arcs, and waits.
    ///
    /// `distances`: view.vertex_count() values in the memory of the space. Gets the least sum of weights
    /// along a path from a source to each vertex, summed from the source on in the type of distances;
    /// unreached_distance if there is no path, and for ids of erased vertices. The same view and sources
    /// always give the same distances. An arc of infinite weight is no arc.
    /// `parents`: nullptr, or as many ids in the memory of the space. Gets the vertex before the vertex on
    /// such a path, for sources the source itself, no_vertex for ids without a distance. The parents are a
    /// forest, also where weights are 0.
    ///
    /// Preconditions: the view's memory lies in this space, and the graph does not change during the call. A
    /// view without edge values does not compile (weighted_view).
    /// Throws std::invalid_argument if options are out of range, a source is no live vertex, or an arc that
    /// leaves a reached vertex has a weight that is negative or not a number; std::overflow_error if the
    /// distance of a vertex is finite but exceeds the type (floating point only); and out_of_memory. After an
    /// exception the contents of both arrays are undefined.
    ///
    /// Cost: on cuda and simt one launch; on the host a launch per step, except in runs of steps with few
    /// vertices. One wait. An arc is looked at once for each distance that its source has while it is
    /// expanded; once more if parents are wanted, and a third time if arcs of weight 0 make a distance.
    template <weighted_view View>
    shortest_paths_report run(View const& view, std::span<typename View::id_type const> sources,
                              distance_of<typename View::value_type>* distances,
                              typename View::id_type* parents = nullptr,
                              shortest_paths_options const& options = {});

private:
    [[nodiscard]] detail::sssp_state* kept() { return state_.template at_least_of<detail::sssp_state>(1); }

    Space space_;
    exec::workspace<Space> sources_;
    exec::workspace<Space> words_;
    exec::workspace<Space> lists_;
    exec::workspace<Space> state_; ///< kept()
    exec::mailbox<Space, detail::sssp_outcome> outcome_;
};

template <class Space>
template <weighted_view View>
shortest_paths_report
shortest_paths<Space>::run(View const& view, std::span<typename View::id_type const> sources,
                           distance_of<typename View::value_type>* distances, typename View::id_type* parents,
                           shortest_paths_options const& options) {
    using id_type = typename View::id_type;
    using word_type = typename detail::distance_metric<typename View::value_type>::word_type;
    static_assert(sizeof(id_type) == sizeof(graph::vertex_id), "shortest paths: ids must have 32 bits");
    options.check();
    std::uint64_t const vertices = view.vertex_count();
    for (id_type const source : sources)
        detail::expect_vertex("shortest paths", source, vertices);
    if (vertices == 0) return {};
    auto* const list = sources_.template at_least_of<id_type>(sources.size() + 1);
    auto* const words = words_.template at_least_of<word_type>(vertices);
    auto* const lists = lists_.template at_least_of<std::uint32_t>(detail::sssp_words_per_vertex * vertices);
    if (!sources.empty()) space_.copy_in(list, sources.data(), sources.size_bytes());
    auto* const state = kept();
    space_.fill(state, 0, sizeof(*state));
    exec::run_steps(space_, vertices,
                    detail::sssp_program<View>{
                        {view, options, state, list, sources.size(), distances, parents, words, lists},
                        outcome_.in_space()},
                    &state->barrier);
    detail::sssp_outcome const& outcome = outcome_.read();
    if (outcome.dead_source != 0) throw std::invalid_argument("shortest paths: a source is an erased vertex");
    if (outcome.refused != 0)
        throw std::invalid_argument("shortest paths: the weight of the arc from vertex " +
                                    std::to_string(outcome.refused_arc >> 32) + " to vertex " +
                                    std::to_string(outcome.refused_arc & 0xffff'ffffu) +
                                    " is negative or not a number");
    if (outcome.too_far != 0)
        throw std::overflow_error("shortest paths: a distance exceeds the greatest number of its type");
    return outcome.report;
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
