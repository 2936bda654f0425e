// SPDX-License-Identifier: Apache-2.0
// What the programs of PageRank that follows a graph have in common.
#pragma once

#include <rhizome/algorithms/detail/delta_rounds.hpp>
#include <rhizome/algorithms/detail/weight_checks.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/tuning.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// An operation of which the exact result is x errs by at most |x| * 2^-53. Steps sum the magnitudes of
/// results, each once per error that it makes in the L1 norm of the residuals. This unit is twice as much, so
/// that the sum times the unit bounds all errors, although magnitudes and their sum are rounded too.
inline constexpr double rounding_unit = 0x1p-52;

/// Arcs whose sums of weights are kept between updates. The limit of a vertex grows with its row, so that a
/// push of many arcs removes as much residual per arc as one of few (Andersen, Chung and Lang, FOCS 2006).
template <class View, bool Weighted>
struct kept_arcs {
    using id_type = typename View::id_type;
    using outflow_type = std::conditional_t<Weighted, double, std::uint32_t>;
    static constexpr bool weighted = Weighted;
    static constexpr bool bounds_rounding = true;

    outflow_type* kept; ///< of each vertex; without weights: the number of arcs

    [[nodiscard]] RZ_HD double outflow(View const&, id_type v) const { return static_cast<double>(kept[v]); }
    [[nodiscard]] RZ_HD double limit_factor(View const& view, id_type v) const {
        return 1 + static_cast<double>(view.degree(v));
    }
    template <class Group, class Function>
    RZ_HD void for_each(View const& view, Group const& group, id_type v, std::uint64_t first,
                        std::uint64_t last, Function const& function) const {
        if constexpr (Weighted)
            view.for_each_edge(group, v, first, last, [&](std::uint64_t, id_type id, auto const& value) {
                function(id, static_cast<double>(value));
            });
        else
            view.neighbours(v).for_each(group, first, last,
                                        [&](std::uint64_t, id_type id) { function(id, 1.0); });
    }
    /// The same for in-arcs.
    template <class Group, class Function>
    RZ_HD void for_each_in(View const& view, Group const& group, id_type v, std::uint64_t first,
                           std::uint64_t last, Function const& function) const {
        if constexpr (Weighted)
            view.for_each_in_edge(group, v, first, last, [&](std::uint64_t, id_type id, auto const& value) {
                function(id, static_cast<double>(value));
            });
        else
            view.in_neighbours(v).for_each(group, first, last,
                                           [&](std::uint64_t, id_type id) { function(id, 1.0); });
    }
};

/// Edges that were inserted, erased, or given another weight. Weights of absent edges are 0.
template <class Value>
struct changed_weights {
    graph::edge const* edges;
    std::uint64_t count;
    bool were;           ///< present before
    bool are;            ///< present after
    Value const* before; ///< nullptr: all weigh 1
    Value const* after;

    [[nodiscard]] RZ_HD double weight_before(std::uint64_t i) const { return weight(were, before, i); }
    [[nodiscard]] RZ_HD double weight_after(std::uint64_t i) const { return weight(are, after, i); }

private:
    [[nodiscard]] static RZ_HD double weight(bool present, Value const* values, std::uint64_t i) {
        return !present ? 0 : values == nullptr ? 1 : static_cast<double>(values[i]);
    }
};

/// A part of a row of in-arcs that a warp sums.
struct row_part {
    graph::vertex_id vertex;
    std::uint32_t row; ///< the number of its row_sum; none: the row has one part

    static constexpr std::uint32_t none = ~std::uint32_t{0};
};
/// Of a row with several parts.
struct row_sum {
    double sum;
    std::uint32_t first; ///< number of its first part among those of all rows
    std::uint32_t added; ///< how many parts
};

struct maintained_rank_outcome {
    bool done; ///< false: the programs are to be launched again
    std::uint32_t rounds;
    bool anew;          ///< residuals were computed anew
    std::uint64_t work; ///< arcs of changed rows, and changed arcs
    double error;       ///< bound of the L1 distance
    double rounded;     ///< see rounding_unit
    double residual;    ///< the sum of the kept residuals
    std::uint64_t refused_sources;
    std::uint64_t refused_weights;
    std::uint64_t refused_sums;
};

