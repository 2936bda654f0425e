// SPDX-License-Identifier: Apache-2.0
// The steps of delta PageRank.
#pragma once

#include <rhizome/algorithms/detail/delta_rounds.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

struct delta_outcome {
    std::uint32_t rounds;
    std::uint64_t vertices;
    std::uint64_t arcs;
    double error;
};

/// In the memory of the space; zero at the beginning.
struct delta_state {
    exec::grid_barrier barrier;
    delta_round ring[4];
};

enum class delta_step : std::uint8_t {
    none,
    begin,   ///< writes first ranks; sums those of vertices without out-arcs, and all
    spread,  ///< estimates are scaled first ranks; lists all vertices
    push,    ///< residuals of the neighbours of listed vertices grow
    collect, ///< lists the vertices whose residual is large
    take,    ///< listed vertices add their residuals to their estimates
    measure, ///< sums residuals and estimates
    finish,  ///< estimates become ranks
};

/// Solves y = (1 - damping) * t + damping * transposed(P) * y, where row u of P has 1/outdegree(u) for each
/// arc; it is 0 for vertices without out-arcs. Ranks are y / sum(y): what vertices without out-arcs spread
/// goes to t, and only scales the solution.
template <class View>
struct delta_pagerank_program {
    static constexpr std::uint32_t block_threads = 512;
    using shared = delta_sums;
    using id_type = typename View::id_type;

    delta_rounds<View> passing;
    double tolerance;
    std::uint32_t max_rounds;
    double uniform; ///< 1 / live vertices
    double const* start;
    std::uint64_t start_count;
    double const* teleport; ///< nullptr: uniform
    delta_outcome* outcome;

    struct progress : delta_progress {
        delta_step kind;
        double scale; ///< begin: of the first ranks; finish: of the estimates
        double error;
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == delta_step::none) {
            now.kind = delta_step::begin;
            return true;
        }
        ++now.number;
        delta_round const& left = passing.ring[now.number % 4];
        switch (now.kind) {
        case delta_step::begin:
            now.kind = delta_step::spread;
            begin_from(now, left.sums[0], left.sums[1]);
            return true;
        case delta_step::spread:
            now.go_to(left);
            now.arcs += left.arcs;
            now.settles = true;
            now.kind = delta_step::push;
            return true;
        case delta_step::take:
            now.count_round();
            now.kind = delta_step::push;
            return true;
        case delta_step::push:
            if (now.settles) {
                now.settles = false;
                now.kind = delta_step::collect;
                return true;
            }
            [[fallthrough]];
        case delta_step::collect:
            now.go_to(left);
            now.kind =
                left.vertices() != 0 && now.rounds < max_rounds ? delta_step::take : delta_step::measure;
            return true;
        case delta_step::measure:
            now.error = 2 * left.sums[0] / ((1 - passing.damping) * left.sums[1]);
            if (now.error > tolerance && now.rounds < max_rounds) {
                now.limit /= 2; // the estimates sum to less than was expected
                now.kind = delta_step::collect;
            } else {
                now.scale = 1 / left.sums[1];
                now.kind = delta_step::finish;
            }
            return true;
        default:
            return false;
        }
    }

    RZ_HD void finish(progress const& now) const {
        *outcome = {now.rounds, now.vertices, now.arcs, now.error};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        return now.kind == delta_step::take   ? now.frontier.vertices()
               : now.kind == delta_step::push ? now.frontier.arcs
                                              : passing.view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        delta_round& left = passing.ring[(now.number + 1) % 4];
        if (thread.rank() == 0) passing.ring[(now.number + 2) % 4] = {};
        double sums[5] = {};
        std::uint64_t arcs = 0;
        switch (now.kind) {
        case delta_step::take:
            passing.for_each_listed(thread, now, [&](id_type v) { static_cast<void>(passing.take(v)); });
            return;
        case delta_step::push:
            arcs = passing.push(thread, now, left, sums[2], sums[0]);
            break;
        default:
            exec::for_each_item(thread, passing.view.vertex_count(), [&](std::uint64_t i) {
                arcs += visit(thread, now, static_cast<id_type>(i), left, sums);
            });
        }
        passing.leave(thread, left, sums, arcs);
    }

private:
    /// If first ranks of sum 1 solve the equation of ranks, so do they, scaled, that of estimates: to this
    /// end by the sum that the estimates have if `dangling` of `all` is at vertices without out-arcs.
    RZ_HD void begin_from(progress& now, double dangling, double all) const {
        double const damping = passing.damping;
        double const part = all > 0 ? dangling / all : 0;
        double const sum = (1 - damping) / (1 - damping + damping * part);
        now.limit = tolerance * (1 - damping) * sum * uniform / 2;
        now.scale = all > 0 ? sum / all : 0;
    }

    /// A step of each vertex by itself. Returns the arcs of those that it lists.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t visit(Thread const& thread, progress const& now, id_type v,
                                            delta_round& left, double (&sums)[5]) const {
        auto const& view = passing.view;
        double& residual = passing.residuals[v];
        switch (now.kind) {
        case delta_step::begin: {
            double const rank = !view.is_live(v)                      ? 0
                                : start != nullptr && v < start_count ? start[v]
                                                                      : uniform;
            passing.estimates[v] = rank;
            passing.rounds[v] = 0;
            sums[1] += rank;
            if (view.degree(v) == 0) sums[0] += rank;
            return 0;
        }
        case delta_step::spread: {
            double const estimate = passing.estimates[v] * now.scale;
            double const base = teleport != nullptr ? teleport[v] : view.is_live(v) ? uniform : 0;
            passing.estimates[v] = estimate;
            residual = (1 - passing.damping) * base - estimate;
            std::uint64_t const degree = view.degree(v);
            if (degree == 0 || estimate == 0) return 0;
            passing.given[v] = passing.gives(v, estimate);
            return passing.put(thread, now, v, degree, left);
        }
        case delta_step::collect:
            return passing.magnitude(residual) > passing.limit_of(now.limit, v)
                       ? passing.put(thread, now, v, view.degree(v), left)
                       : 0;
        case delta_step::measure:
            sums[0] += passing.magnitude(residual);
            sums[1] += passing.estimates[v];
            return 0;
        default:
            passing.estimates[v] *= now.scale;
            return 0;
        }
    }
};

} // namespace rhizome::algorithms::detail
