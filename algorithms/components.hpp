// SPDX-License-Identifier: Apache-2.0
// Connected components.
#pragma once

#include <rhizome/algorithms/detail/components_program.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms {

/// Connected components, of a directed graph the weakly connected ones: directions do not matter. Vertices
/// are joined by their first two neighbours; the largest tree that this makes is found by sampling, and only
/// the other vertices look at the rest of their arcs (Sutton, Ben-Nun and Barak, IPDPS 2018). A directed view
/// without in-arcs looks at all arcs.
///
/// Scratch, kept between runs: 2 ids per vertex.
template <class Space>
class connected_components {
public:
    /// Allocates a few bytes; run() allocates the rest of the scratch. Throws out_of_memory. `scratch`:
    /// source of all device memory of this object, which must outlive it; nullptr: the space.
    explicit connected_components(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), lists_(space, scratch), state_(space, scratch), count_(std::move(space)) {
        static_cast<void>(kept());
    }

    /// Returns the number of components, and waits.
    ///
    /// `components`: view.vertex_count() ids in the memory of the space. Gets for each vertex the least id of
    /// its component, so that the same view gives the same result; no_vertex for ids of erased vertices.
    ///
    /// Preconditions: the view's memory lies in this space, and the graph does not change during the call.
    /// Throws out_of_memory. Cost: on cuda one launch and one wait; on the host seven or eight launches.
    template <graph::graph_view View>
    std::uint64_t run(View const& view, typename View::id_type* components) {
        return run_on(graph::untyped(view), components);
    }

private:
    template <class View>
    std::uint64_t run_on(View const& view, typename View::id_type* components);
    [[nodiscard]] detail::components_state* kept() {
        return state_.template at_least_of<detail::components_state>(1);
    }

    Space space_;
    exec::workspace<Space> lists_;
    exec::workspace<Space> state_; ///< kept()
    exec::mailbox<Space, std::uint64_t> count_;
};

template <class Space>
template <class View>
std::uint64_t connected_components<Space>::run_on(View const& view, typename View::id_type* components) {
    using id_type = typename View::id_type;
    static_assert(sizeof(id_type) == sizeof(graph::vertex_id), "components: ids must have 32 bits");
    std::uint64_t const vertices = view.vertex_count();
    if (vertices == 0) return 0;
    auto* const lists = lists_.template at_least_of<id_type>(2 * vertices);
    auto* const state = kept();
    space_.fill(state, 0, sizeof(*state));
    exec::run_steps(space_, vertices,
                    detail::components_program<View>{view, state, components, lists, count_.in_space()},
                    &state->barrier);
    return count_.read();
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