enum class maintained_rank_step : std::uint8_t {
    none,
    adjust,   ///< vertices that have come get estimates and residuals
    list,     ///< lists the sources of changed arcs
    weigh,    ///< sums the weights of the rows of listed vertices
    correct,  ///< corrects residuals for changed arcs and for rows whose outflow changed
    keep,     ///< listed vertices get their new outflow, and stars with listed vertices are solved
    settle,   ///< vertices that have gone lose all; then as collect
    list_all, ///< lists all vertices
    spread,   ///< begins to compute residuals anew: writes what each vertex gives
    push,     ///< listed vertices give to the vertices at their out-arcs
    pull,     ///< all vertices get from those at their in-arcs, which ends a round, and begin the next one
    collect,  ///< lists the vertices whose residual is large; sums residuals and estimates
    take,     ///< listed vertices add their residuals to their estimates
    take_all, ///< all vertices do so, as the first of rounds that pull; lists those with many in-arcs
    finish,   ///< writes ranks
    over,     ///< there is no more to do
};

/// Where the programs are, from one to the other.
struct maintained_rank_progress : delta_progress {
    maintained_rank_step kind;
    bool enters;  ///< no step of the program has run yet
    bool anew;    ///< residuals are computed anew
    bool spreads; ///< rounds that pull have begun with estimates
    bool stalled; ///< pulling does not shrink the sum of residuals
    bool scales_no_more;
    std::uint64_t work;
    std::uint32_t pulls;    ///< since the last take_all
    std::uint32_t series;   ///< of rounds that pull, until now
    std::uint32_t patience; ///< so many, before rounds that shrink the sum of residuals by little end
    double share;           ///< of the limit that applies at first
    double scale;           ///< take_all: of the estimates
    double shift;           ///< take_all: of the estimates, for each arc of the vertex
    double residual;        ///< the sum, as far as it is known
    double listed;          ///< the part of it that the frontier has
    double left;            ///< by pulling: the sum of residuals over what it was before
    double pushed_off;      ///< by pushing: what the sum of residuals lost, over what the frontier had
    double rounded;         ///< see rounding_unit
    double sum;             ///< of the estimates
    double error;
};

/// In the memory of the space; zero at the beginning. Each program clears the barrier of the other one.
struct maintained_rank_state {
    exec::grid_barrier barrier;
    exec::grid_barrier pulling_barrier;
    maintained_rank_progress saved;
    delta_round ring[4];
    // One step of a launch adds to each of these (keep or spread to the last one), and only after this step
    // they are read.
    std::uint64_t refused_sources;
    std::uint64_t refused_weights;
    std::uint64_t refused_sums;
    /// Whether a step has refused. Only for what has run before the launch, or after its last step.
    [[nodiscard]] RZ_HD bool refuses() const {
        return refused_sources != 0 || refused_weights != 0 || refused_sums != 0;
    }
    /// Whether this step, which has just run, refused.
    [[nodiscard]] RZ_HD bool refused(maintained_rank_step kind) const {
        switch (kind) {
        case maintained_rank_step::adjust:
            return refused_sources != 0;
        case maintained_rank_step::weigh:
            return refused_weights != 0;
        case maintained_rank_step::keep:
        case maintained_rank_step::spread:
            return refused_sums != 0;
        default:
            return false;
        }
    }
};

/// What a step sums: magnitudes of residuals (push: their change), estimates, the bound of rounding errors,
/// residuals with their signs of vertices that have out-arcs, and magnitudes of those of listed vertices.
enum maintained_rank_sum : std::uint32_t { of_residuals, of_estimates, of_rounding, of_signed, of_listed };

/// What both programs need of an update.
template <class View, bool Weighted>
struct maintained_rank_base {
    using shared = delta_sums;
    using id_type = typename View::id_type;
    using arcs_type = kept_arcs<View, Weighted>;
    using step_kind = maintained_rank_step;
    using progress = maintained_rank_progress;
    static constexpr bool weighted = Weighted;
    /// Additions through which a term passes in the sum of a light row, or of a part of a long one, at most.
    static constexpr double row_depth = graph::tuning::light_degree + 4;

    delta_rounds<View, arcs_type> passing;
    double tolerance;
    std::uint32_t max_rounds;
    double const* teleport; ///< nullptr: 1 for each live vertex
    std::uint64_t all_arcs; ///< of the graph
    double mass;            ///< sum of t
    maintained_rank_state* state;

