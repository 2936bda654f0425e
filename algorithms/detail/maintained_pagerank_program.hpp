// SPDX-License-Identifier: Apache-2.0
// The steps of an update of PageRank that follows a graph.
#pragma once

#include <rhizome/algorithms/detail/delta_rounds.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>
#include <rhizome/algorithms/detail/weight_checks.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
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

struct maintained_rank_outcome {
    std::uint32_t rounds;
    bool anew;          ///< residuals were computed anew
    std::uint64_t work; ///< arcs of changed rows, and changed arcs
    double error;       ///< bound of the L1 distance
    double rounded;     ///< see rounding_unit
    std::uint64_t refused_sources;
    std::uint64_t refused_weights;
    std::uint64_t refused_sums;
};

/// In the memory of the space; zero at the beginning.
struct maintained_rank_state {
    exec::grid_barrier barrier;
    delta_round ring[4];
    // One step adds to each of these, and only after this step they are read.
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
    settle,   ///< listed vertices get their new outflow; vertices that have gone lose all; then as collect
    list_all, ///< lists all vertices
    spread,   ///< begins to compute residuals anew: writes what each vertex gives
    push,     ///< listed vertices give to the vertices at their out-arcs
    pull,     ///< all vertices get from those at their in-arcs
    collect,  ///< lists the vertices whose residual is large; sums residuals and estimates
    take,     ///< listed vertices add their residuals to their estimates
    take_all, ///< all vertices do so; lists those with many in-arcs
    finish,   ///< writes ranks
};

/// Brings estimates and residuals of delta_rounds up to date with a graph, and passes residuals on until
/// their sum is small enough. The equation is that of delta_pagerank_program, but t is 1 for each live
/// vertex, so that a vertex that comes or goes changes its own residual only; or it is a teleport
/// distribution of sum 1.
///
/// If p are the estimates, y the solution and r the exact residuals, ||p - y|| <= ||r|| / (1 - damping), and
/// with S = sum(p) the distance of p / S to the ranks is at most 2 ||p - y|| / S, all in the L1 norm. r
/// differs from the kept residuals by rounding errors, whose bound is added.
///
/// If there are in-arcs, rounds are of two kinds. Where few arcs have much of the residual, vertices whose
/// residual per arc is far above the mean push it along. Else all vertices take their residuals, and each
/// pulls from its in-arcs: that takes less time per arc. So the ends of a new edge that nothing else
/// connects, whose residual shrinks by the damping alone, cost no passes over all arcs.
template <class View, bool Weighted, class Value>
struct maintained_rank_program {
    static constexpr std::uint32_t block_threads = 512;
    using shared = delta_sums;
    using id_type = typename View::id_type;
    using arcs_type = kept_arcs<View, Weighted>;
    using step_kind = maintained_rank_step;

    delta_rounds<View, arcs_type> passing;
    double tolerance;
    std::uint32_t max_rounds;
    double const* teleport; ///< nullptr: 1 for each live vertex
    double* ranks;
    std::uint64_t known;      ///< vertices that have estimates and residuals; 0: all begin with t
    std::uint64_t all_arcs;   ///< of the graph
    std::uint64_t push_cost;  ///< arcs of a pull that take as long as one of a push
    std::uint64_t round_work; ///< arcs of a pull that take as long as a round without arcs
    std::uint64_t limited;    ///< arcs and live vertices: the sum of all limit factors
    double mass;              ///< sum of t
    std::uint64_t most_work;  ///< for which residuals are corrected
    bool anew;                ///< residuals are computed anew in any case
    double rounded;           ///< of the kept residuals
    changed_weights<Value> changed[3];
    maintained_rank_state* state;
    maintained_rank_outcome* outcome;

