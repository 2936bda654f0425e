// SPDX-License-Identifier: Apache-2.0
// The k-core decomposition: all core numbers.
#pragma once

#include <rhizome/algorithms/detail/kcore_program.hpp>
#include <rhizome/algorithms/detail/symmetric_copy.hpp>
#include <rhizome/algorithms/kcore_options.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/csr.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <stdexcept>
#include <utility>

namespace rhizome::algorithms {

/// The k-core of a graph is its largest subgraph in which every vertex has at least k neighbours. The core
/// number of a vertex is the largest k whose k-core contains it. Self-loops do not count.
///
/// Vertices of the least degree are removed until none is left (Matula and Beck, Smallest-Last Ordering,
/// Journal of the ACM 30(3), 1983). Each block keeps the vertices that fall to the present degree while it
/// removes others, and removes them next, without a meeting of all blocks (Ahmad, Yuan, Yan, Guo, Chen and
/// Zhang, Accelerating k-Core Decomposition by a GPU, ICDE 2023).
///
/// Scratch, kept between runs: 28 bytes per vertex. A symmetric copy takes another 40 bytes per arc of the
/// directed graph and 20 per vertex.
template <class Space>
class k_core {
public:
    /// Allocates a few hundred bytes; run() allocates the rest of the scratch. Throws out_of_memory.
    /// `scratch`: source of all device memory of this object, which must outlive it; nullptr: the space.
    explicit k_core(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), symmetric_(space, scratch), words_(space, scratch), state_(space, scratch),
          report_(std::move(space)) {
        static_cast<void>(kept());
    }

    /// Finds all core numbers, and waits.
    ///
    /// `cores`: view.vertex_count() words in the memory of the space. Gets the core number of each vertex; 0
    /// for ids of erased vertices. The same view always gives the same numbers.
    ///
    /// Preconditions: the view's memory lies in this space, the graph does not change during the call, and
    /// the view has no parallel arcs. Its ids must have 32 bits, which is checked at compile time. Throws
    /// std::invalid_argument for a view that is not symmetric unless options.symmetrize, and out_of_memory.
    /// After an exception the contents of `cores` are undefined.
    ///
    /// Cost: one launch and one wait; each arc is visited once, or twice if neighbours are unsorted. Each
    /// core number that occurs takes a step, which looks at up to twice the vertices that remain. On the host
    /// each step is a launch. A symmetric copy takes two more waits.
    template <graph::graph_view View>
    k_core_report run(View const& view, std::uint32_t* cores, k_core_options const& options = {}) {
        return run_on(graph::untyped(view), cores, options);
    }

private:
    template <class View>
    k_core_report run_on(View const& view, std::uint32_t* cores, k_core_options const& options);
    [[nodiscard]] detail::core_state* kept() { return state_.template at_least_of<detail::core_state>(1); }

    Space space_;
    detail::symmetric_copy<Space> symmetric_;
    exec::workspace<Space> words_;
    exec::workspace<Space> state_; ///< kept()
    exec::mailbox<Space, k_core_report> report_;
};

template <class Space>
template <class View>
k_core_report k_core<Space>::run_on(View const& view, std::uint32_t* cores, k_core_options const& options) {
    using id_type = typename View::id_type;
    static_assert(sizeof(id_type) == sizeof(graph::vertex_id), "k-core: ids must have 32 bits");
    std::uint64_t const vertices = view.vertex_count();
    if (!view.symmetric()) {
        if (!options.symmetrize)
            throw std::invalid_argument("k-core: the graph is directed; core numbers are those of undirected "
                                        "graphs, or of a symmetric copy on request");
        if (vertices == 0) return {};
        return run_on(symmetric_.of(space_, view), cores, options);
    }
    if (vertices == 0) return {};
    auto* const words = words_.template at_least_of<std::uint32_t>(detail::core_words_per_vertex * vertices);
    auto* const state = kept();
    space_.fill(state, 0, sizeof(*state));
    exec::run_steps(space_, vertices,
                    detail::core_program<View>{view, options, state, cores, words, report_.in_space()},
                    &state->barrier);
    return report_.read();
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
