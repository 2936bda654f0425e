// SPDX-License-Identifier: Apache-2.0
// Rounds of PageRank that follows a graph in which all vertices pull.
#pragma once

#include <rhizome/algorithms/detail/bfloat16.hpp>
#include <rhizome/algorithms/detail/maintained_rank_state.hpp>
#include <rhizome/algorithms/detail/pull_rows.hpp>
#include <rhizome/algorithms/tuning.hpp>
#include <rhizome/exec/config.hpp>
#include <rhizome/exec/distribute.hpp>
#include <rhizome/exec/order.hpp>
#include <rhizome/graph/row_schedule.hpp>
#include <rhizome/graph/rows.hpp>
#include <rhizome/graph/tuning.hpp>

#include <cstdint>
#include <type_traits>

namespace rhizome::algorithms::detail {

/// Begins where maintained_rank_program ends before a round that pulls, and ends where pushing may pay again.
/// In a round each vertex adds its residual to its estimate, and gets the new one from its in-neighbours. A
/// step does both: it writes what vertices give in the next round to another array than it reads. A program
/// of its own, since it needs fewer registers than the other one, so that more threads wait for memory.
///
/// Without weights, what a vertex gives to each neighbour is rounded to 16 bits, of which far more stay in
/// the caches than of 64. No error comes from that: the vertex adds as much of its residual to its estimate
/// as it gives, and keeps the rest, at most 1/256 of it.
template <class View, bool Weighted>
struct pulling_rank_program : maintained_rank_base<View, Weighted> {
    static constexpr std::uint32_t block_threads = 256;
    static constexpr std::uint32_t blocks_side_by_side = 3; // 80 registers: the kernel waits for memory
    using base = maintained_rank_base<View, Weighted>;
    using typename base::id_type;
    using typename base::progress;
    using typename base::step_kind;

    using pulled_type = std::conditional_t<Weighted, double, bfloat16>;
    pulled_type* pulled; ///< 2 per vertex: what it gives for a weight of 1, in even rounds and in odd ones;
                         ///< without weights, before the damping
    std::uint64_t round_work; ///< as in maintained_rank_program

    [[nodiscard]] RZ_HD bool next(progress& now) const {
        if (now.enters) {
            now.enters = !begins_with(now.kind) || base::state->refuses();
            now.series = 0;
            return !now.enters;
        }
        ++now.number;
        delta_round const& left = base::passing.ring[now.number % 4];
        now.rounded += left.sums[of_rounding];
        if (base::state->refused(now.kind)) return false;
        if (begins_with(now.kind)) {
            now.spreads = now.kind == step_kind::spread;
            if (!now.spreads) ++now.rounds;
            now.go_to(left);
            now.pulls = 0;
            now.kind = step_kind::pull;
            return true;
        }
        double const residual = left.sums[of_residuals];
        ++now.pulls;
        ++now.series;
        now.sum = left.sums[of_estimates];
        // A round shrinks the sum of residuals at least by the damping, which may be near 1. One that leaves
        // as much as it found is at the limit of rounding.
        bool const scaled = now.pulls == 1 && (now.scale != 1 || now.shift != 0);
        double const shrunk = now.residual > 0 ? residual / now.residual : now.left;
        now.stalled = shrunk >= 1 && !scaled;
        // Where few vertices have most residuals of one sign, scaling gives others to all vertices.
        if (scaled && shrunk > base::passing.damping) now.scales_no_more = true;
        if (!scaled) now.left = shrunk < base::passing.damping ? shrunk : base::passing.damping;
        now.residual = residual;
        if (base::counted(residual, left.sums[of_signed]) <= base::allowed_residual(now) || now.stalled ||
            now.rounds >= base::max_rounds)
            return false;
        if (base::choose_shift(now, left.sums[of_signed], residual)) {
            now.kind = step_kind::take_all;
            return true;
        }
        if (now.series >= now.patience && shrunk > tuning::slow_pull && looks_pay()) return false;
        ++now.rounds;
        return true;
    }