    struct progress : delta_progress {
        step_kind kind;
        bool anew;
        std::uint64_t work;
        double share;    ///< of the limit that applies at first
        double scale;    ///< take_all: of the estimates
        double residual; ///< the sum, when it was last known
        double before;   ///< take_all: the sum of residuals
        double rounded;  ///< see rounding_unit
        double sum;      ///< of the estimates
        double error;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == step_kind::none) {
            now.kind = step_kind::adjust;
            now.share = 1;
            now.before = 1e300; // no take_all yet
            now.rounded = rounded;
            now.sum = mass;
            set_limit(now, allowed_residual(now));
            return true;
        }
        ++now.number;
        delta_round const& left = passing.ring[now.number % 4];
        now.rounded += left.sums[of_rounding];
        switch (now.kind) {
        case step_kind::adjust:
            if (state->refused_sources != 0) return false;
            if (anew)
                begin_anew(now);
            else
                now.kind = changed_edges() != 0 ? step_kind::list : step_kind::settle;
            return true;
        case step_kind::list:
            now.go_to(left);
            now.work = left.arcs + changed_edges() * (passing.view.symmetric() ? 2 : 1);
            if (now.work > most_work)
                begin_anew(now);
            else
                now.kind = Weighted ? step_kind::weigh : step_kind::correct;
            return true;
        case step_kind::list_all:
            now.go_to(left);
            now.kind = step_kind::weigh;
            return true;
        case step_kind::weigh:
            if (state->refused_weights != 0) return false;
            if (now.anew)
                begin_spread(now);
            else
                now.kind = step_kind::correct;
            return true;
        case step_kind::correct:
            now.kind = step_kind::settle;
            return true;
        case step_kind::spread:
            if (state->refused_sums != 0) return false;
            now.go_to(left);
            now.settles = true;
            now.kind = pulls() ? step_kind::pull : step_kind::push;
            return true;
        case step_kind::take:
            now.count_round();
            now.settles = now.frontier.arcs > passing.view.vertex_count() / tuning::rank_settle_share ||
                          now.rounds % tuning::rank_look_rounds == 0 ||
                          (pulls() && !pays(now, left.sums[of_listed], now.frontier.arcs));
            now.kind = step_kind::push;
            return true;
        case step_kind::take_all:
            now.go_to(left);
            ++now.rounds;
            now.kind = step_kind::pull;
            return true;
        case step_kind::push:
            if (now.settles || left.vertices() == 0 || now.rounds >= max_rounds) {
                now.kind = step_kind::collect;
            } else {
                now.go_to(left);
                now.kind = step_kind::take;
            }
            return true;
        case step_kind::pull:
            now.kind = step_kind::collect;
            return true;
        case step_kind::settle:
            if (state->refused_sums != 0) return false;
            [[fallthrough]];
        case step_kind::collect:
            look_at(now, left);
            return true;
        default:
            return false;
        }
    }

    RZ_HD void finish(progress const& now) const {
        *outcome = {now.rounds,
                    now.anew,
                    now.work,
                    now.error,
                    now.rounded,
                    state->refused_sources,
                    state->refused_weights,
                    state->refused_sums};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case step_kind::list:
            return changed_edges();
        case step_kind::take:
            return now.frontier.vertices();
        case step_kind::weigh:
        case step_kind::push:
            return now.frontier.arcs;
        case step_kind::correct:
            return now.work;
        case step_kind::pull:
            return all_arcs;
        default:
            return passing.view.vertex_count();
        }
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        delta_round& left = passing.ring[(now.number + 1) % 4];
        if (thread.rank() == 0) passing.ring[(now.number + 2) % 4] = {};
        double sums[5] = {};
        std::uint64_t arcs = 0;
        switch (now.kind) {
        case step_kind::list:
            arcs = list_changed(thread, now, left);
            break;
        case step_kind::weigh:
            weigh(thread, now);
            break;
        case step_kind::correct:
            correct(thread, now, sums[of_rounding]);
            break;
        case step_kind::take:
            passing.for_each_listed(thread, now, [&](id_type v) {
                sums[of_listed] += passing.magnitude(passing.residuals[v]);
                sums[of_rounding] += passing.take(v);
            });
            break;
        case step_kind::push:
            arcs = passing.push(thread, now, left, sums[of_rounding]);
            break;
        case step_kind::pull:
            pull(thread, now, sums[of_rounding]);
            break;
        default:
            if (now.kind == step_kind::settle)
                passing.for_each_listed(thread, now, [&](id_type v) { keep_outflow(thread, v); });
            exec::for_each_item(thread, passing.view.vertex_count(), [&](std::uint64_t i) {
                arcs += visit(thread, now, static_cast<id_type>(i), left, sums);
            });
        }
        passing.leave(thread, left, sums, arcs);
    }

