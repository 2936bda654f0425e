// SPDX-License-Identifier: Apache-2.0
// PageRank in which a vertex gives to its neighbours by the weights of the edges to them.
#pragma once

#include <rhizome/algorithms/detail/kept_ranks.hpp>
#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/teleport.hpp>
#include <rhizome/algorithms/detail/weight_checks.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/sssp_options.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/view.hpp>

#include <cstdint>
#include <utility>

namespace rhizome::algorithms {
namespace detail {

/// Adds up the weights of the out-arcs of each vertex, and counts weights that are negative, infinite or no
/// numbers.
template <class View>
struct sum_weights {
    using id_type = typename View::id_type;
    using rows_type = graph::out_rows<View>;

    rows_type rows;
    graph::basic_row_schedule<id_type> schedule;
    double* outflow; ///< 0 before
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        std::uint64_t bad = 0;
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type v, auto const&, std::uint64_t begin, std::uint64_t end) {
                double sum = 0;
                rows.view.for_each_edge(group, v, begin, end, [&](std::uint64_t, id_type, auto const& value) {
                    auto const weight = static_cast<double>(value);
                    bool const good = is_rank_weight(weight);
                    bad += good ? 0 : 1;
                    sum += good ? weight : 0;
                });
                if (sum != 0) (void)thread.device(outflow[v]).fetch_add(sum, exec::order::relaxed);
            });
        if (bad != 0) (void)thread.device(*refused).fetch_add(bad, exec::order::relaxed);
    }
};

/// Writes the first ranks and what they give for a weight of 1. Counts vertices by whose sum of weights a
/// rank cannot be divided; they give 0.
template <class View>
struct begin_weighted {
    struct shared {
        fixed_tally sums;
    };
    View view;
    pagerank_iteration<double> zeroth;
    double const* outflow;
    std::uint64_t* refused;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        auto& sums = thread.block().storage().sums;
        sums.clear(thread);
        pagerank_tally const own =
            tally_vertices(thread, sums, view.vertex_count(), [&](std::uint64_t i, pagerank_tally& tally) {
                auto const v = static_cast<typename View::id_type>(i);
                double const rank = view.is_live(v) ? zeroth.first_rank(i) : 0;
                double const sum = outflow[v];
                bool const divides = divides_rank(sum);
                if (sum != 0 && !divides)
                    (void)thread.device(*refused).fetch_add(std::uint64_t{1}, exec::order::relaxed);
                zeroth.ranks[v] = rank;
                zeroth.next_given[v] = divides ? rank / sum : 0;
                if (sum == 0) tally.dangling += rank;
            });
        sums.add_to(thread, zeroth, own);
    }
};

/// Adds to sums[u] what v gives to u, for all arcs v -> u.
template <class View>
struct push_by_weight {
    using id_type = typename View::id_type;
    using rows_type = graph::out_rows<View>;

    rows_type rows;
    graph::basic_row_schedule<id_type> schedule;
    pagerank_iteration<double> now;
    double* sums;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        if (now.is_over()) return;
        graph::for_each_row_piece(
            thread, rows, schedule,
            [&](auto const& group, id_type v, auto const&, std::uint64_t begin, std::uint64_t end) {
                double const given = now.given[v];
                rows.view.for_each_edge(group, v, begin, end,
                                        [&](std::uint64_t, id_type id, auto const& value) {
                                            (void)thread.device(sums[id]).fetch_add(
                                                given * static_cast<double>(value), exec::order::relaxed);
                                        });
            });
    }
};

struct known_outflow {
    double const* outflow;
    [[nodiscard]] RZ_HD double operator()(std::uint64_t v) const { return outflow[v]; }
};

} // namespace detail

/// PageRank with weights, as pagerank_options states it, but a vertex gives to each out-neighbour in
/// proportion to the weight of the edge to it: rank(u) * w(u, v) / (sum of the weights of u's out-arcs).
/// Vertices whose out-arcs all weigh 0 count as without out-arcs. The same as in NetworkX. Ranks are
/// doubles. Each vertex adds to the ranks of its out-neighbours, atomically: the last digits differ from run
/// to run.
///
/// Scratch, kept between runs: 5 doubles per vertex. With sources to teleport to: also a double per vertex,
/// and 16 bytes per source.
template <class Space>
class weighted_pagerank {
public:
    /// Allocates a few hundred bytes; run() allocates the rest of the scratch. Throws out_of_memory.
    /// `scratch`: source of all memory of this object, also of the ranks that run() returns; nullptr: the
    /// space. The resource must outlive this object.
    explicit weighted_pagerank(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), ranks_(space, scratch), teleport_(space, scratch), given_(space, scratch),
          sums_(space, scratch), outflow_(space, scratch), scheduler_(space, scratch),
          state_(std::move(space), scratch) {
        static_cast<void>(kept());
    }

