// SPDX-License-Identifier: Apache-2.0
// What the steps of shortest paths and those of their repair have in common.
#pragma once

#include <rhizome/algorithms/detail/delta_choice.hpp>
#include <rhizome/algorithms/detail/distance_metric.hpp>
#include <rhizome/algorithms/detail/sssp_memory.hpp>
#include <rhizome/algorithms/detail/sssp_parents.hpp>
#include <rhizome/algorithms/detail/sssp_search.hpp>
#include <rhizome/algorithms/detail/sssp_state.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/order.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// The base of both programs of exec::run_steps().
template <class View>
struct path_steps {
    static constexpr std::uint32_t block_threads = 1024;
    using id_type = typename View::id_type;
    using weight_type = typename View::value_type;
    using metric = distance_metric<weight_type>;
    using word_type = typename metric::word_type;
    struct shared {
        sssp_found found[3];
        sssp_found places; ///< of the vertices that a block lists
    };

    View view;
    shortest_paths_options options;
    sssp_state* state;
    id_type const* sources;
    std::uint64_t source_count;
    typename metric::distance_type* distances;
    id_type* parents;     ///< nullptr: not wanted
    word_type* words;     ///< distances as words
    std::uint32_t* lists; ///< sssp_words_per_vertex per vertex

    [[nodiscard]] RZ_HD sssp_memory<View> memory() const { return {view, words, lists}; }
    [[nodiscard]] RZ_HD near_far_search<View> searcher() const {
        return {memory(), options.narrow_vertices, options.narrow_arcs, options.marking_arcs,
                &state->refused_arc};
    }
    [[nodiscard]] RZ_HD path_parents<View> finder() const { return {memory(), parents, &state->too_far}; }

    /// The items of a step of all blocks.
    [[nodiscard]] RZ_HD std::uint64_t search_items(sssp_search const& search) const {
        return search.gathers ? view.vertex_count() : search.splits ? search.far : search.near.arcs;
    }
    /// Chooses delta. `sampled`: what a step left to this one.
    RZ_HD void choose_delta(sssp_search& search, sssp_round const& sampled) const {
        search.adapts = !(options.delta > 0);
        search.delta = search.adapts ? chosen_delta(sampled) : options.delta;
    }
    /// Whether a source is live; notes if not.
    template <class Thread>
    [[nodiscard]] RZ_HD bool check_source(Thread const& thread, id_type source) const {
        bool const is_live = view.is_live(source);
        // Relaxed: the barrier after the step publishes it.
        if (!is_live) (void)thread.device(state->dead_source).exchange(1u, exec::order::relaxed);
        return is_live;
    }
};

} // namespace rhizome::algorithms::detail
