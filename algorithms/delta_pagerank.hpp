// SPDX-License-Identifier: Apache-2.0
// PageRank that works only on vertices whose rank still changes.
#pragma once

#include <rhizome/algorithms/detail/delta_pagerank_program.hpp>
#include <rhizome/algorithms/detail/kept_ranks.hpp>
#include <rhizome/algorithms/detail/teleport.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

struct delta_pagerank_options {
    double damping = 0.85;           ///< in [0, 1)
    double tolerance = 1e-6;         ///< the L1 distance to the solution that is allowed; more than 0
    std::uint32_t max_rounds = 1000; ///< of changes that vertices pass on

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        if (!(damping >= 0.0 && damping < 1.0))
            throw std::invalid_argument("delta pagerank: damping must be in [0, 1)");
        if (!(tolerance > 0.0)) throw std::invalid_argument("delta pagerank: tolerance must be positive");
        if (max_rounds == 0) throw std::invalid_argument("delta pagerank: max_rounds must be at least 1");
    }
};

/// The result of delta_pagerank::run().
template <class Space>
struct delta_pagerank_result {
    Space space;            ///< the space in whose memory `ranks` lie
    double const* ranks;    ///< one per vertex id; valid until the next run(); nullptr if there are none
    std::uint64_t vertices; ///< number of ranks
    std::uint32_t rounds;   ///< in which vertices passed changes on
    std::uint64_t changes;  ///< how many vertices did so, over all rounds
    std::uint64_t arcs;     ///< along how many arcs, the pass over all arcs at the beginning included
    double error;   ///< the L1 distance of `ranks` to the solution is at most this, apart from rounding
    bool converged; ///< error <= tolerance

    /// Copies the ranks to host memory. Waits.
    [[nodiscard]] std::vector<double> ranks_on_host() const {
        std::vector<double> values(vertices);
        Space order = space;
        if (vertices != 0) order.copy_out(values.data(), ranks, vertices * sizeof(double));
        return values;
    }
};

/// Delta PageRank: solves the equation of pagerank_options, also personalised. A vertex passes its residual,
/// what its rank lacks, on to its neighbours only if the residual is larger than a limit (Zhang, Gao, Gao and
/// Wang, Maiter: An Asynchronous Graph Processing Framework for Delta-Based Accumulative Iterative
/// Computation, IEEE TPDS 25(8), 2014). It pays if the start is near the solution, as the ranks from before a
/// small batch are: then few vertices change.
///
/// What stops it: residuals r bound the distance of the estimates p to the solution, ||p - y|| <= ||r|| / (1
/// - damping) in the L1 norm, and so that of the ranks p / ||p|| by 2 ||r|| / ((1 - damping) ||p||). A vertex
/// is not looked at while its residual is at most limit = tolerance * (1 - damping) * ||p|| / (2n); the bound
/// is computed at the end.
///
/// All sums are in double. Changes are added atomically, in any order: the last digits of the ranks, and the
/// counts in the result, differ from run to run. The bound holds for each run.
///
/// Works along out-arcs; needs no in-arcs. On cuda and simt one launch, whose blocks meet after each step. On
/// the host each step is a launch. Scratch, kept between runs: 36 bytes per vertex, with sources 8 more; for
/// views with ids of 64 bits 44; and 8 or 16 KiB.
template <class Space>
class delta_pagerank {
public:
    /// Allocates a few hundred bytes; run() allocates the rest. Throws out_of_memory. `scratch`: source of
    /// all device memory of this object, also of the ranks that run() returns; nullptr: the space. The budget
    /// of the space counts these bytes either way. The resource must outlive this object.
    explicit delta_pagerank(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), ranks_(space, scratch), numbers_(space, scratch), lists_(space, scratch),
          teleport_(space, scratch), state_(space, scratch), outcome_(std::move(space)) {
        static_cast<void>(state_.template at_least_of<detail::delta_state>(1));
    }

    /// Computes the ranks of the view and waits for them. Preconditions, erased vertices, `inputs` and what
    /// is thrown: as pagerank::run().
    ///
    /// Cost: a pass over all arcs and four over all vertices; per round the arcs of the vertices that change,
    /// with an atomic addition each.
    template <graph::graph_view View>
    delta_pagerank_result<Space> run(View const& view, delta_pagerank_options const& options = {},
                                     pagerank_inputs<double, typename View::id_type> const& inputs = {}) {
        return run_on(graph::untyped(view), options, inputs);
    }

private:
    template <class View>
    delta_pagerank_result<Space> run_on(View const& view, delta_pagerank_options const& options,
                                        pagerank_inputs<double, typename View::id_type> const& inputs);

    Space space_;
    detail::kept_ranks<Space, double> ranks_;
    exec::workspace<Space> numbers_;
    exec::workspace<Space> lists_;
    detail::teleport_writer<Space> teleport_;
    exec::workspace<Space> state_;
    exec::mailbox<Space, detail::delta_outcome> outcome_;
};

template <class Space>
template <class View>
delta_pagerank_result<Space>
delta_pagerank<Space>::run_on(View const& view, delta_pagerank_options const& options,
                              pagerank_inputs<double, typename View::id_type> const& inputs) {
    using id_type = typename View::id_type;
    options.check();
    std::uint64_t const vertices = view.vertex_count();
    delta_pagerank_result<Space> result{space_, nullptr, vertices, 0, 0, 0, 0.0, true};
    double const* teleport = nullptr;
    if (!inputs.sources.empty() || !inputs.weights.empty()) {
        if (vertices == 0) // throws: they are no vertices
            static_cast<void>(detail::normal_weights(0, inputs.sources, inputs.weights));
        else
            teleport = teleport_.template write<double>(space_, view, inputs.sources, inputs.weights);
    }
    if (vertices == 0) return result;
    std::uint64_t const live = view.live_vertex_count();
    double const* start = inputs.start;
    double* const ranks = ranks_.room(vertices, start, inputs.start_count);
    result.ranks = ranks;
    if (live == 0) {
        space_.fill(ranks, 0, vertices * sizeof(double));
        return result;
    }
    auto* const numbers = numbers_.template at_least_of<double>(2 * vertices);
    constexpr std::uint64_t giants = 2 * tuning::listed_giants;
    auto* const lists = static_cast<id_type*>(
        lists_.at_least((2 * vertices + giants) * sizeof(id_type) + vertices * sizeof(std::uint32_t)));
    auto* const rounds = reinterpret_cast<std::uint32_t*>(lists + 2 * vertices + giants);
    auto* const state = state_.template at_least_of<detail::delta_state>(1);
    space_.fill(state, 0, sizeof(*state));
    detail::delta_rounds<View> const passing{
        view,   {},    options.damping,      ranks,      numbers, numbers + vertices,
        rounds, lists, lists + 2 * vertices, state->ring};
    exec::run_steps(space_, vertices,
                    detail::delta_pagerank_program<View>{passing, options.tolerance, options.max_rounds,
                                                         1.0 / static_cast<double>(live), start,
                                                         inputs.start_count, teleport, outcome_.in_space()},
                    &state->barrier);
    detail::delta_outcome const& outcome = outcome_.read();
    result.rounds = outcome.rounds;
    result.changes = outcome.vertices;
    result.arcs = outcome.arcs;
    result.error = outcome.error;
    result.converged = outcome.error <= options.tolerance;
    return result;
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