    /// Computes the ranks of the view, whose edge values are the weights, and waits for them. Ids of erased
    /// vertices get rank 0. Precondition: the view's memory lies in this space, and the graph does not change
    /// during the call. `inputs` says where the iteration starts and where it teleports to. Throws
    /// std::invalid_argument for options and inputs that pagerank::run() refuses, and for a weight of an edge
    /// that is negative, infinite or no number, or if the sum of the weights of a vertex is not 0 and outside
    /// of 1e-300 to 1e300; out_of_memory.
    ///
    /// Cost: one pass over the arcs to add up their weights, then one per iteration, in two launches. The
    /// host waits while it plans which threads walk which rows, and once to learn whether weights are
    /// refused; then as in pagerank::run(), also for inputs.
    template <weighted_view View>
    pagerank_result<Space, double> run(View const& view, pagerank_options const& options = {},
                                       pagerank_inputs<double, typename View::id_type> inputs = {}) {
        options.check();
        std::uint64_t const vertices = view.vertex_count();
        std::uint64_t const live = view.live_vertex_count();
        pagerank_result<Space, double> result{space_, nullptr, vertices, 0, 0.0, live == 0};
        bool const has_sources = !inputs.sources.empty() || !inputs.weights.empty();
        if (vertices == 0) {
            if (has_sources) // throws: they are no vertices
                static_cast<void>(detail::normal_weights(0, inputs.sources, inputs.weights));
            return result;
        }
        double const* const teleport =
            has_sources ? teleport_.template write<double>(space_, view, inputs.sources, inputs.weights)
                        : nullptr;
        auto* const ranks = ranks_.room(vertices, inputs.start, inputs.start_count);
        result.ranks = ranks;
        if (live == 0) {
            space_.fill(ranks, 0, vertices * sizeof(double));
            return result;
        }
        double const uniform = 1.0 / static_cast<double>(live);
        iterate(view, options,
                {.ranks = ranks,
                 .ring = &kept()->ring,
                 .damping = options.damping,
                 .tolerance = options.tolerance,
                 .uniform = uniform,
                 .share = teleport != nullptr ? 1.0 : uniform,
                 .some_dead = live != vertices,
                 .start = inputs.start,
                 .start_count = inputs.start_count,
                 .start_sum = &kept()->start,
                 .teleport = teleport},
                result);
        return result;
    }

private:
    struct state {
        detail::pagerank_ring ring;
        std::uint64_t refused_weights;
        std::uint64_t refused_sums; ///< counted per vertex
        detail::fixed_sum start;
    };
    /// In the memory of the space.
    [[nodiscard]] state* kept() { return state_.template at_least_of<state>(1); }

    template <class View>
    void iterate(View const& view, pagerank_options const& options, detail::pagerank_iteration<double> zeroth,
                 pagerank_result<Space, double>& result) {
        std::uint64_t const vertices = view.vertex_count();
        graph::out_rows<View> const rows{view};
        auto* const given = given_.template at_least_of<double>(2 * vertices);
        zeroth.given = given + vertices;
        zeroth.next_given = given;
        auto* const sums = sums_.template at_least_of<double>(vertices);
        auto* const outflow = outflow_.template at_least_of<double>(vertices);
        auto const schedule =
            scheduler_.plan(space_, rows, graph::all_vertices<typename View::id_type>{vertices});
        space_.fill(kept(), 0, sizeof(state));
        space_.fill(outflow, 0, vertices * sizeof(double));
        space_.fill(sums, 0, vertices * sizeof(double));
        launch(space_, cover_rows(space_, schedule),
               detail::sum_weights<View>{rows, schedule, outflow, &kept()->refused_weights});
        if (zeroth.start != nullptr)
            launch(space_, cover_threads(space_, vertices),
                   detail::sum_first_ranks<View, double>{view, zeroth, &kept()->start});
        launch(space_, cover_threads(space_, vertices),
               detail::begin_weighted<View>{view, zeroth, outflow, &kept()->refused_sums});
        // Before the first iteration: its sums need ranks that are finite.
        state found;
        space_.copy_out(&found, kept(), sizeof(found));
        detail::expect_no_refused_weights(found.refused_weights, found.refused_sums);
        detail::run_iterations(
            options, zeroth, result,
            [&](detail::pagerank_iteration<double>& now) {
                std::swap(now.given, now.next_given);
                launch(space_, cover_rows(space_, schedule),
                       detail::push_by_weight<View>{rows, schedule, now, sums});
                launch(space_, cover_threads(space_, vertices),
                       detail::update_pushed_ranks<View, double, detail::known_outflow>{
                           view, now, sums, {outflow}});
            },
            [&] {
                detail::pagerank_ring ring;
                space_.copy_out(&ring, zeroth.ring, sizeof(ring));
                return ring;
            });
    }

    Space space_;
    detail::kept_ranks<Space, double> ranks_;
    detail::teleport_writer<Space> teleport_;
    exec::workspace<Space> given_; ///< of two iterations
    exec::workspace<Space> sums_;
    exec::workspace<Space> outflow_;
    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> state_; ///< kept()
};

} // namespace rhizome::algorithms
