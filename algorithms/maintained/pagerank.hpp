// SPDX-License-Identifier: Apache-2.0
// PageRank of a graph that changes, with a bound on its error.
#pragma once

#include <rhizome/algorithms/delta_pagerank.hpp>
#include <rhizome/algorithms/detail/maintained_pagerank_program.hpp>
#include <rhizome/algorithms/detail/pulling_rank_program.hpp>
#include <rhizome/algorithms/detail/teleport.hpp>
#include <rhizome/algorithms/detail/weight_checks.hpp>
#include <rhizome/algorithms/maintained/maintenance.hpp>
#include <rhizome/algorithms/pagerank.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/buffer.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/mailbox.hpp>
#include <rhizome/exec/memory_resource.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/exec/shape.hpp>
#include <rhizome/exec/steps.hpp>
#include <rhizome/exec/workspace.hpp>
#include <rhizome/graph/changes.hpp>
#include <rhizome/graph/types.hpp>
#include <rhizome/graph/view.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace rhizome::algorithms {
namespace detail {

/// Sums the ranks of vertices without out-arcs.
template <class View>
struct sum_dangling_ranks {
    View view;
    double const* ranks;
    double* sum; ///< 0 before

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        double own = 0;
        exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
            if (view.degree(static_cast<typename View::id_type>(i)) == 0) own += ranks[i];
        });
        if (own != 0) (void)thread.device(*sum).fetch_add(own, exec::order::relaxed);
    }
};

/// Makes estimates of ranks: those of the equation in which no rank of vertices without out-arcs is spread,
/// whose sum s is (1 - damping) * mass + damping * (1 - dangling) * s.
struct scale_ranks {
    double const* ranks;
    std::uint64_t count;
    double damping;
    double mass;            ///< sum of t
    double const* dangling; ///< as sum_dangling_ranks leaves it
    double* estimates;

    template <class Thread>
    RZ_HD void operator()(Thread const& thread) const {
        double const sum = (1 - damping) * mass / (1 - damping * (1 - *dangling));
        exec::for_each_item(thread, count, [&](std::uint64_t i) { estimates[i] = ranks[i] * sum; });
    }
};

} // namespace detail

struct maintained_pagerank_options {
    double damping = 0.85;           ///< in [0, 1)
    double tolerance = 1e-6;         ///< the L1 distance to the exact ranks that is allowed; more than 0
    std::uint32_t max_rounds = 1000; ///< of changes that vertices pass on, in an update
    /// As in pagerank_inputs: personalised PageRank teleports to these live vertices only; empty: to all.
    std::vector<graph::vertex_id> sources = {};
    std::vector<double> weights = {}; ///< of the sources; empty: all weigh 1

    /// Throws std::invalid_argument, which says which value is out of range.
    void check() const {
        delta_pagerank_options{.damping = damping, .tolerance = tolerance, .max_rounds = max_rounds}.check();
    }
};

/// PageRank and personalised PageRank of a graph, kept up to date while the graph changes. The equation is
/// that of pagerank_options. With an EdgeValue, edges have values of this type, which are the weights that
/// weighted_pagerank states. Each result has a bound on its error.
///
/// Estimates of the ranks and their residuals, what the estimates lack to solve the equation, are kept as in
/// delta_pagerank. A batch changes what the sources of changed arcs give: the residuals of their neighbours
/// are corrected (Zhang, Lofgren and Goel, Approximate Personalized PageRank on Dynamic Graphs, KDD 2016).
/// Then residuals are passed on, until their sum r bounds the error by the tolerance: the L1 distance of the
/// ranks is at most 2 r / ((1 - damping) * sum of the estimates). Vertices may pass on negative residuals. If
/// every arc has its reverse, and without weights, r is the mean of two numbers instead: the sum of the
/// magnitudes, and the magnitude of the sum, which an update brings near 0.
///
/// A repair corrects the residuals, or computes them anew by a pass over all arcs if that is expected to
/// take less time; then the report says recomputed. It begins with the estimates of the last update either
/// way, and does not give up. Computing anew begins with the ranks of static PageRank, with weights with
/// those of the teleport distribution. The unit of work is one arc of a vertex
/// that is the source of a changed arc, or one changed arc.
///
/// Rounding: each update sums what bounds the errors by which kept residuals differ from exact ones, and
/// error() includes them. If they take a quarter of the tolerance, the update computes residuals anew,
/// whatever the way of maintenance. So a tolerance near 1e-12 makes every update do that, and may not be
/// reached. Not included: errors of the sums of weights of each vertex, and of the sum by which the estimates
/// are scaled to sum 1.
///
/// On cuda and simt one launch, with in-arcs three, and one wait; more of both if few rounds pull, then push,
/// then pull. Two more waits with sources if the number of vertices has changed. Cost: four passes over the
/// vertices; the arcs of the sources of changed arcs, and then of the vertices that change, with an atomic
/// addition each. If there are in-arcs, only vertices with far more residual per arc than others pass it on
/// that way; where these have little of it, all vertices pull from their in-arcs. The last digits of the
/// ranks differ from run to run.
///
/// Memory: 28 bytes per vertex id, with weights 32. Scratch, kept between updates: 20 bytes per vertex id,
/// with in-arcs 4 more (with weights 16), with sources 8 more, 8 KiB, 24 bytes per 1024 arcs, and without
/// weights that of pagerank.
template <class Space, class EdgeValue = void>
class maintained_pagerank : public maintained_result<maintained_pagerank<Space, EdgeValue>, Space> {
public:
    /// Allocates 14 KiB. Throws std::invalid_argument for options out of range. start() and update()
    /// throw it for sources and weights that pagerank::run() and weighted_pagerank::run() refuse, as for a
    /// source that has been erased. `scratch`: source of the scratch, which must outlive this object;
    /// nullptr: the space.
    explicit maintained_pagerank(Space space, maintained_pagerank_options options = {},
                                 maintenance way = maintenance::cheaper,
                                 exec::memory_resource* scratch = nullptr)
        : base(way), options_(std::move(options)), space_(space), static_(space, scratch),
          dangling_(space, 1), teleport_(space, scratch), given_(space, scratch), lists_(space, scratch),
          estimates_(space), residuals_(space), outflow_(space), ranks_(space), state_(space, 1),
          outcome_(std::move(space)) {
        options_.check();
    }

