// SPDX-License-Identifier: Apache-2.0
// PageRank by power iteration.
#pragma once

#include <rhizome/algorithms/detail/kept_ranks.hpp>
#include <rhizome/algorithms/detail/pagerank_kernels.hpp>
#include <rhizome/algorithms/detail/pull_ranks.hpp>
#include <rhizome/algorithms/detail/pull_strips.hpp>
#include <rhizome/algorithms/detail/teleport.hpp>
#include <rhizome/algorithms/pagerank_options.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms {

/// The result of pagerank::run().
template <class Space, class Real>
struct pagerank_result {
    Space space;            ///< the space in whose memory `ranks` lie
    Real const* ranks;      ///< one per vertex id, in the memory of `space`; valid until the next run()
    std::uint64_t vertices; ///< number of ranks; if 0, `ranks` is nullptr
    unsigned iterations;    ///< number of iterations that were run
    double residual;        ///< L1 distance between the last two iterates
    bool converged;         ///< residual <= tolerance

    /// Copies the ranks to host memory. Waits.
    [[nodiscard]] std::vector<Real> ranks_on_host() const {
        std::vector<Real> values(vertices);
        Space order = space;
        if (vertices != 0) order.copy_out(values.data(), ranks, vertices * sizeof(Real));
        return values;
    }
};

/// PageRank and personalised PageRank by power iteration, with ranks of type Real (float or double). The
/// comment of pagerank_options states the equation. If the view has in-arcs, run() pulls: each vertex reads
/// the ranks of its in-neighbours. Otherwise run() pushes: each vertex adds to the ranks of its
/// out-neighbours, atomically.
///
/// Precision: what a vertex is given is summed in groups of up to four in-neighbours in Real, and these sums
/// are added in double. On the host space, pulling from contiguous rows, sums over up to 128 in-neighbours
/// and the new ranks are formed in Real as well. The sum of residuals, and that of the ranks of vertices
/// without out-arcs (dangling ranks), are formed in double, then in integers (see run()).
///
/// Scratch, kept between runs:
/// - 3 Reals per vertex (3.5 on the host space), and about 32 bytes per piece of the rows of more than 128
///   arcs. A piece is 512 arcs of a row, or the rest of it.
/// - Pushing: also a double per vertex.
/// - With sources to teleport to: also a Real per vertex, and 16 bytes per source.
/// - On the host space, pulling from contiguous rows: instead 4.5 Reals and 2 bytes per vertex, an id per
///   arc, and about 48 bytes per piece. If a few vertices have most of the arcs, also up to 8 bytes per
///   vertex, for copies of the values of these vertices.
template <class Real, class Space>
class pagerank {
    static_assert(std::same_as<Real, float> || std::same_as<Real, double>);

public:
    /// Allocates a few hundred bytes; run() allocates the rest of the scratch. Throws out_of_memory.
    ///
    /// `scratch`: source of all memory of this object, also of the ranks that run() returns; nullptr: the
    /// space. The budget of the space counts these bytes either way. The resource must outlive this object.
    explicit pagerank(Space space, exec::memory_resource* scratch = nullptr)
        : space_(space), ranks_(space, scratch), teleport_(space, scratch), given_(space, scratch),
          sums_(space, scratch), pieces_(space, scratch), hot_finder_(space, scratch),
          strip_cutter_(space, scratch), shares_(space, scratch), scheduler_(space, scratch),
          state_(std::move(space), scratch) {
        static_cast<void>(kept());
    }

    /// Computes the ranks of the view and waits for them. Pulls if the view has in-arcs, else pushes.
    /// Precondition: the view's memory lies in this space, and the graph does not change during the call. Ids
    /// of erased vertices get rank 0. A graph without live vertices converges in 0 iterations.
    /// `inputs` says where the iteration starts and where it teleports to. Throws out_of_memory, and
    /// std::invalid_argument for
    /// - options out of range
    /// - a source that is no live vertex
    /// - another number of weights than of sources, unless there are no weights
    /// - weights that are negative, infinite, no numbers or all 0
    ///
    /// Pulling is deterministic: the same view gives the same ranks, residual and iterations, bit for bit, on
    /// all GPUs of one model, and on the host space with any number of threads. To this end
    /// the sums of dangling ranks and of residuals are sums of integers, in units of 2^-61, which do not
    /// depend on the order. A row of more than 128 in-arcs adds its own integer. Shorter rows are first
    /// summed in fixed groups (on the GPU those of a warp), and each group adds one integer. Pushing adds in
    /// any order: the last digits of the ranks differ from run to run.
    ///
    /// Cost: one pass over the arcs per iteration, in one launch (pushing: two). The host waits once before
    /// the first iteration and then after every eight iterations; if the tolerance is 0, only once after the
    /// last. On the host space, pulling from contiguous rows takes up to three launches per iteration.
    /// Before the first iteration it takes one more wait and one more pass over the arcs; this preparation
    /// takes as long as several iterations. First ranks that are given take one more
    /// launch; sources one, and a wait.
    template <graph::graph_view View>
    pagerank_result<Space, Real> run(View const& view, pagerank_options const& options = {},
                                     pagerank_inputs<Real, typename View::id_type> const& inputs = {}) {
        return run_on(graph::untyped(view), options, inputs);
    }

private:
    template <class View>
    pagerank_result<Space, Real> run_on(View const& view, pagerank_options const& options,
                                        pagerank_inputs<Real, typename View::id_type> const& inputs);

