// SPDX-License-Identifier: Apache-2.0
// The steps of an update of PageRank that follows a graph.
#pragma once

#include <rhizome/algorithms/detail/maintained_rank_state.hpp>
#include <rhizome/algorithms/detail/weight_checks.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

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
/// residual per arc is far above the mean push it along. Else this program ends, and pulling_rank_program
/// goes on: all vertices take their residuals, and each pulls from its in-arcs, which takes less time per
/// arc. Rounds of either kind go on while they shrink the sum of residuals by more, for the time that they
/// take, than the other kind did last. So the ends of a new edge that nothing else connects, whose residual
/// shrinks by the damping alone, do not keep pushing.
template <class View, bool Weighted, class Value>
struct maintained_rank_program : maintained_rank_base<View, Weighted> {
    static constexpr std::uint32_t block_threads = 512;
    using base = maintained_rank_base<View, Weighted>;
    using base::mass, base::max_rounds, base::passing, base::state, base::teleport;
    using typename base::id_type;
    using typename base::progress;
    using typename base::step_kind;

    double* ranks;
    std::uint64_t known;      ///< vertices that have estimates and residuals; 0: all begin with t
    std::uint64_t push_cost;  ///< arcs of a pull that take as long as one of a push
    std::uint64_t round_work; ///< arcs of a pull that take as long as a round without arcs
    std::uint64_t limited;    ///< arcs and live vertices: the sum of all limit factors
    std::uint64_t most_work;  ///< for which residuals are corrected
    bool anew;                ///< residuals are computed anew in any case
    double rounded;           ///< of the kept residuals
    double kept_residual;     ///< their sum
    changed_weights<Value> changed[3];
    maintained_rank_outcome* outcome;

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.enters) {
            if (now.kind == step_kind::none) {
                now.kind = step_kind::adjust;
                now.share = 1;
                now.left = tuning::first_left;
                now.pushed_off = tuning::first_pushed_off;
                now.rounded = rounded;
                now.residual = kept_residual;
                now.sum = mass;
                set_limit(now, base::allowed_residual(now));
            } else if (now.kind == step_kind::pull) {
                look_at_pulled(now, passing.ring[now.number % 4]);
            } else {
                return false;
            }
            now.enters = false;
            return true;
        }
        ++now.number;
        delta_round const& left = passing.ring[now.number % 4];
        now.rounded += left.sums[of_rounding];
        if (state->refused(now.kind)) return false;
        move(now, left);
        return now.kind != step_kind::over && !pulls_next(now);
    }

    RZ_HD void finish(progress const& now) const {
        *outcome = {!pulls_next(now) || state->refuses(),
                    now.rounds,
                    now.anew,
                    now.work,
                    now.error,
                    now.rounded,
                    now.residual,
                    state->refused_sources,
                    state->refused_weights,
                    state->refused_sums};
        if (!now.enters) state->saved = now;
        state->pulling_barrier = {};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        switch (now.kind) {
        case step_kind::list:
            return changed_edges();
        case step_kind::keep:
        case step_kind::take:
            return now.frontier.vertices();
        case step_kind::weigh:
        case step_kind::push:
            return now.frontier.arcs;
        case step_kind::correct:
            return now.work;
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
            correct(thread, now, sums[of_rounding], sums[of_residuals]);
            break;
        case step_kind::keep:
            passing.for_each_listed(thread, now, [&](id_type v) {
                base::keep_outflow(thread, v);
                if (std::uint64_t const centre = star_of(v, passing.view.degree(v)); leads_star(v, centre))
                    solve_star(static_cast<id_type>(centre), sums);
            });
            break;
        case step_kind::take:
            passing.for_each_listed(thread, now, [&](id_type v) {
                sums[of_listed] += passing.magnitude(passing.residuals[v]);
                sums[of_rounding] += passing.take(v);
            });
            break;
        case step_kind::push:
            arcs = passing.push(thread, now, left, sums[of_rounding], sums[of_residuals]);
            break;
        default:
            exec::for_each_item(thread, passing.view.vertex_count(), [&](std::uint64_t i) {
                arcs += visit(thread, now, static_cast<id_type>(i), left, sums);
            });
        }
        passing.leave(thread, left, sums, arcs);
    }