    /// The rank of each vertex, indexed by id, in the memory of the space; 0 for ids of erased vertices.
    /// Their sum is 1, if there is a live vertex. Precondition: is_current(). Valid until the next call of
    /// start() or update().
    [[nodiscard]] std::span<double const> ranks() const { return {ranks_.data(), known_}; }
    /// The sum of the distances of the ranks to the exact ones is at most this. Precondition: is_current().
    [[nodiscard]] double error() const { return error_; }
    /// Whether error() is at most the tolerance. False if max_rounds were too few, or if rounding errors are
    /// too large for the tolerance.
    [[nodiscard]] bool converged() const { return error_ <= options_.tolerance; }
    /// In how many rounds the last start() or update() passed residuals on.
    [[nodiscard]] std::uint32_t rounds() const { return rounds_; }

private:
    static constexpr bool weighted = !std::is_void_v<EdgeValue>;
    using base = maintained_result<maintained_pagerank, Space>;
    friend base;
    static constexpr bool reads_values = weighted;

    using outflow_type = std::conditional_t<weighted, double, std::uint32_t>;
    using value_type = std::conditional_t<weighted, EdgeValue, std::uint8_t>;
    using changed_list = detail::changed_weights<value_type>;
    struct changed_lists {
        changed_list inserted;
        changed_list erased;
        changed_list updated;
    };

    template <class View>
    void find(View const& view) {
        known_ = 0; // nothing of what is kept counts
        rounded_ = 0;
        std::uint32_t iterations = 0;
        if constexpr (!weighted) iterations = begin_with_static_ranks(view);
        static_cast<void>(run(view, {}, true, false, iterations));
        rounds_ += iterations;
    }
    /// Writes estimates, and makes all vertices known ones. Returns the number of iterations; 0: did nothing.
    template <class View>
    std::uint32_t begin_with_static_ranks(View const& view);
    template <class View, class Changes>
    repair_outcome repair(View const& view, Changes const& changes, std::uint64_t most_work);
    /// `corrects`: residuals are corrected even if computing them anew is expected to take less time.
    /// `rounds_before`: that count for max_rounds.
    template <class View>
    repair_outcome run(View const& view, changed_lists const& changed, bool anew, bool corrects,
                       std::uint32_t rounds_before = 0);
    /// Throws if a source is no live vertex.
    template <class View>
    [[nodiscard]] double const* teleport(View const& view);
    [[nodiscard]] bool has_sources() const { return !options_.sources.empty() || !options_.weights.empty(); }
    /// Makes room for the numbers of all vertices, and keeps those of known ones.
    void grow(std::uint64_t vertices);
    template <class T>
    void grow(exec::buffer<Space, T>& numbers, std::uint64_t size) {
        exec::buffer<Space, T> larger(space_, size);
        if (known_ != 0) space_.copy(larger.data(), numbers.data(), known_ * sizeof(T));
        numbers = std::move(larger);
    }

    struct none {
        none(Space const&, exec::memory_resource*) {}
    };

