// SPDX-License-Identifier: Apache-2.0
// Distances and parents from given sources, found anew or repaired.
#pragma once

#include <rhizome/algorithms/bfs.hpp>
#include <rhizome/algorithms/detail/level_view.hpp>
#include <rhizome/algorithms/detail/path_repair.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/sssp.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms::detail {

/// What maintained_bfs and maintained_shortest_paths have in common. `Weight`: unit_weight, or the type of
/// edge values.
template <class Space, class Weight>
class path_follower {
    static constexpr bool is_bfs = std::is_same_v<Weight, unit_weight>;
    using metric = distance_metric<Weight>;
    using static_search = std::conditional_t<is_bfs, breadth_first_search<Space>, shortest_paths<Space>>;

public:
    using distance_type = typename metric::distance_type;
    using options_type = std::conditional_t<is_bfs, bfs_options, shortest_paths_options>;

    path_follower(Space space, std::vector<graph::vertex_id> sources, options_type const& options,
                  exec::memory_resource* scratch)
        : space_(space), sources_(std::move(sources)), options_(options), anew_(space, scratch),
          lists_(space, scratch), sources_in_space_(space), distances_(space), words_(space), parents_(space),
          state_(space, 1), outcome_(std::move(space)) {
        if (sources_.empty()) return;
        sources_in_space_.discard_and_resize(sources_.size());
        space_.copy_in(sources_in_space_.data(), sources_.data(), sources_in_space_.size_bytes());
    }

    [[nodiscard]] std::span<graph::vertex_id const> sources() const { return sources_; }
    [[nodiscard]] std::span<distance_type const> distances() const { return {distances_.data(), vertices_}; }
    [[nodiscard]] std::span<graph::vertex_id const> parents() const { return {parents_.data(), vertices_}; }

    /// Computes both anew.
    template <class View>
    void find(View const& view) {
        vertices_ = 0; // nothing of what is known counts
        grow(view.vertex_count());
        static_cast<void>(anew_.run(view, sources_, distances_.data(), parents_.data(), options_));
        if (vertices_ == 0) return;
        space_.copy(words_.data(), distances_.data(), vertices_ * sizeof(distance_type));
    }

    /// Repairs both.
    template <class View>
    repair_outcome follow(View const& view, path_changes<Weight> const& changes, std::uint64_t most_work) {
        if (view.vertex_count() == 0) return {};
        // Where all distances may fall, a search for shortest paths takes about as long as anew. The static
        // breadth-first search looks at fewer arcs.
        path_outcome const outcome =
            repair(view, changes, {step_work, most_work, is_bfs ? most_work : ~std::uint64_t{0}});
        return {outcome.work,
                outcome.done != 0 ? repair_outcome::end::repaired : repair_outcome::end::gave_up};
    }

    /// Repairs both, within limits. Precondition: the view has vertices.
    template <class View>
    path_outcome repair(View const& view, path_changes<Weight> const& changes, repair_limits const& limits) {
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const known = vertices_;
        auto* const lists = lists_.template at_least_of<std::uint32_t>(sssp_words_per_vertex * vertices);
        grow(vertices);
        state_.fill_bytes(0);
        auto const weighted = as_weighted(view);
        using program_type = path_repair<std::remove_const_t<decltype(weighted)>>;
        exec::run_steps(
            space_, vertices + changes.size(),
            program_type{{weighted, search_options(), state_.data(), sources_in_space_.data(),
                          sources_.size(), distances_.data(), parents_.data(), words_.data(), lists},
                         limits,
                         changes,
                         known,
                         outcome_.in_space()},
            &state_.data()->barrier);
        return outcome_.read();
    }

private:
    static constexpr std::uint64_t step_work =
        exec::threads_take_runs<Space> ? tuning::path_step_work_on_host : tuning::path_step_work;

    template <class View>
    [[nodiscard]] static auto as_weighted(View const& view) {
        if constexpr (is_bfs)
            return level_view<View>{view};
        else
            return view;
    }
    [[nodiscard]] shortest_paths_options search_options() const {
        if constexpr (is_bfs) {
            shortest_paths_options options;
            options.narrow_vertices = options_.narrow_vertices;
            options.narrow_arcs = options_.narrow_arcs;
            return options;
        } else {
            return options_;
        }
    }
    /// Makes room, and keeps what is known.
    void grow(std::uint64_t vertices) {
        if (vertices > distances_.size()) {
            std::uint64_t const size = vertices + vertices / 8;
            exec::buffer<Space, distance_type> distances(space_, size);
            exec::buffer<Space, typename metric::word_type> words(space_, size);
            exec::buffer<Space, graph::vertex_id> parents(space_, size);
            if (vertices_ != 0) {
                space_.copy(distances.data(), distances_.data(), vertices_ * sizeof(distance_type));
                space_.copy(words.data(), words_.data(), vertices_ * sizeof(distance_type));
                space_.copy(parents.data(), parents_.data(), vertices_ * sizeof(graph::vertex_id));
            }
            distances_ = std::move(distances);
            words_ = std::move(words);
            parents_ = std::move(parents);
        }
        vertices_ = vertices;
    }

    Space space_;
    std::vector<graph::vertex_id> sources_;
    options_type options_;
    static_search anew_;
    exec::workspace<Space> lists_;
    exec::buffer<Space, graph::vertex_id> sources_in_space_;
    exec::buffer<Space, distance_type> distances_;
    exec::buffer<Space, typename metric::word_type> words_;
    exec::buffer<Space, graph::vertex_id> parents_;
    exec::buffer<Space, sssp_state> state_;
    exec::mailbox<Space, path_outcome> outcome_;
    std::uint64_t vertices_ = 0;
};

} // namespace rhizome::algorithms::detail