    using iteration = detail::pagerank_iteration<Real>;
    static constexpr bool alone = Space::tile_lanes(8) == 1; ///< one thread walks each row
    struct state {
        detail::pagerank_ring ring;
        graph::row_totals totals;
        detail::fixed_sum start;
    };
    template <class Rows>
    struct plan {
        graph::basic_row_schedule<typename Rows::id_type> schedule;
        std::uint64_t arcs;
    };

    /// In the memory of the space.
    [[nodiscard]] state* kept() { return state_.template at_least_of<state>(1); }

    template <class View, class Inputs>
    [[nodiscard]] iteration prepare(View const& view, pagerank_options const& options, Inputs inputs,
                                    std::uint64_t live) {
        std::uint64_t const vertices = view.vertex_count();
        Real const* const teleport =
            inputs.sources.empty() && inputs.weights.empty()
                ? nullptr
                : teleport_.template write<Real>(space_, view, inputs.sources, inputs.weights);
        double const uniform = 1.0 / static_cast<double>(std::max<std::uint64_t>(live, 1));
        Real* const ranks = ranks_.room(vertices, inputs.start, inputs.start_count);
        std::uint64_t const room = vertices + (alone ? detail::hot_values::most(vertices) : 0);
        auto* const given = given_.template at_least_of<Real>(2 * room);
        return {.ranks = ranks,
                .given = given + room,
                .next_given = given,
                .ring = &kept()->ring,
                .damping = options.damping,
                .tolerance = options.tolerance,
                .uniform = uniform,
                .share = teleport != nullptr ? 1.0 : uniform,
                .some_dead = live != vertices,
                .start = inputs.start,
                .start_count = inputs.start_count,
                .start_sum = &kept()->start,
                .teleport = teleport};
    }

    /// Writes the first ranks and plans which threads walk which rows; the kernel is begin(totals, zeroth).
    /// Waits.
    template <class Rows, class Begin>
    [[nodiscard]] plan<Rows> begin(Rows const& rows, iteration& zeroth, Begin const& kernel) {
        std::uint64_t const vertices = rows.view.vertex_count();
        auto* const device_totals = &kept()->totals;
        space_.fill(kept(), 0, sizeof(state));
        if (zeroth.start != nullptr)
            launch(space_, cover_threads(space_, vertices),
                   detail::sum_first_ranks<std::remove_cvref_t<decltype(rows.view)>, Real>{rows.view, zeroth,
                                                                                           &kept()->start});
        launch(space_, cover_threads(space_, vertices), kernel(device_totals, zeroth));
        state found;
        space_.copy_out(&found, kept(), sizeof(found));
        // Vertices without out-arcs may start with rank 0.
        zeroth.dangles = zeroth.start != nullptr || found.ring.sums[0].dangling.value != 0;
        return {scheduler_.plan_counted(space_, rows, graph::all_vertices<typename Rows::id_type>{vertices},
                                        found.totals, device_totals),
                found.totals.arcs};
    }

    template <class Rows>
    [[nodiscard]] plan<Rows> begin(Rows const& rows, iteration& zeroth) {
        return begin(rows, zeroth, [&](graph::row_totals* totals, iteration const& first) {
            return detail::begin_pagerank<Rows, Real>{rows, totals, first};
        });
    }

    template <class View>
    void pull(View const& view, pagerank_options const& options, iteration const& zeroth,
              pagerank_result<Space, Real>& result) {
        using rows = graph::in_rows<View>;
        if constexpr (alone && graph::range_of_rows<rows>::contiguous)
            pull_by_strips(rows{view}, options, zeroth, result);
        else
            pull_by_tiles(rows{view}, options, zeroth, result);
    }

    template <class Rows>
    void pull_by_tiles(Rows const& rows, pagerank_options const& options, iteration zeroth,
                       pagerank_result<Space, Real>& result) {
        plan<Rows> const planned = begin(rows, zeroth);
        auto const& schedule = planned.schedule;
        detail::piece_sums const pieces = pieces_.of(space_, schedule);
        detail::with_pull_shape<Space>(
            schedule, planned.arcs,
            [&]<std::uint32_t Lanes, bool Pieces>(exec::width_t<Lanes>, std::bool_constant<Pieces>) {
                iterate(options, zeroth, result, [&](iteration const& now) {
                    launch(space_, cover_rows(space_, schedule),
                           detail::pull_ranks<Rows, Real, Lanes, Pieces>{rows, schedule, now, pieces,
                                                                         now.given});
                });
            });
    }