    maintained_pagerank_options options_;
    Space space_;
    std::conditional_t<weighted, none, pagerank<double, Space>> static_;
    exec::buffer<Space, double> dangling_;
    detail::teleport_writer<Space> teleport_;
    exec::workspace<Space> given_;
    exec::workspace<Space> lists_;
    exec::buffer<Space, double> estimates_;
    exec::buffer<Space, double> residuals_;
    exec::buffer<Space, outflow_type> outflow_;
    exec::buffer<Space, double> ranks_;
    exec::buffer<Space, detail::maintained_rank_state> state_;
    exec::mailbox<Space, detail::maintained_rank_outcome> outcome_;
    double const* written_ = nullptr; ///< the teleport distribution of known_ vertices
    std::uint64_t known_ = 0;         ///< vertices that have estimates and residuals
    double rounded_ = 0;              ///< see detail::rounding_unit
    double residual_ = 0;             ///< the sum of residuals; a guess where it is not known
    double error_ = 0;
    std::uint32_t rounds_ = 0;
};

template <class Space, class EdgeValue>
void maintained_pagerank<Space, EdgeValue>::grow(std::uint64_t vertices) {
    if (vertices <= ranks_.size()) return;
    std::uint64_t const size = vertices + vertices / 8;
    grow(estimates_, size);
    grow(residuals_, size);
    grow(outflow_, size);
    ranks_.discard_and_resize(size); // last: its size is that of all
}

template <class Space, class EdgeValue>
template <class View>
std::uint32_t maintained_pagerank<Space, EdgeValue>::begin_with_static_ranks(View const& view) {
    std::uint64_t const live = view.live_vertex_count();
    written_ = nullptr;
    if (live == 0) return 0;
    // With this residual the bound of the error is about the tolerance. Rounding allows no much smaller one.
    double const residual =
        options_.tolerance * (1 - options_.damping) / (2 * std::max(options_.damping, 0.5));
    auto const ranks = static_.run(view,
                                   {.damping = options_.damping,
                                    .tolerance = std::max(residual, 1e-13),
                                    .max_iterations = options_.max_rounds},
                                   {.sources = options_.sources, .weights = options_.weights});
    grow(ranks.vertices);
    dangling_.fill_bytes(0);
    launch(space_, cover_threads(space_, ranks.vertices),
           detail::sum_dangling_ranks<View>{view, ranks.ranks, dangling_.data()});
    launch(space_, cover_threads(space_, ranks.vertices),
           detail::scale_ranks{ranks.ranks, ranks.vertices, options_.damping,
                               has_sources() ? 1.0 : static_cast<double>(live), dangling_.data(),
                               estimates_.data()});
    space_.fill(residuals_.data(), 0, ranks.vertices * sizeof(double));
    space_.fill(outflow_.data(), 0, ranks.vertices * sizeof(outflow_type));
    known_ = ranks.vertices;
    return ranks.iterations;
}

template <class Space, class EdgeValue>
template <class View>
double const* maintained_pagerank<Space, EdgeValue>::teleport(View const& view) {
    std::uint64_t const vertices = view.vertex_count();
    if (!has_sources()) return nullptr;
    std::span<graph::vertex_id const> const sources(options_.sources);
    if (vertices == 0) // throws: they are no vertices
        static_cast<void>(
            detail::normal_weights(vertices, sources, std::span<double const>(options_.weights)));
    // The launch finds sources that have been erased, but there is none without live vertices.
    if (written_ == nullptr || known_ != vertices || view.live_vertex_count() == 0)
        written_ = teleport_.template write<double>(space_, view, sources, options_.weights);
    return written_;
}