    RZ_HD void finish(progress const& now) const {
        if (!now.enters) base::state->saved = now;
        base::state->barrier = {};
    }

    [[nodiscard]] RZ_HD std::uint64_t items(progress const& now) const {
        return now.kind == step_kind::pull ? base::all_arcs : base::passing.view.vertex_count();
    }

    template <class Thread>
    RZ_HD void step(Thread const& thread, progress const& now) const {
        auto const& rounds = base::passing;
        delta_round& left = rounds.ring[(now.number + 1) % 4];
        if (thread.rank() == 0) rounds.ring[(now.number + 2) % 4] = {};
        double sums[5] = {};
        std::uint64_t arcs = 0;
        if (now.kind == step_kind::pull) {
            pull(thread, now, left, sums);
        } else {
            exec::for_each_item(thread, rounds.view.vertex_count(), [&](std::uint64_t i) {
                auto const v = static_cast<id_type>(i);
                if (now.kind == step_kind::spread)
                    base::spread(thread, v, sums[of_rounding]);
                else
                    take(now, v, sums[of_rounding]);
                std::uint64_t const size = rounds.view.in_neighbours(v).size();
                if (!graph::is_light_row(size)) arcs += rounds.put(thread, now, v, size, left);
            });
        }
        rounds.leave(thread, left, sums, arcs);
    }

private:
    /// A look at what to push takes about as long as a push without arcs.
    [[nodiscard]] RZ_HD bool looks_pay() const { return base::pull_work() > 2 * round_work; }
    [[nodiscard]] static RZ_HD bool begins_with(step_kind kind) {
        return kind == step_kind::take_all || kind == step_kind::spread;
    }

    RZ_HD void take(progress const& now, id_type v, double& rounded_here) const {
        auto const& rounds = base::passing;
        double estimate = rounds.estimates[v];
        double residual = rounds.residuals[v];
        if (now.shift != 0) {
            auto const degree = static_cast<double>(rounds.view.degree(v));
            double const added = now.shift * degree;
            double const lost = (1 - rounds.damping) * now.shift * degree;
            estimate += added;
            residual -= lost;
            rounded_here += 2 * (rounds.magnitude(estimate) + rounds.magnitude(added)) +
                            3 * rounds.magnitude(lost) + rounds.magnitude(residual);
        } else if (now.scale != 1) {
            double const rest = (1 - now.scale) * (1 - rounds.damping) * base::base_of(v);
            residual = now.scale * residual + rest;
            estimate *= now.scale;
            rounded_here +=
                2 * rounds.magnitude(estimate) + 3 * rounds.magnitude(rest) + 3 * rounds.magnitude(residual);
        }
        rounds.estimates[v] = estimate;
        rounds.residuals[v] = residual;
        rounded_here += base::row_depth * rounds.magnitude(residual);
        (void)give(v, residual, pulled);
    }
    /// What vertices give in a round, and in the next one.
    template <class Values>
    struct exchange {
        Values values;
        double factor;            ///< of the values
        pulled_type const* given; ///< nullptr: estimates, for residuals that are computed anew
        pulled_type* next;
    };

    /// Writes what v gives of its residual in the next round. Returns whether it gives any.
    RZ_HD bool give(id_type v, double residual, pulled_type* next) const {
        if constexpr (Weighted) {
            next[v] = base::passing.gives(v, residual);
            return next[v] != 0;
        } else {
            double const outflow = base::passing.arcs.outflow(base::passing.view, v);
            next[v] = bfloat16::of(outflow > 0 ? residual / outflow : 0);
            return outflow > 0;
        }
    }
    /// How much of its residual v has given.
    [[nodiscard]] RZ_HD double given_of(id_type v, double residual, pulled_type const* given) const {
        if constexpr (!Weighted)
            if (double const outflow = base::passing.arcs.outflow(base::passing.view, v); outflow > 0)
                return given[v].value() * outflow; // exact
        return residual;
    }