    [[nodiscard]] RZ_HD progress begin() const {
        progress saved = state->saved;
        saved.enters = true;
        return saved;
    }
    /// Of a round that pulls, in arcs.
    [[nodiscard]] RZ_HD std::uint64_t pull_work() const {
        return all_arcs + tuning::rank_passes * passing.view.vertex_count();
    }
    [[nodiscard]] RZ_HD double base_of(id_type v) const {
        return !passing.view.is_live(v) ? 0 : teleport != nullptr ? teleport[v] : 1;
    }
    /// The sum of residuals with which the bound is the tolerance, without rounding errors. The sums are
    /// rounded too, by far less than a thousandth.
    [[nodiscard]] RZ_HD double bounded_residual(progress const& now) const {
        return 0.999 * tolerance * (1 - passing.damping) * now.sum / 2;
    }
    /// The same with rounding errors, but at least half as much, so that it can be reached.
    [[nodiscard]] RZ_HD double allowed_residual(progress const& now) const {
        double const all = bounded_residual(now);
        double const rest = all - rounding_unit * now.rounded;
        return rest > all / 2 ? rest : all / 2;
    }
    /// Whether all that a vertex passes on is passed on for ever: it gets to vertices with arcs only. Weights
    /// of both arcs of an edge could differ.
    [[nodiscard]] RZ_HD bool keeps_sums() const { return !Weighted && passing.view.symmetric(); }
    /// What counts of a sum of residuals, given their sum with signs. With e = y - p as in
    /// maintained_rank_program, the distance of p / S to the ranks is at most (||e|| + |sum(e)|) / S, of
    /// which the second part is usually bounded by the first one. Where keeps_sums(), sum(e) is the sum with
    /// signs over 1 - damping, as vertices without arcs have no residuals.
    [[nodiscard]] RZ_HD double counted(double residual, double sum) const {
        double const of_sum = passing.magnitude(sum);
        return keeps_sums() && of_sum < residual ? (residual + of_sum) / 2 : residual;
    }
    /// Chooses how the next take_all shifts estimates, or the factor by which it scales them; returns whether
    /// that alone is worth a take_all.
    ///
    /// Where keeps_sums(), estimates plus x times the degrees have residuals less (1 - damping) * x times the
    /// degrees. So that their sum is 0, and nothing else changes. Otherwise see choose_scale().
    RZ_HD bool choose_shift(progress& now, double sum, double residual) const {
        now.scale = 1;
        now.shift = 0;
        if (!keeps_sums() || teleport != nullptr) return choose_scale(now, sum, residual);
        if (all_arcs == 0 || now.scales_no_more) return false;
        now.shift = sum / ((1 - passing.damping) * static_cast<double>(all_arcs));
        return 2 * passing.magnitude(sum) > residual;
    }
    /// Chooses the factor by which the next take_all scales the estimates; 1: none. Scaled by it, they have
    /// the residuals scale * r + (1 - scale) * (1 - damping) * t, whose sum is 0 if every vertex gives. That
    /// pays where most residuals have one sign: their sum would go down by the factor `damping` with each
    /// round. Rounding errors are scaled too. `sum`: of residuals with their signs, without those that no
    /// vertex gets.
    RZ_HD bool choose_scale(progress& now, double sum, double residual) const {
        double const base = (1 - passing.damping) * mass;
        bool const pays =
            !now.scales_no_more && 2 * passing.magnitude(sum) > residual && passing.magnitude(sum) < base / 2;
        now.scale = pays ? base / (base - sum) : 1;
        now.rounded *= now.scale;
        return pays;
    }
    template <class Thread>
    RZ_HD void keep_outflow(Thread const& thread, id_type v) const {
        if constexpr (Weighted) {
            double const outflow = passing.given[v];
            if (outflow != 0 && !divides_rank(outflow))
                (void)thread.device(state->refused_sums).fetch_add(std::uint64_t{1}, exec::order::relaxed);
            passing.arcs.kept[v] = outflow;
        } else {
            passing.arcs.kept[v] = static_cast<std::uint32_t>(passing.view.degree(v));
        }
    }
    /// Begins to compute the residual of v anew: writes what v gives.
    template <class Thread>
    RZ_HD void spread(Thread const& thread, id_type v, double& rounded_here) const {
        keep_outflow(thread, v);
        double const estimate = passing.view.is_live(v) ? passing.estimates[v] : 0;
        double const base = base_of(v);
        double const residual = (1 - passing.damping) * base - estimate;
        passing.estimates[v] = estimate;
        passing.residuals[v] = residual;
        passing.given[v] = passing.gives(v, estimate);
        rounded_here += base + passing.magnitude(residual) + (3 + row_depth) * passing.magnitude(estimate);
    }
};

} // namespace rhizome::algorithms::detail