private:
    static constexpr std::uint32_t listed_as_changed = ~std::uint32_t{0}; ///< in `rounds`

    /// The step after now.kind, which left `left`.
    RZ_HD void move(progress& now, delta_round const& left) const {
        switch (now.kind) {
        case step_kind::adjust:
            if (anew)
                begin_anew(now);
            else
                now.kind = changed_edges() != 0 ? step_kind::list : step_kind::settle;
            return;
        case step_kind::list:
            now.go_to(left);
            now.work = left.arcs + changed_edges() * (passing.view.symmetric() ? 2 : 1);
            if (now.work > most_work)
                begin_anew(now);
            else
                now.kind = Weighted ? step_kind::weigh : step_kind::correct;
            return;
        case step_kind::list_all:
            now.go_to(left);
            now.kind = step_kind::weigh;
            return;
        case step_kind::weigh:
            if (now.anew)
                begin_spread(now);
            else
                now.kind = step_kind::correct;
            return;
        case step_kind::correct:
            now.residual += left.sums[of_residuals];
            if (pulls()) now.limit = pays_from(now);
            now.kind = step_kind::keep;
            return;
        case step_kind::keep:
            now.kind = step_kind::settle;
            return;
        case step_kind::spread:
            now.go_to(left);
            now.settles = true;
            now.kind = step_kind::push;
            return;
        case step_kind::take:
            now.count_round();
            now.listed = left.sums[of_listed];
            now.settles = now.frontier.arcs > passing.view.vertex_count() / tuning::rank_settle_share ||
                          (!pulls() && now.rounds % tuning::rank_look_rounds == 0);
            now.kind = step_kind::push;
            return;
        case step_kind::push:
            if (ends_pushing(now, left)) {
                now.kind = step_kind::collect;
            } else {
                now.go_to(left);
                now.kind = step_kind::take;
            }
            return;
        case step_kind::settle:
        case step_kind::collect:
            look_at(now, left);
            return;
        default:
            now.kind = step_kind::over;
        }
    }
    [[nodiscard]] RZ_HD bool pulls_next(progress const& now) const {
        return now.kind == step_kind::take_all || (now.kind == step_kind::spread && pulls());
    }
    [[nodiscard]] RZ_HD bool ends_pushing(progress& now, delta_round const& left) const {
        double off = 0;
        if (pulls()) {
            // The sum of residuals loses what was taken, and changes by what was added.
            off = now.listed - left.sums[of_residuals];
            now.residual -= off;
            double const share = now.listed > 0 ? off / now.listed : 0;
            double const least = 1 - passing.damping; // if nothing was rounded
            now.pushed_off = share > least ? share : least;
        }
        if (now.settles || left.vertices() == 0 || now.rounds >= max_rounds) return true;
        // What the next push takes off is not known: as much as this one did.
        return pulls() && (now.residual <= base::allowed_residual(now) || !pays(now, off, now.frontier.arcs));
    }

    [[nodiscard]] RZ_HD std::uint64_t changed_edges() const {
        return changed[0].count + changed[1].count + changed[2].count;
    }
    [[nodiscard]] RZ_HD bool pulls() const { return passing.view.has_in_arcs(); }
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
        now.residual = 0; // unknown
        now.scale = 1;
        now.shift = 0;
        now.stalled = false;
        now.kind = step_kind::spread;
    }
    /// Whether a push along so many arcs, which takes `off` from the sum of residuals, takes more for its
    /// work than a pull.
    [[nodiscard]] RZ_HD bool pays(progress const& now, double off, std::uint64_t arcs) const {
        return off * static_cast<double>(base::pull_work()) >=
               (1 - now.left) * now.residual * static_cast<double>(arcs * push_cost + round_work);
    }
    /// Pushes along arcs with more residual than this take as much for their work as a pull.
    [[nodiscard]] RZ_HD double pays_from(progress const& now) const {
        return (1 - now.left) / now.pushed_off * static_cast<double>(push_cost) * now.residual /
               static_cast<double>(limited);
    }
    /// What comes after a step that summed residuals and estimates and listed vertices.
    RZ_HD void look_at(progress& now, delta_round const& left) const {
        double const residual = left.sums[of_residuals];
        now.residual = residual;
        now.sum = left.sums[of_estimates];
        double const allowed = base::allowed_residual(now);
        double const counted = base::counted(residual, left.sums[of_signed]);
        double const distance = counted + rounding_unit * now.rounded;
        // Estimates that do not sum to more than 0 say nothing.
        now.error = now.sum > 0 ? 2 * 1.0005 * distance / ((1 - passing.damping) * now.sum) : 2;
        if (!now.anew &&
            rounding_unit * now.rounded > tuning::rank_rounding_share * base::bounded_residual(now)) {
            begin_anew(now);
            return;
        }
        if (counted <= allowed || now.rounds >= max_rounds || now.stalled) {
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
        double const limit = pays_from(now);
        bool const pushes =
            left.vertices() != 0 && pays(now, now.pushed_off * left.sums[of_listed], left.arcs);
        bool const other_limit = now.limit > 2 * limit || now.limit < limit / 2;
        now.limit = limit;
        now.kind = pushes ? step_kind::take : other_limit ? step_kind::collect : step_kind::take_all;
        if (now.kind == step_kind::take) now.patience = 0;
        if (now.kind != step_kind::take_all) return;
        bool const scales = base::choose_shift(now, left.sums[of_signed], residual);
        // Looks in vain become rare.
        now.patience = scales || now.patience == 0 ? 1 : now.patience < 64 ? 4 * now.patience : 64;
    }
    /// What comes after rounds that pulled, and listed no vertices.
    RZ_HD void look_at_pulled(progress& now, delta_round const& left) const {
        progress last = now;
        look_at(last, left);
        now.kind = step_kind::collect;
        now.limit = pays_from(now);
        if (last.kind == step_kind::finish) now = last;
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
            base::spread(thread, v, sums[of_rounding]);
            return passing.given[v] != 0 ? passing.put(thread, now, v, passing.view.degree(v), left) : 0;
        case step_kind::settle:
            if (!passing.view.is_live(v)) {
                passing.estimates[v] = 0;
                passing.residuals[v] = 0;
            }
            [[fallthrough]];
        case step_kind::collect: {
            std::uint64_t const degree = passing.view.degree(v);
            if (degree == 0) { // gives nothing
                absorb(v, sums);
                return 0;
            }
            if (now.anew)
                if (std::uint64_t const centre = star_of(v, degree); centre < passing.view.vertex_count()) {
                    if (centre == v) solve_star(v, sums);
                    return 0;
                }
            double const residual = passing.magnitude(passing.residuals[v]);
            sums[of_residuals] += residual;
            sums[of_signed] += passing.residuals[v];
            sums[of_estimates] += passing.estimates[v];
            if (residual <= now.limit || residual <= passing.limit_of(now.limit, v)) return 0;
            sums[of_listed] += residual;
            return passing.put(thread, now, v, degree, left);
        }
        default:
            ranks[v] = passing.estimates[v] / now.sum;
            return 0;
        }
    }
    RZ_HD void absorb(id_type v, double (&sums)[5]) const {
        double estimate = passing.estimates[v];
        if (double const residual = passing.residuals[v]; residual != 0) {
            estimate += residual;
            passing.estimates[v] = estimate;
            passing.residuals[v] = 0;
            sums[of_rounding] += 2 * passing.magnitude(estimate);
        }
        sums[of_estimates] += estimate;
    }
    /// The centre of the star of v: it gives to at most tuning::star_leaves vertices, leaves, each of which
    /// gives to it alone. view.vertex_count(): v is in no star. Stars would pass their residuals to and fro,
    /// of which each round takes but the share 1 - damping.
    [[nodiscard]] RZ_HD std::uint64_t star_of(id_type v, std::uint64_t degree) const {
        std::uint64_t const none = passing.view.vertex_count();
        if (Weighted || degree == 0 || degree > tuning::star_leaves) return none; // weights may be 0
        id_type centre = v;
        if (degree == 1) {
            centre = only_neighbour_of(v);
            if (centre == v) return none;
            // A pair has two centres.
            if (only_neighbour_of(centre) == v) return v < centre ? v : centre;
            if (passing.view.degree(centre) > tuning::star_leaves) return none;
        }
        bool is_star = true;
        bool has_v = centre == v;
        for_each_leaf(centre, [&](id_type leaf) {
            is_star = is_star && leaf != centre && only_neighbour_of(leaf) == centre;
            has_v = has_v || leaf == v;
        });
        return is_star && has_v ? centre : none;
    }
    /// Whether v is the first vertex of its star that is a source of changed arcs. Other stars of an
    /// undirected graph are as they were, and solved.
    [[nodiscard]] RZ_HD bool leads_star(id_type v, std::uint64_t centre) const {
        if (centre == passing.view.vertex_count()) return false;
        auto const is_before = [&](id_type id) { return id < v && passing.rounds[id] == listed_as_changed; };
        bool leads = !is_before(static_cast<id_type>(centre));
        for_each_leaf(static_cast<id_type>(centre), [&](id_type leaf) { leads = leads && !is_before(leaf); });
        return leads;
    }
    template <class Function>
    RZ_HD void for_each_leaf(id_type centre, Function const& function) const {
        passing.view.neighbours(centre).for_each(lane_group(0, 1), 0, passing.view.degree(centre),
                                                 [&](std::uint64_t, id_type id) { function(id); });
    }
    /// v itself if there are none or several.
    [[nodiscard]] RZ_HD id_type only_neighbour_of(id_type v) const {
        id_type other = v;
        if (passing.view.degree(v) == 1) for_each_leaf(v, [&](id_type id) { other = id; });
        return other;
    }
    /// Solves the equations of a star.
    RZ_HD void solve_star(id_type centre, double (&sums)[5]) const {
        double const damping = passing.damping;
        double const own = passing.residuals[centre];
        double of_leaves = 0;
        double magnitudes = passing.magnitude(own);
        for_each_leaf(centre, [&](id_type leaf) {
            of_leaves += passing.residuals[leaf];
            magnitudes += passing.magnitude(passing.residuals[leaf]);
        });
        auto const leaves = static_cast<double>(passing.view.degree(centre));
        double const share = 1 / ((1 - damping) * (1 + damping));
        double const taken = (own + damping * of_leaves) * share;
        if (magnitudes != 0) {
            passing.estimates[centre] += taken;
            passing.residuals[centre] = 0;
            sums[of_rounding] +=
                2 * passing.magnitude(passing.estimates[centre]) + (leaves + 10) * share * magnitudes;
        }
        sums[of_estimates] += passing.estimates[centre];
        for_each_leaf(centre, [&](id_type leaf) {
            if (magnitudes != 0) {
                passing.estimates[leaf] += passing.residuals[leaf] + damping * taken / leaves;
                passing.residuals[leaf] = 0;
                sums[of_rounding] += 2 * passing.magnitude(passing.estimates[leaf]);
            }
            sums[of_estimates] += passing.estimates[leaf];
        });
    }
    template <class Thread>
    RZ_HD void adjust(Thread const& thread, id_type v, double& rounded_here) const {
        passing.rounds[v] = 0;
        double const own = base::base_of(v);
        if (teleport != nullptr && teleport[v] != 0 && own == 0)
            (void)thread.device(state->refused_sources).fetch_add(std::uint64_t{1}, exec::order::relaxed);
        if (v >= known) {
            passing.estimates[v] = known == 0 ? own : 0;
            passing.residuals[v] = 0;
            passing.arcs.kept[v] = 0;
        }
        // An erased vertex has neither an estimate nor a residual; this one has come back.
        if (own == 0 || passing.estimates[v] != 0 || passing.residuals[v] != 0) return;
        passing.residuals[v] = (1 - passing.damping) * own;
        rounded_here += own;
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
    RZ_HD void correct(Thread const& thread, progress const& now, double& rounded_here, double& grown) const {
        auto const add = [&](id_type id, double amount, double made_of) {
            double const before =
                thread.device(passing.residuals[id]).fetch_add(amount, exec::order::relaxed);
            rounded_here += passing.magnitude(before + amount) + 5 * made_of;
            grown += passing.magnitude(before + amount) - passing.magnitude(before);
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
};

} // namespace rhizome::algorithms::detail
