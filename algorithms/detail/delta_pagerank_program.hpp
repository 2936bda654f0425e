// SPDX-License-Identifier: Apache-2.0
// The steps of delta PageRank.
#pragma once

#include <rhizome/algorithms/detail/lane_groups.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/grid_barrier.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/types.hpp>

#include <cstdint>

namespace rhizome::algorithms::detail {

/// What a step leaves to the next one, added to by all threads.
struct delta_round {
    std::uint32_t listed[2]; ///< vertices of the next frontier: with light and with heavy rows
    std::uint64_t arcs;      ///< of these vertices
    double sums[2];

    enum : std::uint32_t { light, heavy };
    [[nodiscard]] RZ_HD std::uint64_t vertices() const {
        return std::uint64_t{listed[light]} + listed[heavy];
    }
};

struct delta_outcome {
    std::uint32_t rounds;
    std::uint64_t vertices;
    std::uint64_t arcs;
    double error;
};

/// In the memory of the space; zero at the beginning.
struct delta_state {
    exec::grid_barrier barrier;
    /// Step i reads ring[i % 4], adds to ring[(i + 1) % 4] and clears ring[(i + 2) % 4].
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
/// goes to t, and only scales the solution. Invariant after each push, apart from rounding: residual = (1 -
/// damping) * t + damping * transposed(P) * estimate - estimate.
template <class View>
struct delta_pagerank_program {
    static constexpr std::uint32_t block_threads = 512;
    using id_type = typename View::id_type;

    View view;
    double damping;
    double tolerance;
    std::uint32_t max_rounds;
    double uniform; ///< 1 / live vertices
    double const* start;
    std::uint64_t start_count;
    double const* teleport; ///< nullptr: uniform
    double* estimates;
    double* residuals;
    double* given;         ///< what listed vertices give to each neighbour
    std::uint32_t* rounds; ///< in which a vertex was listed last
    id_type* lists;        ///< 2 per vertex
    delta_state* state;
    delta_outcome* outcome;

    struct progress {
        std::uint64_t number;
        delta_step kind;
        bool settles; ///< the push is followed by collect
        std::uint32_t rounds;
        std::uint32_t parity; ///< which list holds the frontier
        double limit;         ///< larger residuals are pushed
        double scale;         ///< begin: of the first ranks; finish: of the estimates
        double error;
        delta_round frontier;
        std::uint64_t vertices; ///< that were taken
        std::uint64_t arcs;     ///< that were pushed along
    };

    [[nodiscard]] RZ_HD progress begin() const { return {}; }

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.kind == delta_step::none) {
            now.kind = delta_step::begin;
            return true;
        }
        ++now.number;
        delta_round const& left = state->ring[now.number % 4];
        switch (now.kind) {
        case delta_step::begin:
            now.kind = delta_step::spread;
            begin_from(now, left.sums[0], left.sums[1]);
            return true;
        case delta_step::spread:
            now.frontier = left;
            now.parity = 1;
            now.arcs += left.arcs;
            now.settles = true;
            now.kind = delta_step::push;
            return true;
        case delta_step::take:
            now.arcs += now.frontier.arcs;
            now.vertices += now.frontier.vertices();
            ++now.rounds;
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
            now.frontier = left;
            now.parity = 1 - now.parity;
            now.kind =
                left.vertices() != 0 && now.rounds < max_rounds ? delta_step::take : delta_step::measure;
            return true;
        case delta_step::measure:
            now.error = 2 * left.sums[0] / ((1 - damping) * left.sums[1]);
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
                                              : view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        delta_round& left = state->ring[(now.number + 1) % 4];
        if (thread.rank() == 0) state->ring[(now.number + 2) % 4] = {};
        double sums[2] = {0, 0};
        std::uint64_t arcs = 0;
        switch (now.kind) {
        case delta_step::take:
            take(thread, now);
            return;
        case delta_step::push:
            arcs = push(thread, now, left);
            break;
        default:
            exec::for_each_item(thread, view.vertex_count(), [&](std::uint64_t i) {
                arcs += visit(thread, now, static_cast<id_type>(i), left, sums);
            });
        }
        auto const warp = thread.warp();
        for (int i = 0; i < 2; ++i) {
            double const sum = warp.sum(sums[i]);
            // relaxed, as in add_to_total: sums that are read behind the barrier
            if (warp.rank() == 0 && sum != 0)
                thread.device(left.sums[i]).fetch_add(sum, exec::order::relaxed);
        }
        exec::add_to_total(thread, left.arcs, arcs);
    }

private:
    /// If first ranks of sum 1 solve the equation of ranks, so do they, scaled, that of estimates: to this
    /// end by the sum that the estimates have if `dangling` of `all` is at vertices without out-arcs.
    RZ_HD void begin_from(progress& now, double dangling, double all) const {
        double const part = all > 0 ? dangling / all : 0;
        double const sum = (1 - damping) / (1 - damping + damping * part);
        now.limit = tolerance * (1 - damping) * sum * uniform / 2;
        now.scale = all > 0 ? sum / all : 0;
    }