private:
    /// What steps sum: magnitudes of residuals, estimates, the bound of rounding errors, residuals with
    /// their signs, and magnitudes of those of listed vertices.
    enum sum_index : std::uint32_t { of_residuals, of_estimates, of_rounding, of_signed, of_listed };
    static constexpr std::uint32_t listed_as_changed = ~std::uint32_t{0}; ///< in `rounds`
    /// Additions through which a term passes in the sum of a light row, at most.
    static constexpr double light_depth = graph::tuning::light_degree + 4;

    [[nodiscard]] RZ_HD std::uint64_t changed_edges() const {
        return changed[0].count + changed[1].count + changed[2].count;
    }
    [[nodiscard]] RZ_HD bool pulls() const { return passing.view.has_in_arcs(); }
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
    RZ_HD void set_limit(progress& now, double allowed) const {
        now.limit = tuning::rank_limit_factor * now.share * allowed / static_cast<double>(limited);
    }
    RZ_HD void begin_anew(progress& now) const {
        now.anew = true;
        if constexpr (Weighted)
            now.kind = step_kind::list_all;
        else
            begin_spread(now);
    }
    RZ_HD void begin_spread(progress& now) const {
        now.rounded = 0;
        now.kind = step_kind::spread;
    }
    /// Whether vertices with a sum of residuals of `listed`, which push along so many arcs, pass on more for
    /// that work than a pull does, which passes on all.
    [[nodiscard]] RZ_HD bool pays(progress const& now, double listed, std::uint64_t arcs) const {
        std::uint64_t const pull_work = all_arcs + tuning::rank_passes * passing.view.vertex_count();
        return listed * static_cast<double>(pull_work + round_work) >=
               now.residual * static_cast<double>(arcs * push_cost + round_work);
    }
    /// What comes after a step that summed residuals and estimates and listed vertices.
    RZ_HD void look_at(progress& now, delta_round const& left) const {
        double const residual = left.sums[of_residuals];
        now.sum = left.sums[of_estimates];
        double const allowed = allowed_residual(now);
        double const distance = residual + rounding_unit * now.rounded;
        // Estimates that do not sum to more than 0 say nothing.
        now.error = now.sum > 0 ? 2 * 1.0005 * distance / ((1 - passing.damping) * now.sum) : 2;
        if (!now.anew && rounding_unit * now.rounded > tuning::rank_rounding_share * bounded_residual(now)) {
            begin_anew(now);
            return;
        }
        if (residual <= allowed || now.rounds >= max_rounds) {
            now.kind = step_kind::finish;
            return;
        }
        now.go_to(left);
        if (!pulls()) {
            // Listed vertices have less residual than is too much.
            bool const few = left.vertices() == 0 || left.sums[of_listed] < residual - allowed;
            now.kind = !few ? step_kind::take : now.share < 0.001 ? step_kind::finish : step_kind::collect;
            if (few) now.share /= 2;
            set_limit(now, allowed);
            return;
        }
        // A dense round shrinks the sum of residuals at least by the damping, which may be near 1. One that
        // leaves as much as it found is at the limit of rounding.
        bool const stalled = now.scale == 1 && residual >= now.before;
        now.before = 1e300;
        if (stalled) {
            now.kind = step_kind::finish;
            return;
        }
        // Pushes along arcs with so many times the mean residual cost as much per residual as a pull.
        now.residual = residual;
        double const pays_from = static_cast<double>(push_cost) * residual / static_cast<double>(limited);
        bool const pushes = left.vertices() != 0 && pays(now, left.sums[of_listed], left.arcs);
        bool const other_limit = now.limit > 2 * pays_from || now.limit < pays_from / 2;
        now.limit = pays_from;
        now.kind = pushes ? step_kind::take : other_limit ? step_kind::collect : step_kind::take_all;
        if (now.kind != step_kind::take_all) return;
        now.before = residual;
        // Scaled by `scale`, the estimates have the residuals scale * r + (1 - scale) * (1 - damping) * t,
        // whose sum is 0. It pays where most residuals have one sign: their sum would go down by the factor
        // `damping` with each round. Rounding errors are scaled too, so those from before this update only by
        // a little.
        double const sum = left.sums[of_signed];
        double const base = (1 - passing.damping) * mass;
        double const most = now.anew ? base / 2 : base / 100;
        bool const pays = 2 * passing.magnitude(sum) > residual && passing.magnitude(sum) < most;
        now.scale = pays ? base / (base - sum) : 1;
        now.rounded *= now.scale;
    }

    /// A step of each vertex by itself. Returns the arcs of those that it lists.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t visit(Thread const& thread, progress const& now, id_type v,
                                            delta_round& left, double (&sums)[5]) const {
        switch (now.kind) {
        case step_kind::adjust:
            adjust(thread, v, sums[of_rounding]);
            return 0;
        case step_kind::list_all:
            passing.given[v] = 0; // weigh adds the outflow
            return passing.put(thread, now, v, passing.view.degree(v), left);
        case step_kind::spread:
            return spread(thread, now, v, left, sums[of_rounding]);
        case step_kind::take_all: {
            double const base = (1 - now.scale) * (1 - passing.damping) * base_of(v);
            double const residual = now.scale * passing.residuals[v] + base;
            passing.estimates[v] *= now.scale;
            passing.residuals[v] = residual;
            sums[of_rounding] += 2 * passing.magnitude(passing.estimates[v]) + 3 * passing.magnitude(base) +
                                 (3 + light_depth) * passing.magnitude(residual) + passing.take(v);
            return put_if_long(thread, now, v, left);
        }
        case step_kind::settle:
            if (!passing.view.is_live(v)) {
                passing.estimates[v] = 0;
                passing.residuals[v] = 0;
            }
            [[fallthrough]];
        case step_kind::collect: {
            double const residual = passing.magnitude(passing.residuals[v]);
            sums[of_residuals] += residual;
            sums[of_signed] += passing.residuals[v];
            sums[of_estimates] += passing.estimates[v];
            if (residual <= now.limit || residual <= passing.limit_of(now.limit, v)) return 0;
            sums[of_listed] += residual;
            return passing.put(thread, now, v, passing.view.degree(v), left);
        }
        default:
            ranks[v] = passing.estimates[v] / now.sum;
            return 0;
        }
    }
    template <class Thread>
    RZ_HD void adjust(Thread const& thread, id_type v, double& rounded_here) const {
        passing.rounds[v] = 0;
        double const base = base_of(v);
        if (teleport != nullptr && teleport[v] != 0 && base == 0)
            (void)thread.device(state->refused_sources).fetch_add(std::uint64_t{1}, exec::order::relaxed);
        if (v >= known) {
            passing.estimates[v] = known == 0 ? base : 0;
            passing.residuals[v] = 0;
            passing.arcs.kept[v] = 0;
        }
        // An erased vertex has neither an estimate nor a residual; this one has come back.
        if (base == 0 || passing.estimates[v] != 0 || passing.residuals[v] != 0) return;
        passing.residuals[v] = (1 - passing.damping) * base;
        rounded_here += base;
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
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t spread(Thread const& thread, progress const& now, id_type v,
                                             delta_round& left, double& rounded_here) const {
        keep_outflow(thread, v);
        double const estimate = passing.view.is_live(v) ? passing.estimates[v] : 0;
        double const base = base_of(v);
        double const residual = (1 - passing.damping) * base - estimate;
        passing.estimates[v] = estimate;
        passing.residuals[v] = residual;
        passing.given[v] = passing.gives(v, estimate);
        rounded_here += base + passing.magnitude(residual) + (3 + light_depth) * passing.magnitude(estimate);
        if (pulls()) return put_if_long(thread, now, v, left);
        return passing.given[v] != 0 ? passing.put(thread, now, v, passing.view.degree(v), left) : 0;
    }
    /// Lists v if its row of in-arcs is not light.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t put_if_long(Thread const& thread, progress const& now, id_type v,
                                                  delta_round& left) const {
        std::uint64_t const size = passing.view.in_neighbours(v).size();
        return graph::is_light_row(size) ? 0 : passing.put(thread, now, v, size, left);
    }

    /// Calls function(source, target, weight before, weight after) for this thread's share of changed arcs.
    template <class Thread, class Function>
    RZ_HD void for_each_changed_arc(Thread const& thread, Function const& function) const {
        for (changed_weights<Value> const& list : changed)
            exec::for_each_item(thread, list.count, [&](std::uint64_t i) {
                graph::edge const edge = list.edges[i];
                double const before = list.weight_before(i);
                double const after = list.weight_after(i);
                function(edge.source, edge.target, before, after);
                if (passing.view.symmetric() && edge.source != edge.target)
                    function(edge.target, edge.source, before, after);
            });
    }
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t list_changed(Thread const& thread, progress const& now,
                                                   delta_round& left) const {
        std::uint64_t arcs_of_listed = 0;
        for_each_changed_arc(thread, [&](id_type source, id_type, double, double) {
            // relaxed: of the threads that exchange, one lists the vertex; a barrier follows
            auto const mark = thread.device(passing.rounds[source]);
            if (mark.load(exec::order::relaxed) == listed_as_changed ||
                mark.exchange(listed_as_changed, exec::order::relaxed) == listed_as_changed)
                return;
            passing.given[source] = 0; // weigh adds the outflow
            arcs_of_listed += passing.put(thread, now, source, passing.view.degree(source), left);
        });
        return arcs_of_listed;
    }
    template <class Thread>
    RZ_HD void weigh(Thread const& thread, progress const& now) const {
        std::uint64_t refused = 0;
        passing.for_each_listed_row(
            thread, now, [&](auto const& group, id_type v, std::uint64_t first, std::uint64_t last) {
                double sum = 0;
                passing.arcs.for_each(passing.view, group, v, first, last, [&](id_type, double weight) {
                    bool const good = is_rank_weight(weight);
                    refused += good ? 0 : 1;
                    sum += good ? weight : 0;
                });
                if (sum != 0) (void)thread.device(passing.given[v]).fetch_add(sum, exec::order::relaxed);
            });
        if (refused != 0)
            (void)thread.device(state->refused_weights).fetch_add(refused, exec::order::relaxed);
    }
    [[nodiscard]] static RZ_HD double inverse(double outflow) { return outflow > 0 ? 1 / outflow : 0; }

    /// An arc of u that weighs w gave d * p(u) * w / (outflow of u before) and gives as much of the outflow
    /// after. The difference is added for arcs that there are; changed arcs then lack (their weight after -
    /// that before) * d * p(u) / (outflow before).
    template <class Thread>
    RZ_HD void correct(Thread const& thread, progress const& now, double& rounded_here) const {
        auto const add = [&](id_type id, double amount, double made_of) {
            double const before =
                thread.device(passing.residuals[id]).fetch_add(amount, exec::order::relaxed);
            rounded_here += passing.magnitude(before + amount) + 5 * made_of;
        };
        passing.for_each_listed_row(
            thread, now, [&](auto const& group, id_type v, std::uint64_t first, std::uint64_t last) {
                double after = 0;
                if constexpr (Weighted)
                    after = inverse(passing.given[v]);
                else
                    after = inverse(static_cast<double>(passing.view.degree(v)));
                double const before = inverse(passing.arcs.outflow(passing.view, v));
                double const estimate = passing.damping * passing.estimates[v];
                double const change = estimate * (after - before);
                double const made_of = passing.magnitude(estimate) * (after + before);
                passing.arcs.for_each(passing.view, group, v, first, last, [&](id_type id, double weight) {
                    add(id, change * weight, made_of * weight);
                });
            });
        for_each_changed_arc(thread, [&](id_type source, id_type target, double before, double after) {
            double const change = passing.damping * passing.estimates[source] *
                                  inverse(passing.arcs.outflow(passing.view, source));
            add(target, change * (after - before), passing.magnitude(change) * (after + before));
        });
    }

    template <class Thread>
    RZ_HD void pull(Thread const& thread, progress const& now, double& rounded_here) const {
        auto const& view = passing.view;
        double const* const given = passing.given;
        auto const warp = thread.warp();
        passing.for_each_long_row(
            thread, now, [&](id_type v) { return std::uint64_t{view.in_neighbours(v).size()}; },
            [&](auto const& block, id_type v, std::uint64_t first, std::uint64_t last) {
                double sum = 0;
                passing.arcs.for_each_in(view, block, v, first, last, [&](id_type id, double weight) {
                    sum += given[id] * weight;
                    rounded_here += passing.magnitude(sum);
                });
                rounded_here += 5 * passing.magnitude(sum); // in the sum of a warp
                double const of_warp = warp.sum(sum);
                if (warp.rank() != 0) return;
                double const before =
                    thread.device(passing.residuals[v]).fetch_add(of_warp, exec::order::relaxed);
                rounded_here += passing.magnitude(before + of_warp);
            });
        auto const tile = thread.tile(exec::width<graph::tuning::row_tile>);
        std::uint64_t const vertices = view.vertex_count();
        exec::for_each_group_item(tile, (vertices + tile.size() - 1) / tile.size(), [&](std::uint64_t group) {
            std::uint64_t const i = group * tile.size() + tile.rank();
            bool const exists = i < vertices;
            auto const v = static_cast<id_type>(i);
            auto const row = view.in_neighbours(exists ? v : 0);
            std::uint64_t const size = row.size();
            bool const own = exists && graph::is_light_row(size);
            double const sum = pull_light_row(tile, v, row, own ? static_cast<std::uint32_t>(size) : 0);
            if (!own || size == 0) return;
            double const residual = passing.residuals[v] + sum;
            passing.residuals[v] = residual;
            rounded_here += passing.magnitude(residual);
        });
    }
    /// What this lane's vertex v gets from its in-neighbours. All lanes of the tile take the rows of its
    /// lanes in turn.
    template <class Tile, class Row>
    [[nodiscard]] RZ_HD double pull_light_row(Tile const& tile, id_type v, Row const& row,
                                              std::uint32_t size) const {
        constexpr std::uint32_t lanes = Tile::prefers_runs ? 1 : graph::tuning::row_tile;
        if constexpr (Weighted) {
            double sums[lanes];
            for (std::uint32_t r = 0; r < tile.size(); ++r) {
                std::uint32_t const size_of = tile.shuffle(size, r);
                double sum = 0;
                if (size_of != 0)
                    passing.arcs.for_each_in(
                        passing.view, tile, v - tile.rank() + r, 0, size_of,
                        [&](id_type id, double weight) { sum += passing.given[id] * weight; });
                sums[r] = sum;
            }
            return sum_transposed<lanes>(tile, sums);
        } else {
            double const* const given = passing.given;
            return pull_own_row<lanes>(tile, graph::in_rows<View>{passing.view}, v, row, size, given);
        }
    }
};

} // namespace rhizome::algorithms::detail