    /// For spaces where one thread walks each row and neighbours are contiguous: rows are sorted by length.
    template <class Rows>
    void pull_by_strips(Rows const& rows, pagerank_options const& options, iteration zeroth,
                        pagerank_result<Space, Real>& result) {
        auto* const shares = shares_.template at_least_of<Real>(rows.view.vertex_count());
        plan<Rows> const planned =
            begin(rows, zeroth, [&](graph::row_totals* totals, iteration const& first) {
                return detail::begin_strips<Rows, Real>{rows, totals, first, shares};
            });
        auto const& schedule = planned.schedule;
        detail::piece_sums const pieces = pieces_.of(space_, schedule);
        detail::hot_values const hot = hot_finder_.find(space_, rows.view, planned.arcs);
        auto const strips = strip_cutter_.cut(space_, rows, schedule, hot, planned.arcs);
        auto const copy_hot = [&](Real* values) {
            if (hot.count != 0)
                launch(space_, cover_threads(space_, hot.count), detail::copy_hot_values<Real>{hot, values});
        };
        copy_hot(zeroth.next_given);
        iterate(options, zeroth, result, [&](iteration const& now) {
            if (schedule.piece_count != 0)
                launch(space_, exec::cover_tiles<32>(space_, schedule.piece_count),
                       detail::pull_long_rows<Rows, Real>{rows, schedule, strips, now, pieces});
            launch(space_, cover_threads(space_, detail::strips_for(schedule.chosen.count)),
                   detail::pull_strips<Rows, Real>{rows, strips, shares, now});
            copy_hot(now.next_given);
        });
    }

    template <class View>
    void push(View const& view, pagerank_options const& options, iteration zeroth,
              pagerank_result<Space, Real>& result) {
        using rows = graph::out_rows<View>;
        auto const schedule = begin(rows{view}, zeroth).schedule;
        auto* const sums = sums_.template at_least_of<double>(schedule.chosen.count);
        space_.fill(sums, 0, schedule.chosen.count * sizeof(double));
        iterate(options, zeroth, result, [&](iteration const& now) {
            launch(space_, cover_rows(space_, schedule),
                   detail::push_ranks<rows, Real>{rows{view}, schedule, now, sums});
            launch(space_, cover_threads(space_, schedule.chosen.count),
                   detail::update_pushed_ranks<View, Real>{view, now, sums, {view}});
        });
    }

    template <class Step>
    void iterate(pagerank_options const& options, iteration const& zeroth,
                 pagerank_result<Space, Real>& result, Step const& step) {
        detail::run_iterations(
            options, zeroth, result,
            [&](iteration& now) {
                std::swap(now.given, now.next_given);
                step(std::as_const(now));
            },
            [&] {
                detail::pagerank_ring ring;
                space_.copy_out(&ring, zeroth.ring, sizeof(ring));
                return ring;
            });
    }

    Space space_;
    detail::kept_ranks<Space, Real> ranks_;
    detail::teleport_writer<Space> teleport_;
    exec::workspace<Space> given_; ///< of two iterations
    exec::workspace<Space> sums_;  ///< pushing
    detail::piece_workspace<Space> pieces_;
    detail::hot_finder<Space> hot_finder_;
    detail::strip_cutter<Space> strip_cutter_;
    exec::workspace<Space> shares_;
    graph::row_scheduler<Space> scheduler_;
    exec::workspace<Space> state_; ///< kept()
};

template <class Real, class Space>
template <class View>
pagerank_result<Space, Real>
pagerank<Real, Space>::run_on(View const& view, pagerank_options const& options,
                              pagerank_inputs<Real, typename View::id_type> const& inputs) {
    options.check();
    std::uint64_t const live = view.live_vertex_count();
    pagerank_result<Space, Real> result{space_, nullptr, view.vertex_count(), 0, 0.0, live == 0};
    if (view.vertex_count() == 0) {
        if (!inputs.sources.empty() || !inputs.weights.empty()) // throws: they are no vertices
            static_cast<void>(detail::normal_weights(0, inputs.sources, inputs.weights));
        return result;
    }
    iteration zeroth = prepare(view, options, inputs, live);
    result.ranks = zeroth.ranks;
    if (live == 0)
        space_.fill(zeroth.ranks, 0, view.vertex_count() * sizeof(Real));
    else if (view.has_in_arcs())
        pull(view, options, zeroth, result);
    else
        push(view, options, zeroth, result);
    return result;
}

} // namespace rhizome::algorithms

#if defined(RHIZOME_COMPILED) // the library is linked, and holds common views compiled
#include <rhizome/algorithms/compiled.hpp>
#endif