    [[nodiscard]] static RZ_HD double magnitude(double value) { return value < 0 ? -value : value; }
    /// Light rows from the beginning, heavy ones from the end.
    [[nodiscard]] RZ_HD id_type* list_of(std::uint32_t parity) const {
        return lists + parity * view.vertex_count();
    }
    [[nodiscard]] RZ_HD id_type listed(progress const& now, std::uint32_t kind, std::uint64_t i) const {
        return list_of(now.parity)[kind == delta_round::light ? i : view.vertex_count() - 1 - i];
    }

    /// Puts v into the list for the next step. Returns the length of its row.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t put(Thread const& thread, progress const& now, id_type v,
                                          delta_round& left) const {
        std::uint64_t const degree = view.degree(v);
        std::uint32_t const kind = degree <= tuning::light_degree ? delta_round::light : delta_round::heavy;
        std::uint64_t const place =
            take_place(thread, left.listed, kind, [&](auto& word) { return thread.device(word); });
        list_of(1 - now.parity)[kind == delta_round::light ? place : view.vertex_count() - 1 - place] = v;
        return degree;
    }

    /// A step of each vertex by itself. Returns the arcs of those that it lists.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t visit(Thread const& thread, progress const& now, id_type v,
                                            delta_round& left, double (&sums)[2]) const {
        switch (now.kind) {
        case delta_step::begin: {
            double const rank = !view.is_live(v)                      ? 0
                                : start != nullptr && v < start_count ? start[v]
                                                                      : uniform;
            estimates[v] = rank;
            rounds[v] = 0;
            sums[1] += rank;
            if (view.degree(v) == 0) sums[0] += rank;
            return 0;
        }
        case delta_step::spread: {
            double const estimate = estimates[v] * now.scale;
            double const base = teleport != nullptr ? teleport[v] : view.is_live(v) ? uniform : 0;
            estimates[v] = estimate;
            residuals[v] = (1 - damping) * base - estimate;
            std::uint64_t const degree = view.degree(v);
            if (degree == 0 || estimate == 0) return 0;
            given[v] = damping * estimate / static_cast<double>(degree);
            return put(thread, now, v, left);
        }
        case delta_step::collect:
            return magnitude(residuals[v]) > now.limit ? put(thread, now, v, left) : 0;
        case delta_step::measure:
            sums[0] += magnitude(residuals[v]);
            sums[1] += estimates[v];
            return 0;
        default:
            estimates[v] *= now.scale;
            return 0;
        }
    }

    template <class Thread>
    RZ_HD void take(Thread const& thread, progress const& now) const {
        for (std::uint32_t kind = delta_round::light; kind <= delta_round::heavy; ++kind)
            exec::for_each_item(thread, now.frontier.listed[kind], [&](std::uint64_t i) {
                id_type const v = listed(now, kind, i);
                double const change = residuals[v];
                std::uint64_t const degree = view.degree(v);
                estimates[v] += change;
                residuals[v] = 0;
                given[v] = degree != 0 ? damping * change / static_cast<double>(degree) : 0;
            });
    }

    /// Returns the arcs of the vertices that it lists.
    template <class Thread>
    [[nodiscard]] RZ_HD std::uint64_t push(Thread const& thread, progress const& now,
                                           delta_round& left) const {
        std::uint64_t arcs = 0;
        auto const push_row = [&](auto const& group, id_type v) {
            double const change = given[v];
            auto const row = view.neighbours(v);
            row.for_each(group, 0, row.size(), [&](std::uint64_t, id_type id) {
                // relaxed: which additions cross the limit depends on this word alone; a barrier follows
                double const before = thread.device(residuals[id]).fetch_add(change, exec::order::relaxed);
                if (now.settles || magnitude(before) > now.limit || magnitude(before + change) <= now.limit)
                    return;
                // A residual can cross the limit several times. relaxed: of the threads that exchange, one
                // gets another round
                if (thread.device(rounds[id]).exchange(now.rounds, exec::order::relaxed) != now.rounds)
                    arcs += put(thread, now, id, left);
            });
        };
        exec::for_each_group_item(
            thread.block(), now.frontier.listed[delta_round::heavy],
            [&](std::uint64_t i) { push_row(thread.block(), listed(now, delta_round::heavy, i)); });
        for_each_short_row(thread, false, now.frontier.listed[delta_round::light], now.frontier.arcs,
                           [&](lane_group const& group, std::uint64_t i) {
                               push_row(group, listed(now, delta_round::light, i));
                           });
        return arcs;
    }
};

} // namespace rhizome::algorithms::detail