    template <class Thread>
    RZ_HD void pull(Thread const& thread, progress const& now, delta_round& left, double (&sums)[5]) const {
        pulled_type* const other = pulled + base::passing.view.vertex_count();
        pulled_type* const given = now.pulls % 2 == 0 ? pulled : other;
        pulled_type* const next = now.pulls % 2 == 0 ? other : pulled;
        if (now.pulls == 0 && now.spreads)
            pull(thread, now, left, sums, exchange<double const*>{base::passing.given, 1, nullptr, next});
        else if constexpr (Weighted)
            pull(thread, now, left, sums, exchange<double const*>{given, 1, given, next});
        else
            pull(thread, now, left, sums,
                 exchange<bfloat16_values>{{given}, base::passing.damping, given, next});
    }
    template <class Thread, class Values>
    RZ_HD void pull(Thread const& thread, progress const& now, delta_round& left, double (&sums)[5],
                    exchange<Values> const& round) const {
        auto const& view = base::passing.view;
        auto const given = round.values;
        auto const warp = thread.warp();
        constexpr std::uint64_t part =
            Thread::prefers_runs ? graph::tuning::light_degree : tuning::pulled_part;
        static_assert(part / (Thread::prefers_runs ? 1 : 32) <= graph::tuning::light_degree);
        auto const sum_part = [&](id_type v, std::uint64_t first, std::uint64_t last) {
            double sum = 0;
            if constexpr (Weighted)
                base::passing.arcs.for_each_in(view, warp, v, first, last,
                                               [&](id_type id, double weight) { sum += given[id] * weight; });
            else
                sum = pull_part(warp, view.in_neighbours(v), first, last, given);
            return warp.sum(sum);
        };
        std::uint64_t const warps = warp.count();
        for (std::uint64_t i = 0; i < now.frontier.giants(); ++i) {
            id_type const v = base::passing.listed(now, delta_round::giant, i);
            std::uint64_t const size = view.in_neighbours(v).size();
            // The first parts of different rows go to different warps.
            std::uint64_t first = (warp.index() + warps - i % warps) % warps * part;
            for (; first < size; first += warps * part) {
                double const sum = sum_part(v, first, first + part < size ? first + part : size);
                if (warp.rank() == 0) add_part(thread, i, v, (size + part - 1) / part, sum, round, sums);
            }
        }
        for_each_batch(warp, thread.device(left.fetched[0]), now.frontier.listed[delta_round::heavy], 2,
                       [&](std::uint64_t i) {
                           id_type const v = base::passing.listed(now, delta_round::heavy, i);
                           std::uint64_t const size = view.in_neighbours(v).size();
                           double sum = 0;
                           for (std::uint64_t first = 0; first < size; first += part) {
                               sum += sum_part(v, first, first + part < size ? first + part : size);
                               if (warp.rank() == 0) sums[of_rounding] += base::passing.magnitude(sum);
                           }
                           if (warp.rank() == 0) get(v, sum, round, sums);
                       });
        auto const tile = thread.tile(exec::width<graph::tuning::row_tile>);
        std::uint64_t const vertices = view.vertex_count();
        for_each_batch(warp, thread.device(left.fetched[1]), (vertices + warp.size() - 1) / warp.size(), 4,
                       [&](std::uint64_t group) {
                           std::uint64_t const i = group * warp.size() + warp.rank();
                           bool const exists = i < vertices;
                           auto const v = static_cast<id_type>(i);
                           auto const row = view.in_neighbours(exists ? v : 0);
                           std::uint64_t const size = row.size();
                           bool const own = exists && graph::is_light_row(size);
                           double const sum = pull_light_row(
                               tile, v, row, own ? static_cast<std::uint32_t>(size) : 0, given);
                           if (own) get(v, sum, round, sums);
                       });
    }
    /// Calls work(i) for 0 to count - 1 by warps, of which each takes the next `batch` as soon as it is free:
    /// rows differ in length. Where one thread walks each row, threads take equal shares.
    template <class Warp, class Counter, class Work>
    RZ_HD void for_each_batch(Warp const& warp, Counter const& fetched, std::uint64_t count,
                              std::uint64_t batch, Work const& work) const {
        if constexpr (Warp::prefers_runs) {
            exec::for_each_group_item(warp, count, work);
        } else {
            for (;;) {
                // relaxed: hands out numbers
                std::uint64_t first = 0;
                if (warp.rank() == 0) first = fetched.fetch_add(batch, exec::order::relaxed);
                first = warp.shuffle(first, 0);
                if (first >= count) return;
                for (std::uint64_t i = first; i < first + batch && i < count; ++i)
                    work(i);
            }
        }
    }
    /// What this lane's vertex v gets from its in-neighbours. All lanes of the tile take the rows of its
    /// lanes in turn.
    template <class Tile, class Row, class Values>
    [[nodiscard]] RZ_HD double pull_light_row(Tile const& tile, id_type v, Row const& row, std::uint32_t size,
                                              Values given) const {
        constexpr std::uint32_t lanes = Tile::prefers_runs ? 1 : graph::tuning::row_tile;
        if constexpr (Weighted) {
            double sums[lanes];
            for (std::uint32_t r = 0; r < tile.size(); ++r) {
                std::uint32_t const size_of = tile.shuffle(size, r);
                double sum = 0;
                if (size_of != 0)
                    base::passing.arcs.for_each_in(
                        base::passing.view, tile, v - tile.rank() + r, 0, size_of,
                        [&](id_type id, double weight) { sum += given[id] * weight; });
                sums[r] = sum;
            }
            return sum_transposed<lanes>(tile, sums);
        } else {
            return pull_own_row<lanes>(tile, graph::in_rows<View>{base::passing.view}, v, row, size, given);
        }
    }
    /// Adds a part of giant row number i, of `parts`. The thread that adds the last one goes on.
    template <class Thread, class Values>
    RZ_HD void add_part(Thread const& thread, std::uint64_t i, id_type v, std::uint64_t parts, double sum,
                        exchange<Values> const& round, double (&sums)[5]) const {
        auto const total = thread.device(base::state->giant_sums[i]);
        // relaxed: released with the count of parts
        double const before = total.fetch_add(sum, exec::order::relaxed);
        sums[of_rounding] += base::passing.magnitude(before + sum);
        auto const added = thread.device(base::state->giant_parts[i]);
        if (added.fetch_add(1u, exec::order::acq_rel) + 1 != parts) return; // acquires what others have added
        double const all = total.load(exec::order::relaxed);
        total.store(0.0, exec::order::relaxed);
        added.store(0u, exec::order::relaxed);
        get(v, all, round, sums);
    }
    /// Vertex v has got `sum`, but for the factor.
    template <class Values>
    RZ_HD void get(id_type v, double sum, exchange<Values> const& round, double (&sums)[5]) const {
        auto const& rounds = base::passing;
        double residual = rounds.residuals[v];
        double estimate = rounds.estimates[v];
        if (round.given != nullptr) {
            double const taken = given_of(v, residual, round.given);
            estimate += taken;
            rounds.estimates[v] = estimate;
            sums[of_rounding] += 2 * rounds.magnitude(estimate) + 3 * rounds.magnitude(residual);
            residual -= taken;
        }
        residual += round.factor * sum;
        rounds.residuals[v] = residual;
        bool const gives = give(v, residual, round.next);
        sums[of_residuals] += rounds.magnitude(residual);
        if (gives) sums[of_signed] += residual;
        sums[of_estimates] += estimate;
        sums[of_rounding] += (4 + base::row_depth) * rounds.magnitude(residual);
    }
};

} // namespace rhizome::algorithms::detail