template <class Space, class EdgeValue>
template <class View>
repair_outcome maintained_pagerank<Space, EdgeValue>::run(View const& view, changed_lists const& changed,
                                                          bool anew, bool corrects,
                                                          std::uint32_t rounds_before) {
    using program_type = detail::maintained_rank_program<View, weighted, value_type>;
    using id_type = typename View::id_type;
    std::uint64_t const vertices = view.vertex_count();
    std::uint64_t const live = view.live_vertex_count();
    double const* const teleports = teleport(view);
    grow(vertices);
    error_ = 0;
    rounds_ = 0;
    if (live == 0) {
        if (vertices != 0) {
            space_.fill(estimates_.data(), 0, vertices * sizeof(double));
            space_.fill(residuals_.data(), 0, vertices * sizeof(double));
            space_.fill(outflow_.data(), 0, vertices * sizeof(outflow_type));
            space_.fill(ranks_.data(), 0, vertices * sizeof(double));
        }
        known_ = vertices;
        rounded_ = 0;
        return {};
    }
    constexpr std::uint64_t giants = 2 * tuning::listed_giants;
    bool const pulls = view.has_in_arcs();
    using pulling_type = detail::pulling_rank_program<View, weighted>;
    using pulled_type = typename pulling_type::pulled_type;
    auto* const given = static_cast<double*>(
        given_.at_least(vertices * (sizeof(double) + (pulls ? 2 * sizeof(pulled_type) : 0))));
    // Parts of rows take the place of lists, and more.
    std::uint64_t const arcs = view.arc_count();
    constexpr bool alone = exec::threads_take_runs<Space>;
    std::uint64_t const rows = pulls ? pulling_type::template most_rows<alone>(arcs) : 0;
    std::uint64_t const listed = 2 * vertices + std::max<std::uint64_t>(giants, 2 * rows);
    static_assert(sizeof(detail::row_part) == 2 * sizeof(id_type));
    auto* const sums_of_rows = static_cast<detail::row_sum*>(lists_.at_least(
        rows * sizeof(detail::row_sum) + listed * sizeof(id_type) + vertices * sizeof(std::uint32_t)));
    auto* const lists = reinterpret_cast<id_type*>(sums_of_rows + rows);
    auto* const listed_in = reinterpret_cast<std::uint32_t*>(lists + listed);
    state_.fill_bytes(0);
    auto* const state = state_.data();
    constexpr std::uint64_t push_cost =
        exec::threads_take_runs<Space> ? tuning::rank_push_cost_alone : tuning::rank_push_cost;
    // Of a pass over all arcs, which pulls if it can.
    std::uint64_t const anew_work = pulls ? arcs / push_cost : arcs;
    detail::maintained_rank_base<View, weighted> const common{
        {view,
         {outflow_.data()},
         options_.damping,
         estimates_.data(),
         residuals_.data(),
         given,
         listed_in,
         lists,
         lists + 2 * vertices,
         state->ring},
        options_.tolerance,
        options_.max_rounds - rounds_before,
        teleports,
        arcs,
        teleports != nullptr ? 1.0 : static_cast<double>(live),
        state};
    program_type const program{common,
                               ranks_.data(),
                               known_,
                               push_cost,
                               exec::threads_take_runs<Space>
                                   ? tuning::rank_round_work_on_host
                                   : tuning::rank_round_work * space_.concurrency(),
                               arcs + live,
                               corrects ? base::no_limit : anew_work,
                               anew,
                               rounded_,
                               residual_,
                               {changed.inserted, changed.erased, changed.updated},
                               outcome_.in_space()};
    exec::run_steps(space_, vertices, program, &state->barrier);
    // Where this program has ended, both do nothing. Most updates need them once.
    detail::maintained_rank_outcome outcome{};
    for (int turns = 1; !outcome.done; turns *= 2) {
        for (int i = 0; pulls && i < turns; ++i) {
            exec::run_steps(space_, vertices,
                            pulling_type{common, reinterpret_cast<pulled_type*>(given + vertices),
                                         reinterpret_cast<detail::row_part*>(lists), sums_of_rows,
                                         program.round_work},
                            &state->pulling_barrier);
            exec::run_steps(space_, vertices, program, &state->barrier);
        }
        outcome = outcome_.read();
    }
    if (outcome.refused_sources != 0) throw std::invalid_argument("pagerank: a source is an erased vertex");
    detail::expect_no_refused_weights(outcome.refused_weights, outcome.refused_sums);
    known_ = vertices;
    rounded_ = outcome.rounded;
    residual_ = outcome.residual;
    error_ = outcome.error;
    rounds_ = outcome.rounds;
    return {outcome.work, outcome.anew ? repair_outcome::end::recomputed : repair_outcome::end::repaired};
}

template <class Space, class EdgeValue>
template <class View, class Changes>
repair_outcome maintained_pagerank<Space, EdgeValue>::repair(View const& view, Changes const& changes,
                                                             std::uint64_t most_work) {
    auto const inserted = changes.inserted();
    auto const erased = changes.erased();
    changed_lists lists{{inserted.data(), inserted.size(), false, true, nullptr, nullptr},
                        {erased.data(), erased.size(), true, false, nullptr, nullptr},
                        {}};
    if constexpr (weighted) {
        static_assert(std::is_same_v<typename Changes::value_type, EdgeValue>,
                      "the changes are of a graph with values of another type");
        auto const updated = changes.updated();
        lists.inserted.after = changes.values_of_inserted().data();
        lists.erased.before = changes.values_of_erased().data();
        lists.updated = {updated.data(),
                         updated.size(),
                         true,
                         true,
                         changes.values_before().data(),
                         changes.values_after().data()};
    }
    return run(view, lists, false, most_work == base::no_limit);
}

} // namespace rhizome::algorithms
